// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"runtime"
)

func init() {
	cases = append(cases,
		func() { go panicking() },
		func() { go panickingDeep(5) },
		func() { go panickingTwice() },
		func() { go repanicking() },
		func() { go recovered() },
		func() { go recoveredAndGoneOn() },
		func() { go nilPointer(nil) },
		func() { go nilFunction(nil) },
		func() { go nilMap(nil) },
		func() { go outOfRange([]int{1}, 5) },
		func() { go divideByZero(0) },
		func() { go badAssertion(errors.New("x")) },
		func() { go nilReceiver(nil) },
		func() { go goexit() },
		func() { go goexitWhilePanicking() },
		func() { go panickingInGoexit() },
	)
}

func park(name string) {
	parkIt(never(), name)
}

func panicking() {
	defer park("deferred call of a panic")
	panic("on purpose")
}

//go:noinline
func panickingDeep(n int) {
	defer func() {
		if n == 5 {
			park("deferred call, frames above the panic")
		}
	}()
	if n == 0 {
		panic(errors.New("deep"))
	}
	panickingDeep(n - 1)
}

func panickingTwice() {
	defer func() {
		defer park("second panic in a deferred call")
		panic("second")
	}()
	panic("first")
}

func repanicking() {
	defer park("panic again after recover")
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
	}()
	panic("again and again")
}

func recovered() {
	defer func() {
		recover()
		park("after recover, still deferred")
	}()
	panic("recovered")
}

func recoveredAndGoneOn() {
	func() {
		defer func() { recover() }()
		panic("recovered")
	}()
	park("gone on after recover")
}

type object struct {
	pad   [64]int
	value int
}

//go:noinline
func nilPointer(o *object) int {
	defer park("nil pointer")
	return o.value + 1
}

//go:noinline
func nilFunction(f func()) {
	defer park("nil function")
	f()
}

//go:noinline
func nilMap(m map[string]int) {
	defer park("nil map")
	m["x"] = 1
}

//go:noinline
func outOfRange(s []int, n int) int {
	defer park("index out of range")
	return s[n]
}

//go:noinline
func divideByZero(n int) int {
	defer park("division by zero")
	return 10 / n
}

//go:noinline
func badAssertion(v interface{}) int {
	defer park("bad type assertion")
	return v.(int)
}

// The wrapper (*server).value finds the nil: runtime.panicwrap is called by it.
//
//go:noinline
func nilReceiver(s *server) {
	defer park("nil receiver of a wrapper")
	throughInterface(s)
}

func goexit() {
	defer park("deferred call of Goexit")
	runtime.Goexit()
}

func goexitWhilePanicking() {
	defer park("Goexit while panicking")
	defer runtime.Goexit()
	panic("overtaken by Goexit")
}

func panickingInGoexit() {
	defer park("panic while in Goexit")
	defer func() { panic("late") }()
	runtime.Goexit()
}
