// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"os"
	"os/signal"
	"runtime"
	"subjects/truth"
	"sync"
	"syscall"
	"time"
)

func init() {
	cases = append(cases,
		func() { go receive(never()) },
		func() { go send(never()) },
		func() { go sendFull() },
		func() { go receiveNil() },
		func() { go sendNil() },
		func() { go rangeOver(never()) },
		func() { go selectTwo(never(), never()) },
		func() { go selectNone() },
		func() { go lockMutex() },
		func() { go lockRead() },
		func() { go lockWrite() },
		func() { go waitGroup() },
		func() { go waitCond() },
		func() { go waitOnce() },
		func() { go sleep() },
		func() { go ticker() },
		func() { time.AfterFunc(0, timerFunction) },
		func() { go accept() },
		func() { go readConnection() },
		func() { go readPipe() },
		func() { go notified() },
		func() { go lockedToThread() },
		func() { go blockingSyscall() },
		func() { go lockedSyscall() },
		startFinalizer,
	)
}

func receive(c chan int) {
	truth.Below("receive", "chan receive")
	<-c
}

func send(c chan int) {
	truth.Below("send", "chan send")
	c <- 1
}

func sendFull() {
	c := make(chan string, 2)
	c <- "one"
	c <- "two"
	truth.Below("send on a full channel", "chan send")
	c <- "three"
}

func receiveNil() {
	var c chan int
	truth.Below("receive from nil", "chan receive (nil chan)")
	<-c
}

func sendNil() {
	var c chan int
	truth.Below("send to nil", "chan send (nil chan)")
	c <- 1
}

func rangeOver(c chan int) {
	truth.Below("range over a channel", "chan receive")
	for range c {
	}
}

func selectTwo(a, b chan int) {
	truth.Below("select", "select")
	select {
	case <-a:
	case b <- 1:
	}
}

func selectNone() {
	truth.Below("select without cases", "select (no cases)")
	select {}
}

func lockMutex() {
	var mu sync.Mutex
	mu.Lock()
	truth.Below("mutex", "semacquire|sync.Mutex.Lock")
	mu.Lock()
}

func lockRead() {
	var mu sync.RWMutex
	mu.Lock()
	truth.Below("read lock", "semacquire|sync.RWMutex.RLock")
	mu.RLock()
}

func lockWrite() {
	var mu sync.RWMutex
	mu.RLock()
	truth.Below("write lock", "semacquire|sync.RWMutex.Lock")
	mu.Lock()
}

func waitGroup() {
	var wg sync.WaitGroup
	wg.Add(1)
	truth.Below("wait group", "semacquire|sync.WaitGroup.Wait")
	wg.Wait()
}

func waitCond() {
	c := sync.NewCond(&sync.Mutex{})
	c.L.Lock()
	truth.Below("cond", "sync.Cond.Wait")
	c.Wait()
}

func waitOnce() {
	var once sync.Once
	c := never()
	once.Do(func() {
		truth.Below("once", "chan receive")
		<-c
	})
}

func sleep() {
	truth.Below("sleep", "sleep")
	time.Sleep(100 * time.Hour)
}

func ticker() {
	t := time.NewTicker(100 * time.Hour)
	truth.Below("ticker", "chan receive")
	<-t.C
}

// timerFunction is started by the runtime's timers, not by a go statement of ours.
func timerFunction() {
	c := never()
	truth.Below("timer function", "chan receive")
	<-c
}

func accept() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	truth.Below("accept", "IO wait")
	l.Accept()
}

func readConnection() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 10)
	truth.Below("read from the network", "IO wait")
	c.Read(buf)
	runtime.KeepAlive(l) // the collector would close it, and with it the connection
}

func readPipe() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 10)
	truth.Below("read from a pipe", "IO wait")
	r.Read(buf)
	runtime.KeepAlive(w)
}

func notified() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	truth.Below("wait for a signal", "chan receive")
	<-c
}

func lockedToThread() {
	runtime.LockOSThread()
	c := never()
	truth.Below("locked to a thread", "chan receive")
	<-c
}

// blockedRead makes a system call that does not return; the scheduler does not know.
func blockedRead(fd int, name string) {
	var buf [1]byte
	truth.Below(name, "syscall")
	syscall.Read(fd, buf[:])
}

func blockingSyscall() {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	blockedRead(fds[0], "blocking system call")
}

func lockedSyscall() {
	runtime.LockOSThread()
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	blockedRead(fds[0], "blocking system call on a locked thread")
}

type finalized struct{ words [4]int }

//go:noinline
func makeGarbage() {
	x := &finalized{}
	runtime.SetFinalizer(x, finalizer)
}

func finalizer(x *finalized) {
	c := never()
	truth.Below("finalizer", "chan receive")
	<-c
}

func startFinalizer() {
	for !truth.Stated("finalizer") {
		makeGarbage()
		runtime.GC()
	}
}
