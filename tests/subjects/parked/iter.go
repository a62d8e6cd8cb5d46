// SPDX-License-Identifier: Apache-2.0

//go:build go1.23
// +build go1.23

package main

import (
	"iter"
	"slices"
	"subjects/truth"
)

func init() {
	cases = append(cases,
		func() { go rangeOverFunc() },
		func() { go rangeOverFuncNested() },
		func() { go rangeOverFuncPanics() },
		startPulled,
		func() { go pulledParks() },
	)
}

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func rangeOverFunc() {
	for i := range count(3) {
		if i == 2 {
			park("body of a range over a function")
		}
	}
}

func rangeOverFuncNested() {
	for i := range count(3) {
		for _, v := range slices.Backward([]int{1, 2}) {
			defer func() { park("deferred in the body of a range over a function") }()
			if i+v == 4 {
				return
			}
		}
	}
}

func rangeOverFuncPanics() {
	defer park("panic in the body of a range over a function")
	for i := range count(3) {
		panic(i)
	}
}

// startPulled leaves a goroutine that waits as a coroutine, between two values.
func startPulled() {
	go func() {
		next, _ := iter.Pull(func(yield func(int) bool) {
			truth.Below("coroutine, between two values", "coroutine")
			yield(1)
		})
		next()
		c := never()
		<-c
	}()
}

// pulledParks waits in next: the goroutine of the coroutine is the one that parks.
func pulledParks() {
	next, _ := iter.Pull(func(yield func(int) bool) {
		park("coroutine, running")
		yield(1)
	})
	next()
}
