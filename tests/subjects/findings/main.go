// SPDX-License-Identifier: Apache-2.0

// Subject: something is wrong, or nearly: its argument says what. Everything stands still once READY is
// printed.
package main

import (
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"sync"
	"syscall"
	"time"
)

var (
	never   = make(chan int) // reachable, and nobody sends
	cases   = map[string]func(){}
	crowded = "semacquire|sync.Mutex.Lock|sync.RWMutex.Lock|sync.RWMutex.RLock"
)

const many = 12 // goroutines that wait

// crowd makes that many goroutines wait for the lock.
func crowd(n int, lock sync.Locker) {
	before := truth.Count()
	for i := 0; i < n; i++ {
		go func() {
			truth.Below("waits", crowded)
			lock.Lock()
			lock.Unlock()
		}()
	}
	truth.Await(before + n)
}

// parks runs f in a goroutine that states where it waits.
func parks(f func()) {
	before := truth.Count()
	go f()
	truth.Await(before + 1)
}

func ring(locks ...sync.Locker) {
	before := truth.Count()
	var all sync.WaitGroup
	all.Add(len(locks))
	for i := range locks {
		go func(mine, next sync.Locker) {
			mine.Lock()
			defer mine.Unlock()
			all.Done()
			all.Wait()
			truth.Below("waits", crowded)
			next.Lock()
			next.Unlock()
		}(locks[i], locks[(i+1)%len(locks)])
	}
	truth.Await(before + len(locks))
}

// holds makes a goroutine that has the lock call stay.
func holds(lock sync.Locker, stay func()) {
	parks(func() {
		lock.Lock()
		defer lock.Unlock()
		stay()
	})
}

var (
	a, b, c sync.Mutex
	rw      sync.RWMutex
	full    = make(chan int, 2)

	cond      *sync.Cond
	kept      map[string]chan int
	keptOpen  net.Listener
	mainWaits chan int
)

func init() {
	cases["cycle of two"] = func() { ring(&a, &b) }
	cases["cycle of three"] = func() { ring(&a, &b, &c); crowd(5, &b) }
	cases["cycle with an RWMutex"] = func() { ring(&rw, &a) }
	cases["locked twice"] = func() {
		parks(func() {
			a.Lock()
			defer a.Unlock()
			again()
		})
	}
	cases["read twice beside a writer"] = func() {
		step := make(chan bool)
		before := truth.Count()
		go func() {
			rw.RLock()
			defer rw.RUnlock()
			step <- true
			<-step
			readAgain()
		}()
		<-step
		crowd(1, &rw)
		step <- true
		truth.Await(before + 2)
	}
	cases["read, then written"] = func() {
		parks(func() {
			rw.RLock()
			defer rw.RUnlock()
			truth.Below("waits", crowded)
			rw.Lock()
			rw.Unlock()
		})
	}
	cases["held while it sends"] = func() {
		full <- 1
		full <- 2
		holds(&a, func() {
			truth.Below("sends", "chan send")
			full <- 3
		})
		crowd(many, &a)
	}
	cases["held at a nil channel"] = func() {
		holds(&a, func() {
			truth.Below("receives", "chan receive (nil chan)")
			<-(chan int)(nil)
		})
		crowd(2, &a)
	}
	cases["held at a nil channel, by way of another"] = func() {
		holds(&b, func() {
			truth.Below("receives", "chan receive (nil chan)")
			<-(chan int)(nil)
		})
		holds(&a, func() {
			truth.Below("waits", crowded)
			b.Lock()
			b.Unlock()
		})
		crowd(7, &a)
	}
	cases["read-held at a nil channel"] = func() {
		holds(rw.RLocker(), func() {
			truth.Below("receives", "chan receive (nil chan)")
			<-(chan int)(nil)
		})
		crowd(3, &rw)
	}
	cases["long: held while it listens"] = func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		holds(&a, func() {
			truth.Below("accepts", "IO wait")
			listener.Accept()
		})
		crowd(many, &a)
		waitLong()
	}
	cases["long: held while it reads"] = func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		there, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			panic(err)
		}
		holds(&a, func() {
			truth.Below("reads", "IO wait")
			there.Read(make([]byte, 1))
		})
		crowd(many, &a)
		truth.Say(map[string]interface{}{"peer": listener.Addr().String()})
		keptOpen = listener
		waitLong()
	}
	cases["sends to a nil channel"] = func() {
		for i := 0; i < 3; i++ {
			parks(func() {
				truth.Below("sends", "chan send (nil chan)")
				(chan int)(nil) <- 1
			})
		}
	}

	// They lock too many calls away to be seen.
	cases["held by one that is not seen to lock"] = func() {
		parks(func() {
			holdsPerhaps(&a, func() {
				truth.Below("receives", "chan receive (nil chan)")
				<-(chan int)(nil)
			})
		})
		crowd(many, &a)
	}
	cases["cycle of those that are not seen to lock"] = func() {
		before := truth.Count()
		var all sync.WaitGroup
		all.Add(2)
		for _, locks := range [][2]*sync.Mutex{{&a, &b}, {&b, &a}} {
			go func(mine, next *sync.Mutex) {
				holdsPerhaps(mine, func() {
					all.Done()
					all.Wait()
					truth.Below("waits", crowded)
					next.Lock()
					next.Unlock()
				})
			}(locks[0], locks[1])
		}
		truth.Await(before + 2)
	}

	cases["leaked"] = func() {
		for i := 0; i < 5; i++ {
			answer := make(chan int)
			parks(func() {
				truth.Below("sends", "chan send")
				answer <- 1
			})
		}
	}
	cases["leaked in a select"] = func() {
		one, other := make(chan int), make(chan int)
		parks(func() {
			truth.Below("selects", "select")
			select {
			case <-one:
			case other <- 1:
			}
		})
	}
	cases["leaked at a wait group"] = func() {
		parks(func() {
			var group sync.WaitGroup
			group.Add(2)
			ended := make(chan bool)
			go func() { group.Done(); ended <- true }()
			<-ended
			truth.Below("waits", "semacquire|sync.WaitGroup.Wait")
			group.Wait()
		})
	}
	cases["leaked at a lock"] = func() {
		// Not so small that it shares a block with something else.
		lock := new(struct {
			sync.Mutex
			next *int
			more [8]int
		})
		lock.Lock()
		crowd(2, lock)
	}

	// These are well.
	cases["well: main waits"] = func() {
		mainWaits = make(chan int)
	}
	cases["well: reachable"] = func() {
		kept = map[string]chan int{"a": make(chan int)}
		parks(func() {
			truth.Below("receives", "chan receive")
			<-kept["a"]
		})
		later := make(chan int)
		time.AfterFunc(time.Hour, func() { later <- 1 })
		parks(func() {
			truth.Below("receives", "chan receive")
			<-later
		})
	}
	cases["well: nothing"] = func() {}
	cases["well: a waiter that tried"] = func() {
		holds(&a, func() {
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
		})
		crowd(many, &a)
	}
	cases["well: held by one that runs"] = func() {
		locked := make(chan bool)
		go func() {
			a.Lock()
			locked <- true
			for n := 1; n != 0; n++ { // it computes
			}
		}()
		<-locked
		crowd(many, &a)
	}
	cases["well: held by one that reads"] = func() {
		here, there := pair()
		_ = there
		holds(&a, func() {
			truth.Below("reads", "IO wait")
			here.Read(make([]byte, 1))
		})
		crowd(many, &a)
	}
	cases["well: held until a timer fires"] = func() {
		timer := time.NewTimer(time.Hour)
		holds(&a, func() {
			truth.Below("receives", "chan receive")
			<-timer.C
		})
		crowd(many, &a)
	}
	cases["well: held while another is about to receive"] = func() {
		full <- 1
		full <- 2
		parks(func() {
			for range full {
				truth.Below("sleeps", "sleep")
				time.Sleep(time.Hour)
			}
		})
		holds(&a, func() {
			full <- 3
			truth.Below("sends", "chan send")
			full <- 4
		})
		crowd(many, &a)
	}
	cases["well: held while another selects"] = func() {
		full <- 1
		full <- 2
		parks(func() {
			for {
				truth.Below("sleeps", "sleep")
				time.Sleep(time.Hour)
				select {
				case <-full:
				case <-never:
				}
			}
		})
		holds(&a, func() {
			truth.Below("sends", "chan send")
			full <- 4
		})
		crowd(many, &a)
	}
	cases["well: few wait for one that sends"] = func() {
		full <- 1
		full <- 2
		holds(&a, func() {
			truth.Below("sends", "chan send")
			full <- 4
		})
		crowd(3, &a)
	}
	cases["well: in order"] = func() {
		holds(&a, func() {
			b.Lock()
			defer b.Unlock()
			truth.Below("sleeps", "sleep")
			time.Sleep(time.Hour)
		})
		holds(&c, func() {
			truth.Below("waits", crowded)
			a.Lock()
			b.Lock()
			b.Unlock()
			a.Unlock()
		})
		crowd(many, &b)
	}
	cases["well: a condition"] = func() {
		cond = sync.NewCond(&a)
		for i := 0; i < many; i++ {
			parks(func() {
				a.Lock()
				defer a.Unlock()
				truth.Below("waits", "sync.Cond.Wait")
				cond.Wait()
			})
		}
	}
	cases["well: for ever"] = func() {
		parks(func() {
			truth.Below("receives", "chan receive (nil chan)")
			<-(chan int)(nil)
		})
		parks(func() {
			truth.Below("waits", "select (no cases)")
			select {}
		})
	}
	cases["well: workers"] = func() {
		work := make(chan int)
		var done sync.WaitGroup
		for i := 0; i < 120; i++ {
			done.Add(1)
			parks(func() {
				defer done.Done()
				truth.Below("works", "chan receive")
				for range work {
				}
			})
		}
		parks(func() {
			truth.Below("waits", "semacquire|sync.WaitGroup.Wait")
			done.Wait()
		})
		parks(func() {
			truth.Below("receives", "chan receive")
			work <- <-never
		})
	}
}

// waitLong returns when the runtime knows of all that they have waited long. It notes when the
// collection before it ended.
func waitLong() {
	const long = 10500 * time.Millisecond
	if os.Getenv("COLLECTS_EVERY") == "never" {
		debug.SetGCPercent(-1)
		time.Sleep(long)
		return
	}
	runtime.GC()
	runtime.GC()
	if period, err := time.ParseDuration(os.Getenv("COLLECTS_EVERY")); err == nil {
		go func() {
			for {
				time.Sleep(period)
				runtime.GC()
			}
		}()
	}
	time.Sleep(long)
}

//go:noinline
func takes(lock *sync.Mutex) { takesFurther(lock) }

//go:noinline
func takesFurther(lock *sync.Mutex) { takesThere(lock) }

//go:noinline
func takesThere(lock *sync.Mutex) { lock.Lock() }

//go:noinline
func holdsPerhaps(lock *sync.Mutex, stay func()) {
	takes(lock)
	stay()
	lock.Unlock()
}

//go:noinline
func again() {
	truth.Below("waits", crowded)
	a.Lock()
	a.Unlock()
}

//go:noinline
func readAgain() {
	truth.Below("waits", crowded)
	rw.RLock()
	rw.RUnlock()
}

func pair() (net.Conn, net.Conn) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		panic(err)
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "pair")
		if ends[i], err = net.FileConn(file); err != nil {
			panic(err)
		}
	}
	return ends[0], ends[1]
}

func main() {
	truth.EndWithStdin()
	cases[os.Args[1]]()
	truth.Ready()
	if wait := mainWaits; wait != nil {
		mainWaits = nil
		<-wait
	}
	select {}
}
