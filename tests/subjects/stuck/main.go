// SPDX-License-Identifier: Apache-2.0

// Subject: its arguments say what is wrong with the program, or nearly: all of that at once. Everything
// stands still once READY is printed, and all have waited long.
package main

import (
	"context"
	"os"
	"runtime"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	many     = 12 // goroutines that wait
	veryMany = 12000
	locked   = "semacquire|sync.Mutex.Lock|sync.RWMutex.Lock|sync.RWMutex.RLock"
	group    = "semacquire|sync.WaitGroup.Wait"
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
		parks(func() { crosses(lock) })
	}
}

func crosses(lock sync.Locker) {
	truth.Below("waits", locked)
	lock.Lock()
	lock.Unlock()
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

	cases["unlocked, and nobody woken"] = func() {
		g.forget()
		crowd(3, &g.mu)
		// The lowest bit says that it is locked.
		atomic.AddInt32((*int32)(unsafe.Pointer(&g.mu)), -1)
	}

	cases["group of one that never ends"] = func() {
		e.group.Add(2)
		parks(func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			truth.Below("waits", group)
			e.group.Wait()
		})
		crowd(2, &e.mu)
		parks(func() {
			defer e.group.Done()
			truth.Below("receives", "chan receive (nil chan)")
			<-(chan int)(nil)
		})
		parks(func() {
			defer e.group.Done()
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
		})
	}
	cases["late"] = func() {
		for i := 0; i < 3; i++ {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			_ = cancel
			parks(func() { late(context.WithValue(ctx, key(i), i)) })
		}
	}
	cases["semaphore"] = func() {
		// As an errgroup has it.
		for i := 0; i < cap(slots); i++ {
			parks(func() { work(slots, func() { <-never }) })
		}
		for i := 0; i < many-1; i++ {
			parks(func() { work(slots, func() {}) })
		}
		parks(func() { sendsTwice(slots) })
	}

	// These are well.
	cases["semaphore of those that sleep"] = func() {
		for i := 0; i < cap(slots); i++ {
			parks(func() { work(slots, func() { time.Sleep(time.Hour) }) })
		}
		for i := 0; i < many; i++ {
			parks(func() { work(slots, func() {}) })
		}
	}
	cases["semaphore of one that is known"] = func() {
		slots <- struct{}{} // whose place that is, nothing says
		parks(func() { work(slots, func() { <-never }) })
		for i := 0; i < many; i++ {
			parks(func() { work(slots, func() {}) })
		}
	}
	cases["one shard of a slice"] = func() { hot(&table.shards[2].mu) }
	cases["one shard of an array"] = func() { hot(&array[3]) }
	cases["one shard of pointers"] = func() { hot(&pointers[5].mu) }
	cases["one shard of a map"] = func() { hot(&byName["c"].mu) }
	cases["one shard of a receiver"] = func() {
		t := &shardTable{make([]shard, 8)}
		for i := 0; i < many-1; i++ {
			parks(func() { t.use(2) })
		}
	}
	cases["two shards"] = func() {
		hot(&array[3])
		hot(&array[4])
	}
	cases["one shard that is there"] = func() {
		lazy[3] = &shard{}
		hot(&lazy[3].mu)
	}
	cases["one shard in all elements"] = func() { hot(&ring[0].mu) }
	cases["one lock of few"] = func() { hot(&few[1]) }
	cases["one shard of a slice, for few"] = func() { hotFor(many-3, &table.shards[2].mu) }
	cases["very many of one place"] = func() {
		for i := 0; i < veryMany; i++ {
			go func() { <-never }()
		}
	}
	cases["very many of two places"] = func() {
		for i := 0; i < veryMany/2; i++ {
			go func() { <-never }()
			go func() { <-never }()
		}
	}
	cases["workers that wait for work"] = func() {
		for i := 0; i < many; i++ {
			parks(func() {
				truth.Below("receives", "chan receive")
				<-slots
			})
		}
	}
	cases["group without Done"] = func() {
		e.group.Add(2)
		ended := make(chan bool)
		go func() { e.group.Done(); ended <- true }()
		<-ended
		parks(func() {
			truth.Below("waits", group)
			e.group.Wait()
		})
	}
	cases["group of one that may go on"] = func() {
		e.group.Add(1)
		parks(func() {
			truth.Below("waits", group)
			e.group.Wait()
		})
		parks(func() {
			defer e.group.Done()
			truth.Below("receives", "chan receive")
			<-never
		})
	}
	cases["in time, or cancelled, or over"] = func() {
		soon, cancel := context.WithTimeout(context.Background(), time.Hour)
		parks(func() { late(soon) })
		cancel()
		later, _ := context.WithTimeout(context.Background(), time.Hour)
		parks(func() { late(later) })
		done, _ := context.WithTimeout(context.Background(), time.Millisecond)
		parks(func() { dials(done) })
		parks(func() { cleansUp(done) })
	}
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
	// Those who wait were there before those who have the locks: one after the other is found to go on.
	cases["locks that become free in turn"] = func() {
		locks := make([]sync.Mutex, 150)
		gate := make(chan bool)
		for i := range locks {
			lock := &locks[i]
			go func() {
				<-gate
				crosses(lock)
			}()
		}
		parks(func() {
			locks[0].Lock()
			defer locks[0].Unlock()
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
		})
		for i := range locks[1:] {
			own, next := &locks[i+1], &locks[i]
			parks(func() {
				own.Lock()
				defer own.Unlock()
				crosses(next)
			})
		}
		before := truth.Count()
		close(gate)
		truth.Await(before + len(locks))
	}

	// This ends the process.
	cases["map race"] = mapRace
}

var (
	slots = make(chan struct{}, 2)
	never = make(chan int)
)

//go:noinline
func work(slots chan struct{}, f func()) {
	select {
	case slots <- struct{}{}:
	default:
		truth.Below("sends", "chan send")
		slots <- struct{}{}
	}
	defer func() { <-slots }()
	truth.Below("works", "chan receive|sleep")
	f()
}

// sendsTwice waits as one goroutine, whichever of the two goes on.
//
//go:noinline
func sendsTwice(slots chan struct{}) {
	truth.Below("sends", "select")
	select {
	case slots <- struct{}{}:
	case slots <- struct{}{}:
	}
}

type shard struct {
	name string
	mu   sync.Mutex
}

type shardTable struct{ shards []shard }

var (
	table    = &shardTable{make([]shard, 8)}
	array    [16]sync.RWMutex
	few      [3]sync.Mutex
	pointers = append([]*shard{{}, {}, {}, {}, {}, {}, nil}, seventh, seventh, seventh)
	seventh  = &shard{}
	again    = &shard{}
	lazy     [16]*shard
	ring     = [8]*shard{again, again, again, again, again, again, again, again}
	byName   = map[string]*shard{"a": {}, "b": {}, "c": {}, "d": {}}
)

// hot makes many wait for the lock of one that sleeps.
func hot(lock sync.Locker) { hotFor(many-2, lock) }

func hotFor(n int, lock sync.Locker) {
	parks(func() {
		lock.Lock()
		defer lock.Unlock()
		truth.Below("sleeps", "sleep")
		time.Sleep(time.Hour)
	})
	crowd(n, lock)
}

//go:noinline
func (t *shardTable) use(i int) {
	truth.Below("waits", locked+"|sleep")
	t.shards[i].mu.Lock()
	time.Sleep(time.Hour)
	t.shards[i].mu.Unlock()
}

type key int

//go:noinline
func uses(ctx context.Context) { kept = ctx }

var kept context.Context

// late has the context still in use.
//
//go:noinline
func late(ctx context.Context) {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	uses(ctx)
}

// dials needed it only before.
//
//go:noinline
func dials(ctx context.Context) {
	uses(ctx)
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
}

// cleansUp is about to end.
//
//go:noinline
func cleansUp(ctx context.Context) {
	defer func() {
		late(ctx)
	}()
	runtime.Goexit()
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
