//go:build go1.18
// +build go1.18

// SPDX-License-Identifier: Apache-2.0

package main

type id int
type label int

type box[T any] struct{ inside T }

// Two types of one shape: what is where the last call has left it is of the other one.
//
//go:noinline
func passed[T any](x T) { useAny(x) }

//go:noinline
func (b *box[T]) put(x T) {
	b.inside = x
	useAny(x)
}

//go:noinline
func (b box[T]) with(x T) {
	b.inside = x
	useAny(b)
}

func generic() {
	passed(id(5))
	passed(label(6))
	(&box[id]{}).put(5)
	(&box[label]{}).put(6)
	box[id]{}.with(5)
	box[label]{}.with(6)
}
