// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"subjects/truth"
	"sync"
	"unsafe"
)

// holdersAre: the caller, which stands still elsewhere.
//
//go:noinline
func (s *spot) holdersAre() {
	s.holders = append(s.holders, truth.Goid())
}

//go:noinline
func (s *spot) take() { s.mu.Lock() }

//go:noinline
func (s *spot) release() { s.mu.Unlock() }

//go:noinline
func (s *spot) acquire() func() {
	s.mu.Lock()
	return s.mu.Unlock
}

type node struct {
	mu   sync.Mutex
	next *node
}

// passedOn are locked in one place and unlocked in another.
func passedOn() {
	mutex("by methods", func(s *spot) {
		s.take()
		s.here()
		s.release()
	})
	mutex("by methods, deferred", func(s *spot) {
		s.take()
		defer s.release()
		s.here()
	})
	mutex("unlocked by what locked it", func(s *spot) {
		defer s.acquire()()
		s.here()
	})
	mutex("unlocked by what locked it, later", func(s *spot) {
		unlock := s.acquire()
		s.here()
		unlock()
	})
	mutex("a method value", func(s *spot) {
		lock, unlock := s.mu.Lock, s.mu.Unlock
		lock()
		s.here()
		unlock()
	})
	mutex("method expressions", func(s *spot) {
		(*sync.Mutex).Lock(&s.mu)
		s.here()
		(*sync.Mutex).Unlock(&s.mu)
	})
	mutex("unlocked by the caller", func(s *spot) {
		locksOnly(s)
		s.mu.Unlock()
	})
	mutex("locked by the caller", func(s *spot) {
		s.mu.Lock()
		unlocksOnly(s)
	})
	mutex("unlocked by another goroutine", func(s *spot) {
		s.mu.Lock()
		token := make(chan bool)
		s.extra = token
		s.passed()
		token <- true
	}, func(s *spot) {
		token := s.extra.(chan bool)
		s.also = append(s.also, truth.Goid())
		s.gone2(token)
		s.mu.Unlock()
	})
	mutex("left by one that ended", func(s *spot) {
		s.mu.Lock()
		s.gone()
	})
	mutex("left by one that ended, beside one with another", func(s *spot) {
		s.mu.Lock()
		s.gone()
	}, func(s *spot) {
		mine := new(sync.Mutex)
		mine.Lock()
		defer mine.Unlock()
		s.held <- true
		<-never
	})
	mutex("left by one that ended, beside one that may unlock it", func(s *spot) {
		s.mu.Lock()
		s.gone()
	}, func(s *spot) {
		s.gave()
		if s.extra != nil {
			s.mu.Unlock()
		}
	})
	mutex("left by one that ended, beside one that has unlocked it", func(s *spot) {
		s.mu.Lock()
		if s.extra == nil {
			s.mu.Unlock()
		}
		s.gave()
		if s.extra != nil {
			s.mu.Unlock()
		}
	}, func(s *spot) {
		s.mu.Lock()
		s.gone()
	})
	mutex("left by one that ended, beside one that released it for a while", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.mu.Unlock()
		s.gave()
		s.mu.Lock()
	}, func(s *spot) {
		s.mu.Lock()
		s.gone()
	})
	mutex("held beside one that released it for a while", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.mu.Unlock()
		s.held <- true
		<-never
		s.mu.Lock()
	}, func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.here()
	})
	hand := &spot{name: "hand over hand", held: make(chan bool)}
	list := &node{next: &node{next: &node{}}}
	hand.lock, hand.waiters = &list.next.mu, []sync.Locker{&list.next.mu}
	hand.begin(func(s *spot) {
		at := list
		at.mu.Lock()
		for at.next != nil {
			next := at.next
			next.mu.Lock()
			at.mu.Unlock()
			if next == list.next {
				s.here()
			}
			at = next
		}
		at.mu.Unlock()
	}, nil)
	once := &spot{name: "a sync.Once", held: make(chan bool)}
	var o sync.Once
	m, _ := reflect.TypeOf(o).FieldByName("m")
	once.lock, once.waiters = unsafe.Pointer(uintptr(unsafe.Pointer(&o))+m.Offset), []sync.Locker{onceLocker{&o}}
	once.begin(func(s *spot) {
		o.Do(func() { s.here() })
	}, nil)
	condition := &spot{name: "beside one that waits for a condition", held: make(chan bool)}
	cond := sync.NewCond(&condition.mu)
	condition.lock, condition.waiters = &condition.mu, []sync.Locker{&condition.mu}
	condition.begin(func(s *spot) {
		cond.L.Lock()
		defer cond.L.Unlock()
		go func() {
			// Only when Wait has unlocked it.
			cond.L.Lock()
			s.here()
			cond.L.Unlock()
		}()
		cond.Wait()
	}, nil)
}

type onceLocker struct{ o *sync.Once }

func (l onceLocker) Lock()   { l.o.Do(func() {}) }
func (l onceLocker) Unlock() {}

//go:noinline
func (s *spot) gone2(token chan bool) {
	s.held <- true
	<-never
	<-token
}

//go:noinline
func locksOnly(s *spot) {
	s.mu.Lock()
	s.here()
}

//go:noinline
func unlocksOnly(s *spot) {
	s.here()
	s.mu.Unlock()
}
