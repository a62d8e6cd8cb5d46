//go:build go1.18
// +build go1.18

// SPDX-License-Identifier: Apache-2.0

package main

type id int
type label string

type stack[T any] struct {
	top  T
	rest []T
}

// A method: its dictionary is behind the receiver.
//
//go:noinline
func (s *stack[T]) push(x T, n int) {
	old := s.top
	all := map[string]T{"old": old, "new": x}
	stateGeneric("push", object{"s": s, "x": x, "n": n, "old": old, "all": all}, x)
	<-never
	sink(s, x, n, old, all, pair{})
}

// Two types of different shapes, a variable that escapes, a closure.
//
//go:noinline
func lookUp[K comparable, V any](k K, v V, m map[K]V) (found V) {
	p := &v
	keep(p)
	found = m[k]
	f := func() {
		x := m[k]
		stateGeneric("lookUp.func", object{"k": k, "m": m, "x": x}, k)
		<-never
		sink(k, m, x)
	}
	if len(m) > 1 {
		stateGeneric("lookUp", object{"k": k, "v": v, "m": m, "p": p, "found": found}, k)
		<-never
	} else {
		run(f)
	}
	sink(k, v, m, p, found)
	return
}

//go:noinline
func run(f func()) { f() }

// Two types of one shape: what has no place in the dictionary is of either.
//
//go:noinline
func sameShape[A, B any](a A, b B) {
	pa, pb := &a, &b
	keep(pa)
	keep(pb)
	stateGeneric("sameShape", object{"a": a, "b": b, "pa": pa, "pb": pb}, a)
	<-never
	sink(a, b, pa, pb)
}

// Values of methods: each instance has a wrapper of its own.
//
//go:noinline
func methodsOfGenerics(s *stack[id], t stack[string]) {
	byPointer, byValue := s.last, t.depth
	carries("main.methodsOfGenerics", object{"byPointer": object{"s": s}, "byValue": object{"s": t}})
	ready.Done()
	<-never
	sink(byPointer, byValue)
}

//go:noinline
func (s *stack[T]) last() *T { return &s.rest[len(s.rest)-1] }

//go:noinline
func (s stack[T]) depth() int { return len(s.rest) }

func startGenerics() {
	start(func() { methodsOfGenerics(&stack[id]{5, []id{4}}, stack[string]{"t", nil}) })
	start(func() { (&stack[string]{"a", nil}).push("b", 1) })
	start(func() { (&stack[id]{2, []id{3}}).push(4, 2) })
	start(func() { (&stack[*pair]{&pair{1, "p"}, nil}).push(&pair{2, "q"}, 3) })
	start(func() { (&stack[pair]{pair{3, "r"}, nil}).push(pair{4, "s"}, 4) })
	start(func() { lookUp("k", 5.5, map[string]float64{"k": 2.5}) })
	start(func() { lookUp(id(2), pair{1, "p"}, map[id]pair{2: {3, "z"}}) })
	start(func() { lookUp(label("l"), true, map[label]bool{"l": true, "m": false}) })
	start(func() { lookUp(id(7), []id{1}, map[id][]id{7: {2, 3}, 8: nil}) })
	start(func() { sameShape(id(1), 2) })
}
