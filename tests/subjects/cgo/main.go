// SPDX-License-Identifier: Apache-2.0

// Subject: stacks that go from Go to C and back. The C functions keep a list of
// their own names (side.c); with the statements of the Go functions that is the truth.
package main

/*
#cgo CFLAGS: -O2 -fomit-frame-pointer
#cgo LDFLAGS: -lpthread
#include "side.h"
*/
import "C"

import (
	"runtime"
	"subjects/truth"
	"sync"
	"unsafe"
)

var (
	mu    sync.Mutex
	parks = map[*truth.Record]*C.struct_trail{}
)

// state ties a goroutine's statement to the names that C keeps of its thread.
func state(r *truth.Record) {
	trail := C.trail_mine()
	mu.Lock()
	parks[r.Thread()] = trail
	mu.Unlock()
}

func init() {
	// The main thread gets SIGQUIT. Were it in a callback, 1.15 would trace the parked
	// goroutine by the registers of the signal.
	runtime.LockOSThread()
}

func main() {
	truth.EndWithStdin()
	go readInC()
	go parkInCallback()
	go parkInCallbackTwice()
	go readInCallbackTwice()
	go panicInCallback()
	go parkInSort()
	go runInC()
	go signalInC()
	C.start_thread_into_go(0) // a thread of C that calls Go, which parks
	C.start_thread_into_go(1) // ... which calls C again
	C.start_thread(0)         // threads of C that never see Go: in read,
	C.start_thread(1)         // and in a signal handler
	go announce()
	truth.Below("main", "chan receive (nil chan)")
	<-(chan int)(nil)
}

func announce() {
	truth.Await(11) // goroutines that state themselves
	C.await_blocked(7)
	mu.Lock()
	for r, trail := range parks {
		r.C = names(trail)
	}
	mu.Unlock()
	for i := C.int(0); i < 2; i++ {
		trail := C.trail_of_thread(i)
		truth.Say(truth.Record{Name: "thread of C", Tid: int(trail.tid), C: names(trail),
			Frames: []truth.Frame{}})
	}
	truth.Announce(0)
}

func names(trail *C.struct_trail) []string {
	var list []string
	for i := int(trail.count) - 1; i >= 0; i-- {
		list = append(list, C.GoString(trail.names[i]))
	}
	return list
}

func readInC() {
	runtime.LockOSThread() // state names the thread
	state(truth.Below("in C", "syscall"))
	C.c_wait()
}

func runInC() {
	runtime.LockOSThread() // state names the thread
	state(truth.Below("running in C", "syscall"))
	C.c_run()
}

func signalInC() {
	runtime.LockOSThread() // state names the thread
	state(truth.Below("in a signal handler of C", "syscall"))
	C.c_signalled()
}

func parkInCallback() {
	C.c_call(0)
}

func parkInCallbackTwice() {
	C.c_call(2)
}

func readInCallbackTwice() {
	C.c_call(3)
}

func panicInCallback() {
	C.c_call(4)
}

func parkInSort() {
	C.c_sort()
}

//export goCalled
func goCalled(n C.int) {
	switch n {
	case 0:
		state(truth.Below("parked in a callback from C", "chan receive"))
		<-make(chan int)
	case 1:
		state(truth.Below("in C, called by a callback", "syscall"))
		C.c_wait()
	case 2, 3:
		again(n - 2)
	case 4:
		panics()
	}
}

//go:noinline
func again(n C.int) {
	C.c_call(n)
}

//go:noinline
func panics() {
	defer func() {
		state(truth.Below("panicking in a callback from C", "chan receive"))
		<-make(chan int)
	}()
	panic("in a callback")
}

//export goCompare
func goCompare(a, b unsafe.Pointer) C.int {
	state(truth.Below("parked in a callback of qsort", "chan receive"))
	<-make(chan int)
	return 0
}
