// SPDX-License-Identifier: Apache-2.0

// Subject of the bench: swarm N makes N goroutines in mixed waits, six of their own frames
// deep, on some four hundred distinct stacks, with what its flags say besides, and then
// answers on standard output to the lines that it reads:
//
//	beat    forgets the longest gap that the heartbeat has seen
//	gap     prints it, in nanoseconds
//	gaps    prints when each longer one began (nanoseconds since 1970), and how long it was
//	renew   writes to all pages
//	stack   prints how long runtime.Stack(all) took, as the heartbeat felt it and as it was
//	        called, and whether there was room for all
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	bytesEach = 2000 // of a traceback, more than any here has
	worthNs   = 100_000
	gapsMax   = 1 << 16 // after which "gaps" misses some
)

var (
	at     int64 // goroutines that are about to wait
	never  = make(chan int)
	full   = make(chan int)
	lock   sync.Mutex
	shared sync.RWMutex
	begin  = time.Now()
	gap    int64
	gaps   [gapsMax]struct{ at, took int64 }
	noted  int64 // of gaps
	roomy  bool
)

func main() {
	gigabytes := flag.Int("heap", 0, "gigabytes of heap besides")
	huge := flag.Bool("huge", false, "the heap is of huge pages")
	threads := flag.Int("threads", 0, "threads that wait")
	mappings := flag.Int("mappings", 0, "mappings of one page")
	flag.BoolVar(&roomy, "roomy", false, "each stack has a frame of four kilobytes")
	flag.Parse()
	n, err := strconv.Atoi(flag.Arg(0))
	if err != nil {
		panic(err)
	}
	debug.SetGCPercent(800)
	fillHeap(*gigabytes, *huge)
	makeMappings(*mappings)
	startThreads(*threads)
	lock.Lock()
	shared.Lock()
	for i := 0; i < n; i++ {
		go one(i)
	}
	for atomic.LoadInt64(&at) < int64(n) {
		time.Sleep(time.Millisecond)
	}
	runtime.GC()
	debug.SetGCPercent(-1)
	go heartbeat()
	truth.Ready()
	serve(n)
}

// heartbeat looks at the clock all the time: whatever holds the process shows as a gap. It
// goes before others, where it may: that other programs are busy is not to show.
func heartbeat() {
	const fifo = 1 | 0x40000000 // SCHED_FIFO | SCHED_RESET_ON_FORK
	priority := int32(1)
	pause := syscall.Timespec{Nsec: 50_000}

	runtime.LockOSThread()
	syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, 0, fifo,
		uintptr(unsafe.Pointer(&priority)))
	last := time.Since(begin)
	for {
		syscall.Nanosleep(&pause, nil)
		now := time.Since(begin)
		note(last, int64(now-last))
		last = now
	}
}

func note(since time.Duration, took int64) {
	if took > atomic.LoadInt64(&gap) {
		atomic.StoreInt64(&gap, took)
	}
	if n := atomic.LoadInt64(&noted); took > worthNs && n < gapsMax {
		gaps[n].at, gaps[n].took = begin.UnixNano()+int64(since), took
		atomic.StoreInt64(&noted, n+1)
	}
}

func printGaps() {
	for _, g := range gaps[:atomic.LoadInt64(&noted)] {
		fmt.Print(g.at, " ", g.took, " ")
	}
	fmt.Println()
}

func serve(goroutines int) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch lines.Text() {
		case "beat":
			atomic.StoreInt64(&gap, 0)
			atomic.StoreInt64(&noted, 0)
			fmt.Println("ok")
		case "gap":
			fmt.Println(atomic.LoadInt64(&gap))
		case "gaps":
			printGaps()
		case "renew":
			renew()
			fmt.Println("ok")
		case "stack":
			stackAll(goroutines)
		}
	}
}

// stackAll has room for all: the pause, not the allocation, is what counts.
func stackAll(goroutines int) {
	buffer := make([]byte, (goroutines+1000)*bytesEach)
	atomic.StoreInt64(&gap, 0)
	before := time.Now()
	n := runtime.Stack(buffer, true)
	took := time.Since(before)
	time.Sleep(time.Millisecond)
	fmt.Println(atomic.LoadInt64(&gap), took.Nanoseconds(), n < len(buffer))
}

var seconds, thirds, fourths, fifths [3]func(int)

func init() {
	seconds = [3]func(int){second0, second1, second2}
	thirds = [3]func(int){third0, third1, third2}
	fourths = [3]func(int){fourth0, fourth1, fourth2}
	fifths = [3]func(int){fifth0, fifth1, fifth2}
}

func one(i int) {
	if roomy {
		withRoom(i)
		return
	}
	seconds[i%3](i)
}

//go:noinline
func withRoom(i int) {
	var room [4096]byte
	seconds[i%3](i)
	room[i%len(room)] = 1
	runtime.KeepAlive(&room)
}

func second0(i int) { thirds[i/3%3](i) }
func second1(i int) { thirds[i/3%3](i) }
func second2(i int) { thirds[i/3%3](i) }
func third0(i int)  { fourths[i/9%3](i) }
func third1(i int)  { fourths[i/9%3](i) }
func third2(i int)  { fourths[i/9%3](i) }
func fourth0(i int) { fifths[i/27%3](i) }
func fourth1(i int) { fifths[i/27%3](i) }
func fourth2(i int) { fifths[i/27%3](i) }
func fifth0(i int)  { wait(i) }
func fifth1(i int)  { wait(i) }
func fifth2(i int)  { wait(i) }

//go:noinline
func wait(i int) {
	atomic.AddInt64(&at, 1)
	switch i / 81 % 6 {
	case 0:
		<-never
	case 1:
		full <- i
	case 2:
		select {
		case <-never:
		case <-make(chan int):
		}
	case 3:
		lock.Lock()
	case 4:
		shared.RLock()
	case 5:
		time.Sleep(time.Duration(i%1000+3600) * time.Second)
	}
}
