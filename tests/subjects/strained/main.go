// SPDX-License-Identifier: Apache-2.0

// Subject: something is wrong with the state of the runtime, or nearly: its argument says what. It prints
// READY when that begins, and stays so.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

var (
	cases = map[string]func(){}
	mu    sync.Mutex
	spun  int64

	tickers []*time.Ticker
)

const crowd = 12 // goroutines that wait

func ready() {
	fmt.Println("READY")
}

// started returns when the goroutine runs that f is called in.
func started(f func(begun func())) {
	var begun int32
	go f(func() { atomic.StoreInt32(&begun, 1) })
	for atomic.LoadInt32(&begun) == 0 {
		runtime.Gosched()
	}
}

// A pipe that nobody writes to.
func pipe() int {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	return fds[0]
}

// rawRead is a system call that the scheduler does not know of.
//
//go:noinline
func rawRead(fd int) {
	var b [1]byte
	syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), 1)
}

//go:noinline
func read(fd int) {
	var b [1]byte
	syscall.Read(fd, b[:])
}

// spin has no call, so that only a signal interrupts it.
//
//go:noinline
func spin() {
	for n := 1; ; n++ {
		if n == 0 {
			return
		}
	}
}

// compute is interrupted every now and then.
//
//go:noinline
func compute() {
	for {
		step()
		runtime.Gosched()
	}
}

//go:noinline
func step() {
	for i := 0; i < 1000; i++ {
		spun += int64(i)
	}
	atomic.AddInt64(&spun, 1)
}

// waiters make a crowd wait for the lock. It counts them above its three flags.
func waiters() {
	for i := 0; i < crowd; i++ {
		go func() {
			mu.Lock()
			mu.Unlock()
		}()
	}
	for atomic.LoadInt32((*int32)(unsafe.Pointer(&mu)))>>3 != crowd {
		runtime.Gosched()
	}
}

// held makes a goroutine that has the lock call f.
func held(f func()) {
	started(func(begun func()) {
		mu.Lock()
		defer mu.Unlock()
		begun()
		f()
	})
	waiters()
}

// aWhile lets the monitor see who runs where, before the world is stopped.
func aWhile() {
	for begin := time.Now(); time.Since(begin) < 100*time.Millisecond; {
		runtime.Gosched()
	}
}

//go:noinline
func collect() {
	runtime.GC()
}

func expire() {}

type node struct {
	next *node
	data [6]uintptr
}

var (
	kept   *node
	litted [256]*node
	never  = make(chan int)
)

// keep makes objects of so many bytes that stay.
func keep(bytes int) {
	for i := 0; i < bytes/int(unsafe.Sizeof(node{})); i++ {
		kept = &node{next: kept}
	}
}

// litter makes so many goroutines allocate, again and again.
func litter(n int) {
	for i := 0; i < n; i++ {
		go func(i int) {
			for {
				litted[i] = &node{}
			}
		}(i)
	}
}

// deep has a stack that takes long to mark, which one alone can do.
//
//go:noinline
func deep(n int, begun func()) *node {
	if n == 0 {
		begun()
		<-never
		return nil
	}
	return deep(n-1, begun).next
}

// laterFinalizers queues some, and lets the runtime know of all that they have waited long.
func laterFinalizers() {
	runtime.GC()
	for i := 0; i < 300; i++ {
		runtime.SetFinalizer(&node{}, func(*node) { atomic.AddInt64(&spun, 1) })
	}
	aWhile()
	runtime.GC()
	aWhile()
	runtime.GC()
	runtime.GC()
}

func init() {
	cases["the world waits for a spin"] = func() { // with asyncpreemptoff=1
		started(func(begun func()) { begun(); spin() })
		aWhile()
		ready()
		collect()
	}
	cases["the world waits for a call"] = func() {
		fd := pipe()
		started(func(begun func()) { begun(); rawRead(fd) })
		aWhile()
		ready()
		collect()
	}
	cases["not preempted"] = func() {
		fd := pipe()
		started(func(begun func()) { begun(); rawRead(fd) })
		ready()
	}
	cases["a holder in a raw call"] = func() {
		fd := pipe()
		held(func() { rawRead(fd) })
		ready()
	}
	cases["a holder that computes"] = func() {
		held(compute)
		aWhile()
		runtime.GC()
		runtime.GC()
		ready()
	}
	cases["a holder in a call"] = func() {
		fd := pipe()
		held(func() { read(fd) })
		ready()
	}
	cases["a thread that cannot be woken"] = func() {
		go func() {
			// The parent cannot be woken until the child has gone: which the child does where the
			// runtime took its P meanwhile, as on a busy machine.
			for {
				pid, _, _ := syscall.Syscall6(syscall.SYS_CLONE, syscall.CLONE_VFORK|uintptr(syscall.SIGCHLD),
					0, 0, 0, 0, 0)
				for pid == 0 {
					syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
					syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0)
				}
			}
		}()
		ready()
	}
	cases["as many threads as there may be"] = func() {
		debug.SetMaxThreads(130)
		fd := pipe()
		for i := 0; i < 118; i++ {
			go read(fd)
		}
		ready()
	}
	cases["a thousand threads"] = func() {
		fd := pipe()
		for i := 0; i < 1001; i++ {
			go read(fd)
		}
		ready()
	}
	cases["starved"] = func() {
		runtime.GOMAXPROCS(1)
		fd := pipe()
		for i := 0; i < 128; i++ {
			go compute()
		}
		aWhile() // a P that has never changed between goroutines does not say since when
		ready()
		rawRead(fd)
	}
	cases["tickers"] = func() {
		for i := 0; i < 2000; i++ {
			tickers = append(tickers, time.NewTicker(time.Hour))
		}
		ready()
	}
	cases["timers"] = func() {
		for i := 0; i < 110000; i++ {
			time.AfterFunc(time.Hour, expire)
		}
		ready()
	}
	cases["collects all the time"] = func() { // with GOGC=1
		keep(10 << 20)
		litter(8)
		ready()
	}
	cases["a storm of assists"] = func() { // with GOGC=1
		runtime.GOMAXPROCS(2)
		started(func(begun func()) { deep(1<<20, begun) })
		litter(256)
		ready()
	}
	cases["at its memory limit"] = func() { // of 24 MiB, without GOGC
		keep(20 << 20)
		litter(8)
		ready()
	}
	cases["a finalizer that waits"] = func() {
		runtime.SetFinalizer(&node{}, func(*node) { <-never })
		laterFinalizers()
		ready()
	}
	cases["well: finalizers"] = func() {
		laterFinalizers()
		ready()
	}
	cases["well: collects often"] = func() {
		keep(1 << 20)
		litter(1)
		ready()
	}

	cases["well: tickers"] = func() {
		for i := 0; i < 1200; i++ {
			go func() {
				for range time.Tick(time.Minute) {
				}
			}()
		}
		ready()
	}
	cases["well: timers"] = func() {
		for i := 0; i < 20000; i++ {
			time.AfterFunc(time.Hour, expire)
		}
		ready()
	}
	cases["well: many can run"] = func() {
		runtime.GOMAXPROCS(2)
		for i := 0; i < 1000; i++ {
			go compute()
		}
		ready()
	}

	cases["well: spins"] = func() {
		runtime.GOMAXPROCS(1) // it leaves some of the machine to others
		for i := 0; i < 4; i++ {
			go spin()
		}
		ready()
	}
	cases["well: calls"] = func() {
		fd := pipe()
		for i := 0; i < 40; i++ {
			go read(fd)
		}
		ready()
	}
	cases["well: a lock is passed on"] = func() {
		for i := 0; i < 4; i++ {
			go func() {
				for {
					mu.Lock()
					step()
					mu.Unlock()
					time.Sleep(100 * time.Microsecond)
				}
			}()
		}
		ready()
	}
}

func main() {
	truth.EndWithStdin()
	cases[os.Args[1]]()
	for {
		time.Sleep(time.Hour)
	}
}
