// SPDX-License-Identifier: Apache-2.0

//go:build go1.18
// +build go1.18

package main

import "subjects/truth"

type list[T any] struct{ items chan T }

func (l *list[T]) casePush(item T) { //more
	truth.Below("casePush", "chan send")
	l.items <- item
}

func caseGeneric[K comparable, V any](m map[K]chan V, key K) { //more
	truth.Below("caseGeneric", "chan receive|chan receive (nil chan)")
	<-m[key]
}

func newer() { //more
	begin(func() { (&list[string]{make(chan string)}).casePush("x") }) //more
	begin(func() { caseGeneric(map[int]chan float64{1: make(chan float64)}, 1) })
}
