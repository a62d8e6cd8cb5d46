// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"reflect"
)

var (
	generic    = []object{}
	inLoops    = object{}
	startLoops = func() {}
)

var captures = object{} // by function and variable: what a function value carries

// carries states what the function values of a function have captured.
func carries(function string, values object) {
	mu.Lock()
	defer mu.Unlock()
	stated := object{}
	for name, captured := range values {
		stated[name] = inStatement(captured.(object))
	}
	captures[function] = stated
}

// A closure that changes one variable of its surroundings and reads the others.
//
//go:noinline
func closing(a int, s string, list []string, x int) int {
	count := 40
	p := &pair{a, s}
	any := interface{}(a)
	add := func(x int) int {
		count += x
		state("main.closing.func1", object{"count": count, "a": a, "s": s, "list": list,
			"p": p, "any": any})
		<-never
		if count > 1 {
			sink(count, a, s, list, p, any)
		}
		return count
	}
	return held(add, object{"count": count + x, "a": a, "s": s, "list": list, "p": p,
		"any": any}, x)
}

//go:noinline
func held(f func(int) int, carried object, x int) int {
	carries("main.held", object{"f": carried})
	y := f(x)
	sink(f, x, y)
	return y
}

type five struct {
	Name       string
	A, B, C, D int64
}

// What is too much for registers lies in the closure itself, if nobody changes it and it is no more
// than 128 bytes; the closure's code calls it by its address, as it does what it shares.
//
//go:noinline
func capturing(n int64, x int) int {
	wide, row, word := [3]int64{n, n + 1, n + 2}, five{"five", n, 2, 3, 4}, [8]byte{1, 2, 3}
	changed, huge := [3]int64{7, 8, 9}, [20]int64{n}
	read := func(x int) int {
		changed[x]++
		state("main.capturing.func1", object{"wide": wide, "row": row, "word": word,
			"changed": changed, "huge": huge})
		<-never
		sink(wide[x], row.Name, row.D, word[x], changed[x], huge[x])
		return x
	}
	now := changed
	now[x]++
	return heldToo(read, object{"wide": wide, "row": row, "word": word, "changed": now,
		"huge": huge}, x)
}

//go:noinline
func heldToo(f func(int) int, carried object, x int) int {
	carries("main.heldToo", object{"f": carried})
	y := f(x)
	sink(f, x, y)
	return y
}

//go:noinline
func (p pair) wait(n int) {
	state("main.pair.wait", object{"p": p, "n": n})
	<-never
	sink(p, n)
}

//go:noinline
func (t *tree) wait(n int) {
	state("main.(*tree).wait", object{"t": t, "n": n})
	<-never
	sink(t, n)
}

// The compiler keeps no code of it where it can be inlined.
func (p pair) brief(n int) int { return p.Left + n }

type waiter interface{ wait(n int) }

//go:noinline
func methods(p pair, t *tree, w waiter) {
	byValue, byPointer, inlined, byInterface := p.wait, t.wait, p.brief, w.wait
	carries("main.methods", object{"byValue": object{"p": p}, "byPointer": object{"t": t},
		"inlined": object{"p": p}, "byInterface": object{".this": w}})
	ready.Add(1)
	go byValue(1)
	byPointer(2)
	sink(byValue, byPointer, inlined, byInterface)
}

// A parameter and a result that escape are the variables on the heap, not what the caller passed.
//
//go:noinline
func moves(n int, s string) (total int, err error) {
	keep(&n)
	keep(&total)
	n += 5
	total = n * 2
	func() {
		s += "?"
		keep(&s)
	}()
	state("main.moves", object{"n": n, "s": s, "total": total})
	<-never
	sink(n, s, total)
	return
}

//go:noinline
func keep(at interface{}) { sink(at) }

// A result without a name is a result.
//
//go:noinline
func unnamed(n int) (int, string) {
	state("main.unnamed", object{"n": n})
	<-never
	sink(n)
	return n, "x"
}

// A string, a slice and an interface that the compiler takes apart.
//
//go:noinline
func split(words []string, n int) string {
	first := words[0] + words[1]
	rest := append([]string{}, words[n:]...)
	state("main.split", object{"first": first, "rest": rest})
	<-never
	sink(first, rest)
	return first
}

var inInterfaces = [][]interface{}{} // dynamic types and values

// A program without debugging information still knows what is inside an interface.
//
//go:noinline
func described(value interface{}) {
	ready.Done()
	<-never
	sink(value)
}

// startDescribed has every variable of main.go in an interface, but for those that are too large to
// be shown as a whole.
func startDescribed() {
	for _, at := range variables {
		v := reflect.ValueOf(at).Elem()
		tooLarge := (v.Kind() == reflect.Map || v.Kind() == reflect.String) && v.Len() > 64
		if v.Kind() == reflect.Interface && v.IsNil() || tooLarge {
			continue
		}
		value := v.Interface()
		inInterfaces = append(inInterfaces, []interface{}{reflect.TypeOf(value).String(),
			simple(reflect.ValueOf(value), 0)})
		start(func() { described(value) })
	}
	ready.Wait()
}

// box lives in a frame, and its address is taken; roomy is larger than what the allocator keeps
// types of elsewhere.
type box struct {
	count int
	any   interface{}
	at    *int
	name  string
}

type roomy struct {
	name  string
	room  [70]int64
	next  *int
	inner inner
}

//go:noinline
func look(b *box) int { return b.count + len(b.name) }

//go:noinline
func through(b *box) *box { return b }

// boxed needs one of them itself, of another one a pointer, of the third nothing.
//
//go:noinline
func boxed(b box, r *roomy) {
	own, pointed, spent := b, b, b
	pointed.any, spent.any = [1]interface{}{b.any}, [2]interface{}{b.any}
	at := through(&pointed)
	before := look(&own) + look(through(&spent))
	ready.Done()
	<-never
	sink(before, look(&own), at.any, r.name)
	*r.next = 0
}

var boxes, rooms []interface{}

func startBoxed() {
	for i, any := range []interface{}{7, "in a box", inner{3, "c"}, &inner{4, "d"}} {
		b := box{i, any, &anInt, "box"}
		r := &roomy{name: "roomy", next: &anInt, inner: inner{int8(i), "r"}}
		r.room[69] = int64(i)
		for _, held := range []interface{}{any, [1]interface{}{any}} {
			boxes = append(boxes, []interface{}{reflect.TypeOf(held).String(),
				simple(reflect.ValueOf(held), 0)})
		}
		rooms = append(rooms, simple(reflect.ValueOf(r), 0))
		start(func() { boxed(b, r) })
	}
	ready.Wait()
}

// stateGeneric is state for a function of which there are several instances.
func stateGeneric(function string, variables object, of interface{}) {
	mu.Lock()
	defer mu.Unlock()
	generic = append(generic, object{"function": function,
		"type": fmt.Sprintf("%T", of), "variables": inStatement(variables)})
	ready.Done()
}

// What is used before the wait only: the collector's maps call it dead.
//
//go:noinline
func spent(p *pair, s string, n int) int {
	q, more, any := &pair{n, s}, append([]string{}, s), interface{}(p)
	sink(p, s, q, more, any)
	state("main.spent", object{"n": n})
	<-never
	return n
}

// A variable that is set by the statement that waits, one whose declaration comes later, though it
// was there in the turn before, and one of an inner block.
//
//go:noinline
func turns(n int) {
	for i := 0; i < n; i++ {
		if i == 1 {
			block := i * 7
			state("main.turns", object{"n": n, "i": i, "block": block})
			own := <-never
			sink(own, block, &own)
		}
		later := i * 100
		sink(later, &later)
	}
	sink(n)
}

func startClosures() {
	start(func() { spent(&pair{1, "p"}, "spent", 3) })
	start(func() { turns(3) })
	start(func() { capturing(5, 1) })
	start(func() { closing(7, "seven", []string{"a", "b"}, 2) })
	start(func() { methods(pair{3, "three"}, &tree{4, nil, &tree{Value: 5}}, pair{6, "six"}) })
	start(func() { moves(1, "moved") })
	start(func() { unnamed(6) })
	startLoops()
	start(func() { split([]string{"ab", "cd", "ef"}, 1) })
}
