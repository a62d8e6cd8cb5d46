// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines that are runnable but do not run, for as long as one looks.
// There is one P, and main keeps it in a loop of assembly that nothing can preempt:
// the others have never run, or gave way, or were preempted where they stood.
//
// Run it with GOMAXPROCS=1.
package main

import (
	"runtime"
	"subjects/truth"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// hold waits for signals for ever, without the scheduler's knowledge. See hold_amd64.s.
func hold()

func init() {
	runtime.LockOSThread() // main stays on the main thread, which gets SIGQUIT
}

type worker struct{ n int }

func (w *worker) run(name string, n int) { w.n++ }
func (w worker) copyRun()                { spun++ }

var (
	started int32
	spun    int
)

// spinOuter and spinInner never return and call nothing: preempted by a signal only.
func spinOuter() {
	truth.Within("preempted in a loop", "main.spinInner")
	spinInner(&started)
	spun++
}

//go:noinline
func spinInner(at *int32) {
	atomic.AddInt32(at, 1)
	n := 0
	for {
		n++
		if n < 0 {
			spun = n
		}
	}
}

// spinCalling can be preempted where it calls: at the prologue, in runtime.morestack.
func spinCalling() {
	truth.Within("preempted where it calls")
	calling(&started)
}

//go:noinline
func calling(at *int32) {
	atomic.AddInt32(at, 1)
	for {
		spun += callee(spun)
	}
}

//go:noinline
func callee(n int) int {
	var room [400]byte
	room[n&255] = 1
	return int(room[(n+1)&255]) + leaf(&room)
}

//go:noinline
func leaf(room *[400]byte) int { return int(room[7]) }

func yielding() {
	atomic.AddInt32(&started, 1)
	for {
		runtime.Gosched()
	}
}

func blockSIGURG() {
	set := uint64(1) << (uint(syscall.SIGURG) - 1)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, uintptr(unsafe.Pointer(&set)), 0, 8, 0, 0)
}

func main() {
	go spinOuter()
	go spinOuter()
	go spinCalling()
	go yielding()
	go func() {
		atomic.AddInt32(&started, 1)
		time.Sleep(time.Hour)
	}()
	for atomic.LoadInt32(&started) < 5 {
		runtime.Gosched()
	}
	// All five stand, and since main runs on the only P none of them does.
	for i := 0; i < 3; i++ {
		go neverRun()
	}
	go neverRunWith(1, "two", 3.0)
	w := &worker{}
	go w.run("name", 1)
	f := w.copyRun
	go f()
	go func() { spun++ }()
	time.AfterFunc(time.Hour, neverRun)
	truth.Within("main", "main.hold").Later(2).Thread()
	blockSIGURG()
	truth.Ready()
	hold()
}

func neverRun() { spun++ }

func neverRunWith(a int, b string, c float64) { spun += a + len(b) + int(c) }
