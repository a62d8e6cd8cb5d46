// SPDX-License-Identifier: Apache-2.0

// Subject: lets the runtime record allocations, blocking and contention in calls of many kinds, and
// writes the profiles that runtime/pprof makes of it. Everything stands still once READY is printed.
//
//	profiled FOLDER MEMORY-RATE BLOCK-RATE MUTEX-FRACTION [unmeasured|uncollected]
//
// unmeasured: it writes none, so that nobody has asked how fast the clock is. uncollected: it writes
// what it has allocated when it is asked to.
package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Before anything of this package is allocated.
var _ = setRate()

// On each P, what the next sample is was chosen with the old rate: this is it, of the only P.
func setRate() bool {
	runtime.GOMAXPROCS(1)
	runtime.MemProfileRate = number(2)
	sink = make([]byte, 64<<20)
	return true
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

var (
	kept   []interface{}
	sink   interface{}
	more   []func() // of newer releases
	parked int
)

func keep(v interface{}) { kept = append(kept, v) }

// inner and outer are inlined, direct is not.
func inner(n int) []byte { return make([]byte, n) }
func outer(n int) []byte { return inner(n + 1) }

//go:noinline
func direct(n int) { keep(outer(n)); keep(inner(n)) }

type maker interface{ makes(n int) *[40]int }
type byValue struct{ n int }

func (v byValue) makes(n int) *[40]int { return new([40]int) }

// embedded has the method through a wrapper.
type embedded struct{ byValue }

//go:noinline
func deep(n int) {
	if n == 0 {
		keep(new([77]byte))
		return
	}
	deep(n - 1)
}

func allocate() {
	for i := 0; i < 300; i++ {
		direct(i * 7)
		sink = make([]int, i)
		keep(maker(embedded{}).makes(i))
		keep(maker(&embedded{}).makes(i))
		func() { keep(strings.Repeat("x", i)) }()
	}
	deep(10)
	deep(200)
	m := map[int]string{}
	for i := 0; i < 2000; i++ {
		m[i] = strconv.Itoa(i)
	}
	keep(m)
	sink = nil
}

// contended has somebody wait for the lock before it is unlocked.
func contended(mu sync.Locker, waiters func() bool) {
	done := make(chan bool)
	mu.Lock()
	go func() {
		mu.Lock()
		mu.Unlock()
		done <- true
	}()
	for !waiters() {
		runtime.Gosched()
	}
	mu.Unlock()
	<-done
}

func release(mu *sync.Mutex) { mu.Unlock() }

//go:noinline
func contendedInlined(mu *sync.Mutex, waiters func() bool) {
	done := make(chan bool)
	mu.Lock()
	go func() {
		mu.Lock()
		close(done)
		defer release(mu)
	}()
	for !waiters() {
		runtime.Gosched()
	}
	release(mu)
	<-done
}

// take and takes are inlined, as is between, which calls a function that is not.
func take(c chan int) int  { return <-c }
func takes(c chan int) int { return take(c) }

//go:noinline
func receive(c chan int) int { return takes(c) }

func between(mu *sync.Mutex, waiters func() bool) { contendedInlined(mu, waiters) }

//go:noinline
func around(mu *sync.Mutex, waiters func() bool) { between(mu, waiters) }

func block() {
	var mu sync.Mutex
	state := (*int32)(unsafe.Pointer(&mu))
	waiters := func() bool { return atomic.LoadInt32(state)>>3 > 0 }
	var rw sync.RWMutex
	rwState := (*int32)(unsafe.Pointer(&rw))
	for i := 0; i < 40; i++ {
		contended(&mu, waiters)
		around(&mu, waiters)
		contended(&rw, func() bool { return atomic.LoadInt32(rwState)>>3 > 0 })
	}
	c, d := make(chan int), make(chan int)
	go func() {
		for i := range c {
			d <- i
		}
		close(d)
	}()
	for i := 0; i < 50; i++ {
		c <- i
		select {
		case <-d:
		case <-time.After(time.Hour):
		}
	}
	close(c)
	<-d
	slow := make(chan int)
	go func() { time.Sleep(time.Millisecond); slow <- 1 }()
	receive(slow)
	var group sync.WaitGroup
	group.Add(1)
	go func() { time.Sleep(time.Millisecond); group.Done() }()
	group.Wait()
}

func park(name string) {
	c := make(chan int)
	truth.Below(name, "chan receive")
	<-c
}

func labelled(pairs ...string) {
	parked++
	go pprof.Do(context.Background(), pprof.Labels(pairs...), func(ctx context.Context) {
		park("labelled")
	})
}

//go:noinline
func parkDeep(n int) {
	if n == 0 {
		park("deep")
		return
	}
	parkDeep(n - 1)
}

func parkInlined() { park("inlined") }

type locker struct{ sync.Mutex }

func standStill() {
	for i := 0; i < 5; i++ {
		parked++
		go park("one of five")
		labelled("key", "value")
	}
	labelled("key", "another")
	labelled("b", "2", "a", "1", "empty", "")
	labelled("password", "correct horse")
	for _, depth := range []int{3, 20, 300} {
		parked++
		go parkDeep(depth)
	}
	parked += 3
	go parkInlined()
	go func() { func() { park("closure") }() }()
	var l locker
	l.Lock()
	go func() {
		truth.Below("lock", "semacquire|sync.Mutex.Lock")
		l.Lock()
	}()
	truth.Await(parked)
}

func write(name string) {
	f, err := os.Create(filepath.Join(os.Args[1], name))
	if err != nil {
		panic(err)
	}
	if err := pprof.Lookup(name).WriteTo(f, 0); err != nil {
		panic(err)
	}
	f.Close()
}

//go:noinline
func waits(done chan bool) { <-done }

// measured is how long somebody waited, at most.
func measured() time.Duration {
	done := make(chan bool)
	begin := time.Now()
	go func() {
		time.Sleep(50 * time.Millisecond)
		close(done)
	}()
	waits(done)
	return time.Since(begin)
}

func special() {
	if os.Args[5] == "unmeasured" {
		truth.EndWithStdin()
		truth.Say(map[string]int64{"took": int64(measured())})
		truth.Ready()
		select {}
	}
	allocate()
	truth.Ready()
	for b := make([]byte, 1); b[0] != '\n'; {
		if n, _ := os.Stdin.Read(b); n == 0 {
			os.Exit(0)
		}
	}
	write("heap")
	truth.Say(true)
	truth.EndWithStdin()
	select {}
}

func main() {
	runtime.SetBlockProfileRate(number(3))
	runtime.SetMutexProfileFraction(number(4))
	if len(os.Args) > 5 {
		special()
	}
	truth.EndWithStdin()
	allocate()
	block()
	for _, f := range more {
		f()
	}
	standStill()
	// What is allocated from here on is published by a later collection, which there is not.
	runtime.GC()
	runtime.GC()
	debug.SetGCPercent(-1)
	for _, name := range []string{"goroutine", "block", "mutex", "heap"} {
		write(name)
	}
	truth.Say(map[string]int{"kept": len(kept)})
	truth.Ready()
	select {}
}
