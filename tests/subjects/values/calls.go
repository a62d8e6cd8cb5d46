// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

var called = object{} // what a system call was made with

// inCall waits in a system call; where that is made nobody states anything.
//
//go:noinline
func inCall(fd int, p []byte) {
	called["trap"] = uintptr(syscall.SYS_READ)
	called["a1"] = uintptr(fd)
	called["a2"] = uintptr(unsafe.Pointer(&p[0]))
	called["a3"] = uintptr(len(p))
	called = inStatement(called)
	state("main.inCall", object{"fd": fd, "p": p})
	n, _, err := syscall.Syscall(syscall.SYS_READ, uintptr(fd),
		uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	sink(fd, p, n, err)
}

// A parameter that is only passed on: when the call is made a register has it, and then nothing
// that one can rely on.
//
//go:noinline
func passes(n int, m int) int {
	stateOf("main.passed", object{"n": n, "m": m})
	state("main.passes", object{"n": n, "m": m})
	got := passed(n, m)
	sink(n, m)
	return got
}

//go:noinline
func passed(n int, m int) int {
	waitHere(n + m)
	return n + m
}

//go:noinline
func waitHere(n int) {
	<-never
	sink(n)
}

// A parameter that becomes another one: Go 1.16 to 1.21 may say that it is in both places.
//
//go:noinline
func renews(at fmt.Stringer, n int) {
	sink(at)
	at = renewed(at, 1)
	at, end := renewedTwice(at)
	defer end()
	for i := 0; i < n; i++ {
		sink(at)
		if i == 1 {
			state("main.renews", object{"at": at, "n": n, "i": i})
			<-never
		}
		sink(at, i)
	}
}

//go:noinline
func renewed(at fmt.Stringer, n int64) fmt.Stringer {
	return at.(time.Duration) + time.Duration(n)
}

//go:noinline
func renewedTwice(at fmt.Stringer) (fmt.Stringer, func()) {
	return renewed(at, 2), func() { sink(at) }
}

func startCalls() {
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		panic(err)
	}
	start(func() { inCall(pipe[0], make([]byte, 5)) })
	start(func() { passes(17, 3) })
	start(func() { renews(time.Second, 3) })
}
