// SPDX-License-Identifier: Apache-2.0

package main

import (
	"subjects/truth"
	"sync"
)

// beside makes two scenes of a goroutine that has not got the lock, although its code may lock and unlock
// it: another one holds it then, or has ended with it. Who took it did so first.
func beside(name string, run func(*spot)) {
	mutex(name+", held by another", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.here()
	}, run)
	mutex(name+", held by nobody", func(s *spot) {
		s.mu.Lock()
		s.gone()
	}, run)
}

//go:noinline
func ifAsked(s *spot, locks bool, f func()) {
	if locks {
		s.mu.Lock()
	}
	f()
	if locks {
		s.mu.Unlock()
	}
}

//go:noinline
func unlessAsked(s *spot, early bool, f func()) {
	s.mu.Lock()
	if early {
		s.mu.Unlock()
	}
	f()
	if !early {
		s.mu.Unlock()
	}
}

//go:noinline
func unlocksIfLocked(s *spot, locked bool) {
	s.gave()
	if locked {
		s.mu.Unlock()
	}
}

// counted may be locked again by who has it.
type counted struct {
	mu    sync.Mutex
	owner int64
	depth int
}

//go:noinline
func (c *counted) lock() {
	if id := truth.Goid(); c.owner != id {
		c.mu.Lock()
		c.owner = id
	}
	c.depth++
}

//go:noinline
func (c *counted) unlock() {
	if c.depth--; c.depth == 0 {
		c.owner = 0
		c.mu.Unlock()
	}
}

// keeper locks and unlocks in methods, and waits in none of them.
type keeper struct {
	mu   sync.Mutex
	jobs chan int
}

//go:noinline
func (k *keeper) serve(s *spot) {
	for {
		s.gave()
		k.mu.Lock()
		s.extra = nil
		k.mu.Unlock()
	}
}

//go:noinline
func (k *keeper) held(s *spot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s.here()
}

// doubtful are goroutines whose code leads to locks that they have not.
func doubtful() {
	beside("behind a flag", func(s *spot) { ifAsked(s, false, s.gave) })
	mutex("behind a flag that is set", func(s *spot) { ifAsked(s, true, s.here) })
	mutex("behind a number that is not 0", func(s *spot) {
		n := len(s.name)
		if n != 0 {
			s.mu.Lock()
		}
		s.here()
		if n != 0 {
			s.mu.Unlock()
		}
	})
	given("unlocked behind a flag of the caller", func(s *spot) { unlessAsked(s, true, s.gave) })
	mutex("not unlocked behind a flag", func(s *spot) { unlessAsked(s, false, s.here) })
	beside("to be unlocked behind a flag", func(s *spot) { unlocksIfLocked(s, false) })
	given("unlocked behind a flag", func(s *spot) {
		early := s.extra == nil
		s.mu.Lock()
		if early {
			s.mu.Unlock()
		}
		s.gave()
		if !early {
			s.mu.Unlock()
		}
	})
	given("unlocked before a deferred call that looks", func(s *spot) {
		unlocked := false
		s.mu.Lock()
		defer func() {
			if !unlocked {
				s.mu.Unlock()
			}
		}()
		s.mu.Unlock()
		unlocked = true
		s.gave()
	})
	given("locked again in a loop", func(s *spot) {
		for i := 0; i < 3; i++ {
			s.mu.Lock()
			s.extra = i
			s.mu.Unlock()
			if i == 1 {
				s.gave()
			}
		}
	})
	reentrant()
	beside("a loop of a service", func(s *spot) {
		for {
			s.gave()
			s.mu.Lock()
			s.extra = nil
			s.mu.Unlock()
		}
	})
	k := &keeper{jobs: make(chan int)}
	service := &spot{name: "a service and its worker", held: make(chan bool), lock: &k.mu, waiters: []sync.Locker{&k.mu}}
	service.begin(k.held, []func(*spot){k.serve})
}

func reentrant() {
	c := new(counted)
	s := &spot{name: "locked twice by its owner", held: make(chan bool), lock: &c.mu, waiters: []sync.Locker{&c.mu}}
	s.begin(func(s *spot) {
		c.lock()
		c.lock()
		s.here()
		c.unlock()
		c.unlock()
	}, nil)
	d := new(counted)
	s = &spot{name: "unlocked by its owner, left by one that ended", held: make(chan bool), lock: &d.mu, waiters: []sync.Locker{&d.mu}}
	s.begin(func(s *spot) {
		d.lock()
		d.unlock()
		s.gave()
	}, []func(*spot){func(s *spot) {
		d.lock()
		s.gone()
	}})
}
