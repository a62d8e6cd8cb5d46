// SPDX-License-Identifier: Apache-2.0

package main

import (
	"subjects/truth"
	"sync"
)

// gave says that the caller has not got the lock, whatever its code looks like, and stands still.
//
//go:noinline
func (s *spot) gave() {
	s.not = append(s.not, truth.Goid())
	s.held <- true
	<-never
}

// given makes two scenes of locks that run takes and gives up again: one that another goroutine
// holds then, and one that another took before it ended.
func given(name string, run func(*spot)) {
	mutex(name+", held by another", run, func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.here()
	})
	mutex(name+", held by nobody", run, func(s *spot) {
		s.mu.Lock()
		s.gone()
	})
}

// whole calls f with the lock, and is what unlocks it in the end.
//
//go:noinline
func whole(s *spot, f func(*spot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
	s.extra = nil
}

//go:noinline
func wholeWithoutDefer(s *spot, f func(*spot)) {
	s.mu.Lock()
	f(s)
	s.extra = nil
	s.mu.Unlock()
}

//go:noinline
func (s *spot) wait() {
	s.mu.Unlock()
	s.gave()
	s.mu.Lock()
}

//go:noinline
func giveUp(mu *sync.Mutex, s *spot) {
	mu.Unlock()
	s.gave()
	mu.Lock()
}

//go:noinline
func giveUpLocker(l sync.Locker, s *spot) {
	l.Unlock()
	s.gave()
	l.Lock()
}

//go:noinline
func waitAndRelock(s *spot) {
	s.mu.Unlock()
	defer s.mu.Lock()
	s.gave()
}

//go:noinline
func waitAndRelockInClosure(s *spot) {
	n := 0
	s.mu.Unlock()
	defer func() {
		n++
		s.mu.Lock()
	}()
	s.gave()
}

//go:noinline
func waitByMethods(s *spot) {
	s.release()
	s.gave()
	s.take()
}

//go:noinline
func waitInLoop(s *spot) {
	for s.extra == nil {
		s.mu.Unlock()
		s.gave()
		s.mu.Lock()
	}
}

//go:noinline
func waitDeeper(s *spot, calls int) int {
	if calls > 0 {
		return waitDeeper(s, calls-1) + 1
	}
	s.wait()
	return 0
}

//go:noinline
func waitInSelect(s *spot) {
	nobody := make(chan int)
	s.not = append(s.not, truth.Goid())
	s.mu.Unlock()
	go s.gone()
	select {
	case <-nobody:
	case <-never:
	case <-never: // One goroutine all the same.
	}
	s.mu.Lock()
}

//go:noinline
func unlocksAndWaits(s *spot) {
	s.mu.Unlock()
	s.gave()
}

//go:noinline
func without(mu *sync.Mutex, f func()) {
	mu.Unlock()
	defer mu.Lock()
	f()
}

// givenUp are locks that an inner frame gives up while it waits, as an outer one has locked them and
// unlocks them later.
func givenUp() {
	given("given up by a method", func(s *spot) { whole(s, (*spot).wait) })
	given("given up by a method, no defer", func(s *spot) { wholeWithoutDefer(s, (*spot).wait) })
	given("given up by a pointer", func(s *spot) {
		s.mu.Lock()
		giveUp(&s.mu, s)
		s.mu.Unlock()
	})
	given("given up by a pointer, deferred", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		giveUp(&s.mu, s)
	})
	given("given up as a sync.Locker", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		giveUpLocker(&s.mu, s)
	})
	given("given up until a deferred call", func(s *spot) { whole(s, waitAndRelock) })
	given("given up until a deferred closure", func(s *spot) { whole(s, waitAndRelockInClosure) })
	given("given up by calls", func(s *spot) { whole(s, waitByMethods) })
	given("given up by calls, no defer", func(s *spot) { wholeWithoutDefer(s, waitByMethods) })
	given("given up in a loop", func(s *spot) { whole(s, waitInLoop) })
	given("given up in a select", func(s *spot) { whole(s, waitInSelect) })
	given("given up three calls further", func(s *spot) {
		whole(s, func(s *spot) { waitDeeper(s, 3) })
	})
	given("given up by a closure", func(s *spot) {
		whole(s, func(s *spot) {
			func() {
				s.mu.Unlock()
				s.gave()
				s.mu.Lock()
			}()
		})
	})
	given("given up while a function runs", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		without(&s.mu, s.gave)
	})
	given("given up by a call, locked again by its caller", func(s *spot) {
		s.mu.Lock()
		unlocksAndWaits(s)
		s.mu.Lock()
		s.mu.Unlock()
	})
	given("to be locked later", func(s *spot) {
		s.gave()
		s.mu.Lock()
		s.mu.Unlock()
	})
	given("to be locked later, by a caller", func(s *spot) {
		unlocked(s)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.extra = nil
	})
	mutex("given up and taken again", func(s *spot) {
		whole(s, func(s *spot) {
			s.mu.Unlock()
			whole(s, (*spot).here)
			s.mu.Lock()
		})
	})
	mutex("another one given up", func(s *spot) {
		other := new(sync.Mutex)
		s.mu.Lock()
		defer s.mu.Unlock()
		other.Lock()
		without(other, s.here)
		other.Unlock()
	})
	mutex("waiting for a condition of another lock", func(s *spot) {
		cond := sync.NewCond(new(sync.Mutex))
		cond.L.Lock()
		defer cond.L.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.holdersAre()
		go func() {
			// Only when Wait has unlocked it.
			cond.L.Lock()
			cond.L.Unlock()
			s.gone()
		}()
		cond.Wait()
	})
	condition()
	rwGivenUp()
}

//go:noinline
func unlocked(s *spot) { s.gave() }

// condition is a lock that Cond.Wait has given up, which is a field, as is its condition.
func condition() {
	type queue struct {
		mu       sync.Mutex
		notEmpty *sync.Cond
	}
	q := new(queue)
	q.notEmpty = sync.NewCond(&q.mu)
	s := &spot{name: "given up by Cond.Wait, left by one that ended", held: make(chan bool),
		lock: &q.mu, waiters: []sync.Locker{&q.mu}}
	s.begin(func(s *spot) {
		q.mu.Lock()
		defer q.mu.Unlock()
		s.not = append(s.not, truth.Goid())
		go func() {
			q.mu.Lock()
			s.gone()
		}()
		for {
			q.notEmpty.Wait()
		}
	}, nil)
}

func rwGivenUp() {
	wait := func(s *spot) {
		s.rw.Unlock()
		s.gave()
		s.rw.Lock()
	}
	rwmutex("written, given up, written by another", writer, func(s *spot) {
		s.rw.Lock()
		defer s.rw.Unlock()
		wait(s)
	}, func(s *spot) {
		s.rw.Lock()
		s.here()
		s.rw.Unlock()
	})
	waitRead := func(s *spot) {
		s.rw.RUnlock()
		s.gave()
		s.rw.RLock()
	}
	rwmutex("read, given up, written by another", reader, func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		waitRead(s)
	}, func(s *spot) {
		s.rw.Lock()
		s.here()
		s.rw.Unlock()
	})
	rwmutex("read, given up, read by another", writer, func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		waitRead(s)
	}, func(s *spot) {
		s.rw.RLock()
		s.here()
		s.rw.RUnlock()
	})
	rwmutex("read, then written by hand", reader, func(s *spot) {
		s.rw.RLock()
		upgrade(s)
		s.rw.RUnlock()
	})
}

//go:noinline
func upgrade(s *spot) {
	s.rw.RUnlock()
	s.rw.Lock()
	s.here()
	s.rw.Unlock()
	s.rw.RLock()
}
