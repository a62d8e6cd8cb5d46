// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines whose threads are nearly always on another stack when one looks. Each
// keeps to a chain of functions that it states, and to one place of the runtime.
package main

import (
	"os"
	"runtime"
	"subjects/truth"
	"syscall"
	"time"
)

// callers is what the harness checks: who calls whom, "" for nobody.
var callers = map[string]string{
	"main.main":        "",
	"main.systemOuter": "",
	"main.systemInner": "main.systemOuter",
	"main.growOuter":   "",
	"main.growTop":     "",
	"main.grow":        "main.growTop",
	"main.signalOuter": "",
	"main.signalInner": "main.signalOuter",
	"main.exitOuter":   "",
	"main.short":       "",
	"main.wiredOuter":  "",
	"main.wired":       "",
	"main.clockOuter":  "",
	"main.clockInner":  "main.clockOuter",
}

func main() {
	runtime.GOMAXPROCS(12)
	truth.EndWithStdin()
	runtime.SetCPUProfileRate(100)
	go systemOuter()
	go growOuter()
	for i := 0; i < 3; i++ {
		go signalOuter()
		go exitOuter()
	}
	go wiredOuter()
	go clockOuter()
	truth.Say(map[string]interface{}{"callers": callers})
	truth.Ready()
	select {}
}

// systemOuter has the runtime write its stack: that is done on the system stack.
//
//go:noinline
func systemOuter() {
	buf := make([]byte, 1<<16)
	for {
		systemInner(60, buf)
	}
}

//go:noinline
func systemInner(n int, buf []byte) int {
	if n > 0 {
		return systemInner(n-1, buf) + 1
	}
	for i := 0; i < 1000; i++ {
		n += runtime.Stack(buf, false)
	}
	return n
}

// growOuter starts goroutines whose stacks grow: a move costs far more than the calls that
// made it necessary.
//
//go:noinline
func growOuter() {
	for {
		done := make(chan int)
		go growTop(done)
		<-done
	}
}

func growTop(done chan int) {
	grow(5000)
	done <- 1
}

//go:noinline
func grow(n int) int {
	if n == 0 {
		return 0
	}
	return grow(n-1) + 1
}

// signalOuter sends its own thread a signal, of those the one whose handler takes longest.
//
//go:noinline
func signalOuter() {
	runtime.LockOSThread()
	for {
		signalInner(60, uintptr(os.Getpid()), uintptr(syscall.Gettid()))
	}
}

//go:noinline
func signalInner(n int, pid, tid uintptr) int {
	if n > 0 {
		return signalInner(n-1, pid, tid) + 1
	}
	for i := 0; i < 1000; i++ {
		syscall.RawSyscall(syscall.SYS_TGKILL, pid, tid, uintptr(syscall.SIGPROF))
	}
	return n
}

// exitOuter starts goroutines that end at once.
//
//go:noinline
func exitOuter() {
	for {
		for i := 0; i < 30; i++ {
			go short()
		}
		runtime.Gosched()
	}
}

//go:noinline
func short() {}

// wiredOuter starts goroutines whose threads end with them.
//
//go:noinline
func wiredOuter() {
	done := make(chan int)
	for {
		for i := 0; i < 4; i++ {
			go wired(done)
		}
		for i := 0; i < 4; i++ {
			<-done
		}
	}
}

//go:noinline
func wired(done chan int) {
	runtime.LockOSThread()
	done <- 1
}

//go:noinline
func clockOuter() {
	for {
		clockInner()
	}
}

// clockInner is in the vDSO most of its time.
//
//go:noinline
func clockInner() {
	for i := 0; i < 1<<20; i++ {
		time.Now()
	}
}
