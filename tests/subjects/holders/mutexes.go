// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"sync"
)

var errNever = errors.New("never")

// mutexes are locked and unlocked by the same function.
func mutexes() {
	mutex("explicit", func(s *spot) {
		s.mu.Lock()
		s.here()
		s.mu.Unlock()
	})
	mutex("deferred", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.here()
	})
	mutex("deferred in a closure", func(s *spot) {
		n := 0
		s.mu.Lock()
		defer func() {
			n++
			s.mu.Unlock()
		}()
		s.here()
	})
	mutex("three calls out", func(s *spot) {
		s.mu.Lock()
		further(s, 3)
		s.mu.Unlock()
	})
	mutex("three calls out, deferred", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		further(s, 3)
	})
	mutex("locked again", func(s *spot) {
		s.mu.Lock()
		s.mu.Unlock()
		s.mu.Lock()
		s.here()
		s.mu.Unlock()
	})
	mutex("unlocked in every branch", func(s *spot) {
		if err := branches(s); err != nil {
			s.extra = err
		}
	})
	mutex("under a condition", func(s *spot) {
		under(s, true)
	})
	mutex("in a loop", func(s *spot) {
		for i := 0; i < 3; i++ {
			s.mu.Lock()
			if i == 2 {
				s.here()
			}
			s.mu.Unlock()
		}
	})
	mutex("deferred in a loop", func(s *spot) {
		var before [2]sync.Mutex
		for _, l := range []*sync.Mutex{&before[0], &s.mu, &before[1]} {
			l.Lock()
			defer l.Unlock()
		}
		s.here()
	})
	mutex("in a select", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		nobody := make(chan int)
		s.holdersAre()
		go s.gone()
		select {
		case <-nobody:
		case <-never:
		case <-never: // One goroutine all the same.
		}
	})
	mutex("while it panics", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		defer func() {
			s.here()
			recover()
		}()
		panic(errNever)
	})
	mutex("recovered before", func(s *spot) {
		s.mu.Lock()
		func() {
			defer func() { recover() }()
			panic(errNever)
		}()
		s.here()
		s.mu.Unlock()
	})
	mutex("two, the inner one released", func(s *spot) {
		inner := new(sync.Mutex)
		s.mu.Lock()
		inner.Lock()
		inner.Unlock()
		s.here()
		s.mu.Unlock()
	})
	mutex("two, the other released first", func(s *spot) {
		first := new(sync.Mutex)
		first.Lock()
		s.mu.Lock()
		first.Unlock()
		s.here()
		s.mu.Unlock()
	})
	mutex("many lines later", func(s *spot) {
		numbers := []int{3, 1, 2}
		s.mu.Lock()
		defer s.mu.Unlock()
		sum := 0
		for i, n := range numbers {
			if n > i {
				sum += n
			} else if sum > 100 {
				return
			}
		}
		s.extra = sum
		s.here()
	})
}

//go:noinline
func further(s *spot, calls int) int {
	if calls > 0 {
		return further(s, calls-1) + 1
	}
	s.here()
	return 0
}

//go:noinline
func branches(s *spot) error {
	s.mu.Lock()
	s.here()
	if s.extra == nil {
		s.mu.Unlock()
		return errNever
	}
	if len(s.holders) > 7 {
		s.mu.Unlock()
		return nil
	}
	s.extra = nil
	s.mu.Unlock()
	return errNever
}

//go:noinline
func under(s *spot, locks bool) {
	if locks {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	s.here()
}
