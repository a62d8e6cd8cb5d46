// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"errors"
	"reflect"
)

// A Class is what a classifier thinks of an error.
type Class int

const (
	Unknown    Class = iota // it knows nothing of it
	Worthwhile              // a snapshot helps
	Worthless               // it happens every day
)

// A Classifier decides whether an error is worth a snapshot.
type Classifier func(err error) Class

// ByType gives the class to errors that are, or wrap, one of the same type as one of the examples.
func ByType(class Class, examples ...error) Classifier {
	types := make(map[reflect.Type]bool, len(examples))
	for _, example := range examples {
		types[reflect.TypeOf(example)] = true
	}
	return func(err error) Class {
		if isOrWraps(err, types) {
			return class
		}
		return Unknown
	}
}

func isOrWraps(err error, types map[reflect.Type]bool) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if types[reflect.TypeOf(err)] {
			return true
		}
		// Of errors.Join, since Go 1.20.
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range several.Unwrap() {
				if isOrWraps(err, types) {
					return true
				}
			}
			return false
		}
	}
	return false
}

// ByTarget gives the class to errors that are one of the targets, as errors.Is says.
func ByTarget(class Class, targets ...error) Classifier {
	return func(err error) Class {
		for _, target := range targets {
			if errors.Is(err, target) {
				return class
			}
		}
		return Unknown
	}
}

// worthless asks code of the program, which may panic.
func (options *Options) worthless(err error) (worthless bool) {
	defer func() {
		if recover() != nil {
			worthless = false
		}
	}()
	for _, classify := range options.Classifiers {
		if class := classify(err); class != Unknown {
			return class == Worthless
		}
	}
	return false
}
