// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"sort"
	"strings"
	"subjects/truth"
)

func init() {
	cases = append(cases,
		func() { go inlined1(never()) },
		func() { go inlinedTwice(never()) },
		func() {
			n := len(cases)
			go func() { closure(func() int { return n })() }()
		},
		func() {
			s := &server{never()}
			go s.serve("a", 1)
		},
		func() {
			s := server{never()}
			f := s.value
			go f()
		},
		func() {
			f := (*server).serve
			go f(&server{never()}, "b", 2)
		},
		func() { go throughInterface(&server{never()}) },
		func() { go throughInterface(&outer{0, middle{1, server{never()}}}) },
		func() { go throughPointer(&outer{0, middle{1, server{never()}}}) },
		func() { go methodOfEmbedded(&outer{0, middle{1, server{never()}}}) },
		func() { go reflectCall(reflect.ValueOf(reflected)) },
		func() { go reflectMethod(&server{never()}) },
		func() { go reflectMade() },
		func() { go insideSort() },
		func() { go insideMap() },
		func() { go deferred() },
		func() { go deferredInLoop() },
		func() { go deferredInlined() },
		func() { go deferredMethod(&server{never()}) },
		func() { go manyResults(1, "two", 3.0, []int{4}, map[string]int{}) },
		func() { go bigFrame() },
		func() { go recurse(30) },
		func() { go recurse(48) },
		func() { go recurse(49) },
		func() { go recurse(50) },
		func() { go recurse(95) },
		func() { go recurse(96) },
		func() { go recurse(97) },
		func() { go recurse(98) },
		func() { go recurse(300) },
		func() { go recurseInlined(120) },
	)
}

// Three levels of these are one physical frame.
func inlined1(c chan int) int { return inlined2(c) + 1 }

func inlined2(c chan int) int {
	return inlined3(c) + 2
}

func inlined3(c chan int) int {
	truth.Below("inlined", "chan receive")
	return <-c
}

//go:noinline
func inlinedTwice(c chan int) {
	for i := 0; i < 2; i++ {
		callIt(c)
	}
}

func callIt(c chan int) { parkIt(c, "inlined caller of an ordinary function") }

//go:noinline
func parkIt(c chan int, name string) {
	truth.Below(name, "chan receive")
	<-c
}

func closure(n func() int) func() {
	c := never()
	return func() {
		func() {
			parkIt(c, "closure in a closure")
			_ = n()
		}()
		_ = n()
	}
}

type server struct{ c chan int }

func (s *server) serve(name string, n int) {
	s.loop(n)
}

//go:noinline
func (s *server) loop(n int) {
	truth.Below("method", "chan receive")
	<-s.c
}

//go:noinline
func (s server) value() {
	truth.Below("method of a value", "chan receive")
	<-s.c
}

type middle struct {
	n int
	server
}

type outer struct {
	n int
	middle
}

type valuer interface{ value() }

// The interface holds a pointer, the method wants a value: a wrapper is between.
//
//go:noinline
func throughInterface(v valuer) { v.value() }

type looper interface{ loop(int) }

//go:noinline
func throughPointer(l looper) { l.loop(3) }

//go:noinline
func methodOfEmbedded(o *outer) {
	f := o.loop
	callFunction(f)
}

//go:noinline
func callFunction(f func(int)) { f(1) }

func reflected(name string, n int, f float64) int {
	c := never()
	truth.Below("called by reflection", "chan receive")
	return <-c
}

func reflectCall(f reflect.Value) {
	f.Call([]reflect.Value{reflect.ValueOf("name"), reflect.ValueOf(7), reflect.ValueOf(1.5)})
}

// Loop is exported: reflection sees it.
func (s *server) Loop(n int, text string) {
	s.loop(n)
}

// A method value made by reflection goes through reflect.methodValueCall.
func reflectMethod(s *server) {
	f := reflect.ValueOf(s).MethodByName("Loop").Interface().(func(int, string))
	f(1, "text")
}

func reflectMade() {
	c := never()
	var f func(int, string) int
	made := reflect.MakeFunc(reflect.TypeOf(f), func([]reflect.Value) []reflect.Value {
		parkIt(c, "made by reflection")
		return nil
	})
	f = made.Interface().(func(int, string) int)
	f(1, "x")
}

func insideSort() {
	c := never()
	words := []string{"b", "a", "c"}
	sort.Slice(words, func(i, j int) bool {
		parkIt(c, "inside sort.Slice")
		return words[i] < words[j]
	})
}

func insideMap() {
	c := never()
	strings.Map(func(r rune) rune {
		parkIt(c, "inside strings.Map")
		return r
	}, "x")
}

func deferred() {
	c := never()
	defer func() {
		parkIt(c, "deferred")
	}()
}

func deferredInLoop() {
	c := never()
	for i := 0; i < 3; i++ {
		defer func(i int) {
			parkIt(c, "deferred in a loop")
		}(i)
	}
}

func deferredInlined() {
	c := never()
	func() {
		defer parkIt(c, "deferred without a closure")
	}()
}

func deferredMethod(s *server) {
	defer s.serve("deferred", 1)
}

//go:noinline
func manyResults(a int, b string, f float64, s []int, m map[string]int) (int, string, error) {
	c := never()
	truth.Below("many arguments", "chan receive")
	return <-c + a, b, nil
}

// bigFrame needs a larger stack than it starts with: it is copied before.
//
//go:noinline
func bigFrame() int {
	var room [40000]byte
	c := never()
	room[len(room)-1] = 1
	truth.Below("big frame", "chan receive")
	n := <-c
	return n + int(room[n])
}

//go:noinline
func recurse(n int) int {
	if n == 0 {
		c := never()
		truth.Below("recursion", "chan receive")
		return <-c
	}
	return recurse(n-1) + 1
}

// Each level is two logical frames in one physical one: cuts fall into the middle.
//
//go:noinline
func recurseInlined(n int) int {
	return stepInlined(n) + 1
}

func stepInlined(n int) int {
	if n == 0 {
		return recurse(0)
	}
	return recurseInlined(n-1) * 2
}
