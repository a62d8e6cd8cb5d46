// SPDX-License-Identifier: Apache-2.0

// Command marking collects garbage and cannot end that: one goroutine holds its P, in a system call that the
// runtime does not hear of, so that its stack is not looked at. Another one allocates until it has to wait.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"unsafe"
)

var (
	pipe  [2]int
	held  int32
	waste []*[1 << 10]*int
	list  *node // takes a while to mark
)

type node struct{ next *node }

//go:nosplit
func hold() {
	var b [1]byte
	atomic.StoreInt32(&held, 1)
	for {
		syscall.RawSyscall(syscall.SYS_READ, uintptr(pipe[0]), uintptr(unsafe.Pointer(&b)), 1)
	}
}

func holder() {
	for !collecting() {
		runtime.Gosched()
	}
	hold()
}

func allocator() {
	for atomic.LoadInt32(&held) == 0 {
		runtime.Gosched()
	}
	os.Stdout.WriteString("READY\n")
	for {
		waste = append(waste[:len(waste)%1000], new([1 << 10]*int))
	}
}

func main() {
	if syscall.Pipe(pipe[:]) != nil {
		panic("no pipe")
	}
	for i := 0; i < 300000; i++ {
		list = &node{list}
	}
	runtime.GOMAXPROCS(3)
	debug.SetGCPercent(10)
	go holder()
	go allocator()
	for {
		runtime.GC()
	}
}
