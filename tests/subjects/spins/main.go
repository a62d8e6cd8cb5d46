// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines that go round and round, or nearly, as its arguments say: all of that at once, on one
// P. It prints READY once all are at it.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"subjects/truth"
	"sync/atomic"
	"time"
)

type service struct {
	name string
	done chan struct{}
}

type node struct{ next *node }

var (
	cases  = map[string]func(){}
	closed = make(chan int, 3)
	done   = make(chan struct{})
	open   = make(chan int)
	jobs   = make(chan int, 1)
	flag   int32
	total  int64
	ring   = &node{}
	begun  int32
)

// begin says that the goroutine is about to begin.
func begin() { atomic.AddInt32(&begun, 1) }

//go:noinline
func handle(n int) { atomic.AddInt64(&total, int64(n)) }

//go:noinline
func receives() {
	begin()
	for {
		<-closed
	}
}

//go:noinline
func receivesTwo(c chan int) {
	sum := 0
	begin()
	for {
		v, ok := <-c
		if !ok {
			continue
		}
		sum += v
	}
}

//go:noinline
func (s *service) selects() {
	begin()
	for {
		select {
		case <-s.done:
		default:
		}
	}
}

//go:noinline
func selectsTwo(c chan int, work <-chan int) {
	sum := 0
	begin()
	for {
		select {
		case <-c:
			continue
		case n := <-work:
			sum += n
		}
	}
}

//go:noinline
func empty() {
	begin()
	for {
	}
}

//go:noinline
func emptySelect() {
	begin()
	for {
		select {
		default:
		}
	}
}

//go:noinline
func tries(work <-chan int) {
	begin()
	for {
		select {
		case n := <-work:
			handle(n)
		default:
		}
	}
}

//go:noinline
func looks() {
	begin()
	for atomic.LoadInt32(&flag) == 0 {
	}
	handle(1)
}

//go:noinline
func computes() {
	begin()
	for n := 1; ; n++ {
		if n == 0 {
			return
		}
	}
}

//go:noinline
func computesUntil(ctx context.Context) {
	begin()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		default:
		}
		if n&0xffff == 0 {
			handle(n)
		}
	}
}

//go:noinline
func computesAfter(gate chan struct{}) {
	begin()
	for {
		<-gate
		handle(1)
	}
}

//go:noinline
func follows(p *node) {
	begin()
	for p != nil {
		p = p.next
	}
}

//go:noinline
func waitsAfter(gate chan struct{}) {
	begin()
	for {
		<-gate
		handle(<-jobs)
	}
}

//go:noinline
func feeds() {
	begin()
	for {
		jobs <- 1
	}
}

//go:noinline
func endsSoon() {
	for {
		select {
		case <-done:
			return
		default:
		}
	}
}

//go:noinline
func ticks() {
	begin()
	for range time.Tick(100 * time.Microsecond) {
		select {
		case <-done:
			continue
		default:
		}
	}
}

//go:noinline
func leavesWhenClosed(c chan int) {
	for {
		if _, ok := <-c; !ok {
			return
		}
	}
}

// leavesLater does so once somebody says that it may.
//
//go:noinline
func leavesLater(c chan int) {
	begin()
	for {
		if _, ok := <-c; !ok && atomic.LoadInt32(&flag) != 0 {
			return
		}
	}
}

func init() {
	// For ever.
	cases["receives"] = receives
	cases["receives two"] = func() { receivesTwo(closed) }
	cases["selects"] = (&service{done: done}).selects
	cases["selects two"] = func() { selectsTwo(closed, open) }
	cases["in a closure"] = func() {
		var c chan int
		again := func() { c = closed }
		again()
		func() {
			begin()
			for {
				<-c
			}
		}()
		again()
	}
	cases["empty"] = empty
	cases["empty select"] = emptySelect
	// Perhaps.
	cases["tries"] = func() { tries(open) }
	cases["looks"] = looks
	// These are well.
	cases["computes"] = computes
	cases["computes until"] = func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		computesUntil(ctx)
	}
	cases["computes after"] = func() { computesAfter(done) }
	cases["follows"] = func() { follows(ring) }
	cases["waits after"] = func() {
		go feeds()
		waitsAfter(done)
	}
	cases["ends soon"] = func() {
		begin()
		for {
			endsSoon()
			leavesWhenClosed(closed)
			handle(1)
		}
	}
	cases["leaves later"] = func() { leavesLater(closed) }
	cases["ticks"] = ticks
}

func main() {
	truth.EndWithStdin()
	runtime.GOMAXPROCS(1) // it leaves some of the machine to others
	ring.next = &node{ring}
	close(closed)
	close(done)
	for _, name := range os.Args[1:] {
		go cases[name]()
	}
	for atomic.LoadInt32(&begun) < int32(len(os.Args)-1) {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("READY")
	for {
		time.Sleep(time.Hour)
	}
}
