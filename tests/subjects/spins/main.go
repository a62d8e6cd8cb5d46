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
	name        string
	done        chan struct{}
	nonce, best uint64
}

type node struct{ next *node }

var (
	cases  = map[string]func(){}
	closed = make(chan int, 3)
	gone   = make(chan *node) // closed, too
	done   = make(chan struct{})
	open   = make(chan int)
	jobs   = make(chan int, 1)
	flag   int32
	limit  int32
	table  [8]int32
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

// skips does more only with what it has received.
//
//go:noinline
func skips(c chan *node) {
	begin()
	for {
		n := <-c
		if n == nil {
			continue
		}
		handle(1)
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
func checks() {
	begin()
	for {
		_ = table[atomic.LoadInt32(&flag)]
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
func watches() {
	begin()
	for {
		if atomic.LoadInt32(&flag) > atomic.LoadInt32(&limit) {
			panic("late")
		}
	}
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

// gated may work as long as the gate is closed.
//
//go:noinline
func (s *service) gated() {
	h := uint64(1)
	begin()
	for {
		<-s.done
		for i := 0; i < 1000; i++ {
			s.nonce++
			h = (h ^ s.nonce) * 0x100000001b3
			if h > s.best {
				s.best = h
			}
		}
	}
}

//go:noinline
func chooses(c chan int) {
	begin()
	for {
		x := c
		if atomic.LoadInt32(&flag) == 0 {
			x = closed
		}
		<-x
	}
}

//go:noinline
func leavesOut(done chan struct{}, in chan int) {
	n := 0
	for {
		select {
		case _, ok := <-done:
			if !ok {
				done = nil
			}
		case v, ok := <-in:
			if n += v; !ok {
				runtime.Goexit()
			}
		}
	}
}

// subscribers are told to leave out what is closed, again and again.
func subscribers() {
	begin()
	for {
		done, in := make(chan struct{}), make(chan int)
		for i := 0; i < 100; i++ {
			go leavesOut(done, in)
		}
		runtime.Gosched()
		close(done)
		for told := time.Now(); time.Since(told) < 5*time.Millisecond; {
			handle(1) // while they could run
		}
		runtime.Gosched()
		close(in)
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

// skipsUntil does so, too, with what is nil.
//
//go:noinline
func skipsUntil(c chan *node) {
	begin()
	for {
		if n := <-c; n != nil {
			handle(1)
		} else if atomic.LoadInt32(&flag) != 0 {
			return
		}
	}
}

// skipsSome leaves the loop in time.
//
//go:noinline
func skipsSome(c chan *node) {
	for i := 0; i < 1000; i++ {
		if n := <-c; n != nil {
			handle(1)
		}
	}
}

//go:noinline
func panicsLater(c chan int) {
	defer func() { recover() }()
	begin()
	for {
		if _, ok := <-c; !ok && atomic.LoadInt32(&flag) != 0 {
			panic("enough")
		}
	}
}

//go:noinline
func exitsLater(c chan int) {
	begin()
	for {
		if _, ok := <-c; !ok && atomic.LoadInt32(&flag) != 0 {
			runtime.Goexit()
		}
	}
}

func init() {
	// For ever.
	cases["receives"] = receives
	cases["receives two"] = func() { receivesTwo(closed) }
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
	cases["skips"] = func() { skips(gone) }
	cases["empty"] = empty
	cases["empty select"] = emptySelect
	cases["checks"] = checks
	// Perhaps.
	cases["selects"] = (&service{done: done}).selects
	cases["tries"] = func() { tries(open) }
	cases["looks"] = looks
	cases["watches"] = watches
	// For ever, or until somebody says so, which nothing proves.
	cases["selects two"] = func() { selectsTwo(closed, open) }
	cases["chooses"] = func() { chooses(open) }
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
	cases["skips until"] = func() { skipsUntil(gone) }
	cases["skips some"] = func() {
		begin()
		for {
			skipsSome(gone)
			handle(1)
		}
	}
	cases["panics later"] = func() { panicsLater(closed) }
	cases["exits later"] = func() { exitsLater(closed) }
	cases["gated"] = (&service{done: done}).gated
	cases["subscribers"] = subscribers
	cases["ticks"] = ticks
}

func main() {
	truth.EndWithStdin()
	runtime.GOMAXPROCS(1) // it leaves some of the machine to others
	ring.next = &node{ring}
	close(closed)
	close(gone)
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
