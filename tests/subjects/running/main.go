// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines that run. Each keeps to a chain of functions that it states, and is
// anywhere in it, or in what the runtime does on its behalf, when one looks: on the system
// stack, growing its stack, in a signal handler, being preempted, ending.
package main

import (
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var sink interface{}

// callers is what the harness checks: who calls whom. A goroutine's functions of this
// package are a path that ends at one that nobody calls; a closure counts as its function.
var callers = map[string]string{
	"main.main":           "",
	"main.spinOuter":      "",
	"main.spinInner":      "main.spinOuter",
	"main.callOuter":      "",
	"main.callMiddle":     "main.callOuter",
	"main.callInner":      "main.callMiddle",
	"main.callLeaf":       "main.callInner",
	"main.allocateOuter":  "",
	"main.allocateInner":  "main.allocateOuter",
	"main.growOuter":      "",
	"main.grow":           "main.growOuter",
	"main.panicOuter":     "",
	"main.panicInner":     "main.panicOuter",
	"main.sleepOuter":     "",
	"main.sleepInner":     "main.sleepOuter",
	"main.yieldOuter":     "",
	"main.yieldInner":     "main.yieldOuter",
	"main.lockOuter":      "",
	"main.lockInner":      "main.lockOuter",
	"main.signalOuter":    "",
	"main.signalInner":    "main.signalOuter",
	"main.exitOuter":      "",
	"main.short":          "",
	"main.wired":          "",
	"main.pingOuter":      "",
	"main.ping":           "main.pingOuter",
	"main.deferOuter":     "",
	"main.deferInner":     "main.deferOuter",
	"main.mapOuter":       "",
	"main.mapInner":       "main.mapOuter",
	"main.nanosleepOuter": "",
	"main.clockOuter":     "",
	"main.clockInner":     "main.clockOuter",
}

func main() {
	if len(os.Args) > 1 {
		map[string]func(){"raw": raw, "unstarted": unstarted, "zeroing": inGdb(zeroing), "recovering": inGdb(panicOuter),
			"shrinking": inGdb(shrinking)}[os.Args[1]]()
	}
	runtime.GOMAXPROCS(2)
	truth.EndWithStdin()
	a, b := make(chan int), make(chan int)
	var mu sync.Mutex
	go spinOuter()
	go callOuter()
	go allocateOuter()
	go growOuter()
	go panicOuter()
	go sleepOuter()
	go yieldOuter()
	go lockOuter(&mu)
	go lockOuter(&mu)
	go signalOuter()
	go exitOuter()
	go pingOuter(a, b)
	go pingOuter(b, a)
	go deferOuter()
	go mapOuter()
	go nanosleepOuter()
	go clockOuter()
	a <- 1
	truth.Say(map[string]interface{}{"callers": callers})
	truth.Ready()
	select {}
}

//go:noinline
func spinOuter() {
	spinInner()
	runtime.KeepAlive(&sink)
}

//go:noinline
func spinInner() {
	for n := 0; ; n++ {
		if n < 0 {
			sink = n
		}
	}
}

//go:noinline
func callOuter() {
	for {
		callMiddle(3)
	}
}

// callMiddle takes long, so that a stack nearly always has it.
//
//go:noinline
func callMiddle(n int) int {
	for i := 0; i < 1<<20; i++ {
		n += callInner(i)
	}
	return n
}

//go:noinline
func callInner(n int) int { return callLeaf(n) + 1 }

//go:noinline
func callLeaf(n int) int { return n & 1 }

//go:noinline
func allocateOuter() {
	for {
		allocateInner()
	}
}

//go:noinline
func allocateInner() {
	for i := 0; i < 1000; i++ {
		sink = make([]byte, i*17)
		sink = &struct{ a, b *int }{}
	}
}

//go:noinline
func growOuter() {
	for {
		done := make(chan int)
		go func() {
			grow(300)
			close(done)
		}()
		<-done
	}
}

// grow has too small an array for duffzero, around which the compiler keeps the frame pointer below the stack
// pointer: a preemption there has the runtime overwrite it, and the frame pointers of all calls from then on are
// wrong.
//
//go:noinline
func grow(n int) int {
	var room [64]byte
	room[n&31] = byte(n)
	if n == 0 {
		return 0
	}
	return grow(n-1) + int(room[(n+1)&31])
}

// zeroing is all that the program does when it is told so. It is not to be preempted.
func zeroing() {
	for {
		zero(100)
	}
}

//go:noinline
func zero(n int) int {
	var room [200]byte
	room[n&127] = byte(n)
	if n == 0 {
		return 0
	}
	return zero(n-1) + int(room[(n+1)&127])
}

// shrinking is all that the program does when it is told so: a stack that has been large when the collector meets it.
func shrinking() {
	go func() {
		for {
			runtime.GC()
		}
	}()
	for {
		shrinkInner()
	}
}

//go:noinline
func shrinkInner() {
	grow(300)
	for i := 0; i < 1000; i++ {
		grow(1)
	}
}

//go:noinline
func panicOuter() {
	for {
		panicInner(nil)
	}
}

//go:noinline
func panicInner(p *int) {
	for i := 0; i < 1000; i++ {
		func() {
			defer func() { recover() }()
			*p = 1
		}()
	}
}

//go:noinline
func sleepOuter() {
	for {
		sleepInner()
	}
}

//go:noinline
func sleepInner() {
	for i := 0; i < 1000; i++ {
		time.Sleep(time.Microsecond)
	}
}

//go:noinline
func yieldOuter() {
	for {
		yieldInner()
	}
}

//go:noinline
func yieldInner() {
	for i := 0; i < 100000; i++ {
		runtime.Gosched()
	}
}

//go:noinline
func lockOuter(mu *sync.Mutex) {
	for {
		lockInner(mu)
	}
}

//go:noinline
func lockInner(mu *sync.Mutex) {
	for i := 0; i < 100000; i++ {
		mu.Lock()
		mu.Unlock()
	}
}

// signalOuter sends its own process signals: some thread is in a handler often.
//
//go:noinline
func signalOuter() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	for {
		signalInner()
	}
}

//go:noinline
func signalInner() {
	for i := 0; i < 1000; i++ {
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	}
}

// exitOuter starts goroutines that end at once, wired to threads that end, too.
//
//go:noinline
func exitOuter() {
	for n := 0; ; n++ {
		done := make(chan int)
		go short(done)
		<-done
		if n%100 == 0 {
			go wired(done)
			<-done
		}
		if n%1000 == 0 {
			runtime.GC()
			debug.FreeOSMemory()
		}
	}
}

func short(done chan int) { done <- 1 }

func wired(done chan int) {
	runtime.LockOSThread()
	done <- 1
}

//go:noinline
func pingOuter(in, out chan int) {
	for {
		ping(in, out)
	}
}

//go:noinline
func ping(in, out chan int) {
	for i := 0; i < 100000; i++ {
		out <- <-in
	}
}

//go:noinline
func deferOuter() {
	for {
		deferInner()
	}
}

//go:noinline
func deferInner() {
	for i := 0; i < 1000; i++ {
		func() {
			for j := 0; j < 5; j++ {
				defer atomic.AddInt64(new(int64), 1)
			}
		}()
	}
}

//go:noinline
func mapOuter() {
	for {
		mapInner()
	}
}

//go:noinline
func mapInner() {
	m := map[int]string{}
	for i := 0; i < 100000; i++ {
		m[i] = "x"
	}
	sink = m
}

//go:noinline
func nanosleepOuter() {
	for {
		t := syscall.Timespec{Nsec: 1000}
		syscall.Nanosleep(&t, nil)
	}
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

// raw leaves one goroutine in a system call that the scheduler knows nothing of, one that
// it knows, one that spins, and one that sleeps in the kernel.
func raw() {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(4)
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	go rawRead(fds[0])
	go plainRead(fds[0])
	go spin()
	go longSleep()
	for truth.Wired() < 4 {
		runtime.Gosched()
	}
	truth.Ready()
	syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0) // no safe point from here on
	select {}
}

var buffer [1]byte

func rawRead(fd int) {
	runtime.LockOSThread()
	p := pointer(&buffer[0])
	blockSIGURG() // or the scheduler would interrupt the call again and again
	truth.Within("raw system call").In("running").Thread()
	syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), p, 1)
}

func plainRead(fd int) {
	runtime.LockOSThread()
	truth.Within("system call").In("syscall").Thread()
	syscall.Read(fd, buffer[:])
}

func spin() {
	runtime.LockOSThread()
	truth.Within("spinning", "main.spinInner").In("running").Thread()
	spinInner()
}

func longSleep() {
	runtime.LockOSThread()
	t := syscall.Timespec{Sec: 3600}
	truth.Within("nanosleep").In("syscall").Thread()
	syscall.Nanosleep(&t, nil)
}
