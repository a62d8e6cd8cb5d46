// SPDX-License-Identifier: Apache-2.0

// parks waits, when it has read a byte, for something that never comes. It says beforehand what.
//
// usage: parks receive|select|mutex
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"sync"
	"syscall"
	"unsafe"
)

var (
	line    [1]byte
	mu      sync.Mutex
	first   = make(chan int)
	second  = make(chan int)
	waiting = map[string]func(){
		"receive": func() { <-first },
		"select": func() {
			select {
			case <-first:
			case second <- 1:
			}
		},
		"mutex": mu.Lock,
	}
)

type note struct{ text string }

// The note that main keeps is in the heap.
var escaped *note

func init() {
	runtime.LockOSThread()
}

func main() {
	// Nobody else runs when it reads: those of the runtime have parked, and it has the only P.
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	for i := 0; i < 100; i++ {
		runtime.Gosched()
	}
	mu.Lock()
	address := map[string]string{"receive": fmt.Sprintf("%p", first), "mutex": fmt.Sprintf("%p", &mu)}
	truth.Say(map[string]string{"address": address[os.Args[1]]})
	truth.Ready()
	wait := waiting[os.Args[1]]
	kept := &note{os.Args[0]}
	escaped = kept
	syscall.RawSyscall(syscall.SYS_READ, 0, uintptr(unsafe.Pointer(&line[0])), 1)
	wait()
	runtime.KeepAlive(kept)
}
