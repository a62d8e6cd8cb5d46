// SPDX-License-Identifier: Apache-2.0

// Subject: a library for C programs (-buildmode=c-shared, c-archive), with a Go runtime of
// its own. The program, host/host.c, leads its threads through several of them by turns.
package main

/*
#include <stdint.h>

typedef void (*function)(void *);

// A number: of a pointer cgo would make a function more.
static void call_function(function f, uintptr_t argument)
{
	f((void *)argument);
}
*/
import "C"

import (
	"runtime"
	"subjects/truth"
	"sync"
	"time"
)

var (
	mu      sync.Mutex
	records []*truth.Record
	library string
)

func main() {}

func state(r *truth.Record) *truth.Record {
	mu.Lock()
	records = append(records, r)
	mu.Unlock()
	return r
}

//export Start
func Start(name *C.char) {
	library = C.GoString(name)
	var lock sync.Mutex
	lock.Lock()
	go func() {
		state(truth.Below("in a channel", "chan receive"))
		<-make(chan int)
	}()
	go func() {
		never := make(chan int)
		state(truth.Below("in a select", "select"))
		select {
		case <-never:
		case never <- 1:
		}
	}()
	go func() {
		state(truth.Below("at a lock", "semacquire|sync.Mutex.Lock"))
		lock.Lock()
	}()
	go func() {
		state(truth.Below("asleep", "sleep"))
		time.Sleep(time.Hour)
	}()
}

// Call goes through Go to a function of C. With a name it is stated.
//
//export Call
func Call(f C.function, argument C.uintptr_t, name *C.char) {
	if name == nil {
		C.call_function(f, argument)
		return
	}
	state(truth.Below(C.GoString(name), "syscall")).Thread()
	C.call_function(f, argument)
}

// Spawn does the same as a goroutine of its own.
//
//export Spawn
func Spawn(f C.function, argument C.uintptr_t, name *C.char) {
	go func() {
		runtime.LockOSThread() // Call names the thread
		Call(f, argument, name)
	}()
}

//export Park
func Park(name *C.char) {
	state(truth.Below(C.GoString(name), "chan receive")).Thread()
	<-make(chan int)
}

//export Touch
func Touch() {}

// Announce waits until n callers have stated themselves, and says what they stated.
//
//export Announce
func Announce(n C.int) {
	truth.Await(int(n) + 4) // those of Start, too
	buf := make([]byte, 1<<20)
	truth.Say(map[string]interface{}{library: map[string]interface{}{
		"records": records, "shown": string(buf[:runtime.Stack(buf, true)]),
		"shown_by": truth.Goid(), "version": runtime.Version(),
	}})
}
