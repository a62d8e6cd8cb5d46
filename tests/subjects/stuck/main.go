// SPDX-License-Identifier: Apache-2.0

// Subject: its arguments say what is wrong with the program, or nearly: all of that at once. Everything
// stands still once READY is printed, and all have waited long.
package main

import (
	"os"
	"runtime"
	"subjects/truth"
	"sync"
	"time"
)

const (
	many   = 12 // goroutines that wait
	locked = "semacquire|sync.Mutex.Lock|sync.RWMutex.Lock|sync.RWMutex.RLock"
	group  = "semacquire|sync.WaitGroup.Wait"
)

var cases = map[string]func(){}

// parks runs f in a goroutine that states where it waits.
func parks(f func()) {
	before := truth.Count()
	go f()
	truth.Await(before + 1)
}

// crowd makes that many goroutines wait for the lock.
func crowd(n int, lock sync.Locker) {
	for i := 0; i < n; i++ {
		parks(func() {
			truth.Below("waits", locked)
			lock.Lock()
			lock.Unlock()
		})
	}
}

// A service has what can be reached from everywhere.
type service struct {
	mu, other sync.Mutex
	group     sync.WaitGroup
	results   chan int
}

var a, b, c, d, e, g service

// send has the lock until somebody takes the result.
//
//go:noinline
func (s *service) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	truth.Below("sends", "chan send")
	s.results <- 1
}

// receive takes results as long as there are some.
//
//go:noinline
func (s *service) receive() {
	for {
		s.take()
		<-s.results
	}
}

//go:noinline
func (s *service) take() {
	truth.Below("waits", locked)
	s.mu.Lock()
	s.mu.Unlock()
}

//go:noinline
func (s *service) work() {
	defer s.group.Done()
	truth.Below("waits", locked)
	s.mu.Lock()
	s.mu.Unlock()
}

//go:noinline
func (s *service) waitForWork() {
	s.mu.Lock()
	defer s.mu.Unlock()
	truth.Below("waits", group)
	s.group.Wait()
}

//go:noinline
func (s *service) sleep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
}

//go:noinline
func (s *service) forget() {
	s.mu.Lock()
}

func init() {
	cases["lock and channel"] = func() {
		a.results = make(chan int)
		parks(a.send)
		parks(a.receive)
		crowd(3, &a.mu)
	}
	cases["lock and channel out of reach"] = func() {
		s := new(service)
		s.results = make(chan int)
		parks(s.send)
		parks(s.receive)
	}
	cases["lock and wait group"] = func() {
		b.group.Add(3)
		parks(b.waitForWork)
		parks(b.work)
		parks(b.work)
		parks(b.work)
	}
	cases["its own wait group"] = func() {
		c.group.Add(1)
		parks(func() {
			defer c.group.Done()
			truth.Below("waits", group)
			c.group.Wait()
		})
	}
	cases["never unlocked"] = func() {
		d.forget()
		crowd(3, &d.mu)
	}

	// These are well.
	cases["lock and channel, another one takes it later"] = func() {
		a.results = make(chan int)
		parks(a.send)
		parks(a.receive)
		parks(func() {
			for {
				truth.Below("sleeps", "sleep")
				time.Sleep(time.Hour)
				<-a.results
			}
		})
	}
	cases["lock and wait group of others"] = func() {
		b.group.Add(1)
		parks(c.sleep)
		parks(func() {
			b.other.Lock()
			defer b.other.Unlock()
			truth.Below("waits", group)
			b.group.Wait()
		})
		parks(func() {
			defer b.group.Done()
			truth.Below("waits", locked)
			c.mu.Lock()
			c.mu.Unlock()
		})
	}
	cases["unlocked by another one later"] = func() {
		d.forget()
		parks(func() {
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
			d.mu.Unlock()
		})
		crowd(3, &d.mu)
	}

	// This ends the process.
	cases["map race"] = mapRace
}

// waitLong returns when the runtime knows of all that they have waited long. It notes when the
// collection before it began.
func waitLong() {
	runtime.GC()
	runtime.GC()
	time.Sleep(10500 * time.Millisecond)
}

func main() {
	truth.EndWithStdin()
	for _, name := range os.Args[1:] {
		cases[name]()
	}
	waitLong()
	truth.Ready()
	select {}
}
