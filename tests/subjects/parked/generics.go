// SPDX-License-Identifier: Apache-2.0

//go:build go1.18
// +build go1.18

package main

import "subjects/truth"

func init() {
	cases = append(cases,
		func() { go receiveAny(make(chan string)) },
		func() { go receiveAny(make(chan [3]int)) },
		func() { go (&list[int, string]{}).wait(make(chan string)) },
		func() { go apply([]int{1, 2}, func(n int) string { park("called by a generic function"); return "" }) },
	)
}

//go:noinline
func receiveAny[T any](c chan T) T {
	truth.Below("generic function", "chan receive")
	return <-c
}

type list[K comparable, V any] struct {
	m map[K]V
}

//go:noinline
func (l *list[K, V]) wait(c chan V) V {
	return func() V {
		truth.Below("closure in a generic method", "chan receive")
		return <-c
	}()
}

func apply[T, U any](s []T, f func(T) U) []U {
	var out []U
	for _, v := range s {
		out = append(out, f(v))
	}
	return out
}
