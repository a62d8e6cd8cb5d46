// SPDX-License-Identifier: Apache-2.0

// Subject whose main goroutine calls functions again and again, to be moved through them instruction
// by instruction. It states all values that their variables ever have.
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"syscall"
	"unsafe"
)

type two struct{ a, b int }

var (
	n    int
	sunk []interface{}
	line [1]byte
)

//go:noinline
func call() { n++ }

//go:noinline
func use(a, b int) { n += a + b }

//go:noinline
func useTwo(v two) { n += v.a + v.b }

//go:noinline
func useText(s string) { n += len(s) }

//go:noinline
func useAny(x interface{}) { sunk = append(sunk[:0], x) }

// Of w one field is needed only: its place in the frame has room for that one, though it is said as
// if it were all of it.
//
//go:noinline
func bare(x int) int {
	v := two{x, x + 1}
	w := v
	for i := 0; i < x; i++ {
		call()
		w.a += 5
		use(w.a, i)
	}
	return v.b + w.a
}

// A result that has a place in memory before anything is in it. It is set word by word.
//
//go:noinline
func result(x int) (v two) {
	defer call()
	v = two{x, x + 1}
	call()
	use(v.b, 3)
	return v
}

// What follows the compiler tells wrongly: these values are half old and half new at some
// instructions, in whole or in part of the time between two statements.
//
//go:noinline
func halfway(x int) {
	v := two{x, x + 1}
	call()
	v = two{v.a + 1000, v.b + 1000}
	call()
	v = two{v.a + v.a - v.a + 1000, v.b + 1000}
	call()
	useTwo(v)
	v = two{v.a + 1000, v.b + 1000}
	useTwo(v)
	call()
}

//go:noinline
func respilled(v two) int {
	call()
	v = two{v.a + 1000, v.b + 1000}
	call()
	useTwo(v)
	v = two{v.a + 1000, v.b + 1000}
	if n > 5 {
		useTwo(v)
	}
	return v.a
}

//go:noinline
func sliced(s string) int {
	call()
	useText(s)
	s = s[1:]
	call()
	useText(s)
	for len(s) > 4 {
		s = s[1:]
		useText(s)
	}
	return len(s)
}

//go:noinline
func retyped(x, y interface{}) interface{} {
	useAny(x)
	x = y
	useAny(x)
	x = n
	useAny(x)
	return x
}

func gained(by, times int) []string {
	var values []string
	for i := 0; i <= times; i++ {
		values = append(values, fmt.Sprint(two{1 + i*by, 2 + i*by}))
	}
	return values
}

func init() { runtime.LockOSThread() }

func main() {
	// Nobody else runs then, and it stays on its thread: what is told to give way goes on at once.
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	const text = "0123456"
	cut := []string{}
	for i := range text[:4] {
		cut = append(cut, text[i:])
	}
	truth.Say(map[string]map[string][]string{
		"bare":      {"v": {"{1 2}"}, "w": {"{1 2}", "{6 2}"}},
		"result":    {"v": {"{0 0}", "{1 0}", "{1 2}"}},
		"halfway":   {"v": gained(1000, 3)},
		"respilled": {"v": gained(1000, 2)},
		"sliced":    {"s": cut},
		"retyped":   {"x": {"uint8 5", "string five", "int"}, "y": {"string five"}},
	})
	truth.Ready()
	syscall.RawSyscall(syscall.SYS_READ, 0, uintptr(unsafe.Pointer(&line[0])), 1)
	runtime.UnlockOSThread()
	for {
		bare(1)
		result(1)
		halfway(1)
		respilled(two{1, 2})
		sliced(text)
		retyped(uint8(5), "five")
		generic()
	}
}
