// SPDX-License-Identifier: Apache-2.0

// Command queued stands still with all its Ps held, in system calls that the runtime does not hear of:
// nothing of its state changes any more. What stands in the run queues, it has put there in order.
package main

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const processors = 3

var (
	arrived, created int32
	ran              int32
	never            chan int
	pipe, waited     [2]int
	ready            = [6]byte{'R', 'E', 'A', 'D', 'Y', '\n'}
)

// Nobody is to run these.
func few()   { atomic.AddInt32(&ran, 1) }
func crowd() { atomic.AddInt32(&ran, 1) }
func one()   { atomic.AddInt32(&ran, 1) }

// await keeps the P: nothing in it lets the scheduler have it.
//
//go:nosplit
func await(at *int32, n int32) {
	for atomic.LoadInt32(at) < n {
	}
}

//go:nosplit
func hold() {
	var b [1]byte
	for {
		syscall.RawSyscall(syscall.SYS_READ, uintptr(pipe[0]), uintptr(unsafe.Pointer(&b)), 1)
	}
}

// queue makes n goroutines when all Ps are held and the others before it have made theirs: who makes one may
// have to let others run, and before the last, nobody else is there.
//
//go:nosplit
func queue(turn int32, n int, f func()) {
	atomic.AddInt32(&arrived, 1)
	await(&arrived, processors)
	await(&created, turn)
	for i := 0; i < n; i++ {
		go f()
	}
	atomic.AddInt32(&created, 1)
}

func worker(turn int32, n int, f func()) {
	queue(turn, n, f)
	hold()
}

// locked waits, and so does its thread.
func locked(here chan int) {
	runtime.LockOSThread()
	here <- 1
	<-never
}

// called is in a system call that the runtime knows of: its P is taken away.
func called(here chan int) {
	var b [1]byte
	here <- 1
	syscall.Read(waited[0], b[:])
}

func start() {
	here := make(chan int)
	if syscall.Pipe(pipe[:]) != nil || syscall.Pipe(waited[:]) != nil {
		panic("no pipe")
	}
	go locked(here)
	<-here
	go called(here)
	<-here
	runtime.GOMAXPROCS(processors)
	go worker(0, 5, few)
	go worker(2, 300, crowd)
}

func main() {
	start()
	queue(1, 1, one)
	await(&created, processors)
	if atomic.LoadInt32(&ran) != 0 {
		// On a busy machine somebody had to let others run for all that.
		panic(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
	}
	syscall.RawSyscall(syscall.SYS_WRITE, 1, uintptr(unsafe.Pointer(&ready)), uintptr(len(ready)))
	hold()
}
