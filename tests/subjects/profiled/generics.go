//go:build go1.18
// +build go1.18

// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

type pair[A, B any] struct {
	a A
	b B
}

//go:noinline
func paired[A, B any](a A, b B) *pair[A, B] { return &pair[A, B]{a, b} }

func (p *pair[A, B]) texts() []string { return []string{fmt.Sprint(p.a), fmt.Sprint(p.b)} }

func init() {
	more = append(more, func() {
		for i := 0; i < 100; i++ {
			keep(paired(i, "text"))
			keep(paired("text", 1.5).texts())
		}
		parked++
		go parkGeneric(3, "of a type")
	})
}

func parkGeneric[T any](n int, t T) {
	if n == 0 {
		park(fmt.Sprint(t))
		return
	}
	parkGeneric(n-1, t)
}
