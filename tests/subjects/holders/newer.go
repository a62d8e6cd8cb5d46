// SPDX-License-Identifier: Apache-2.0

//go:build go1.18
// +build go1.18

package main

import "sync"

type box[T any] struct {
	value T
	mu    sync.Mutex
}

//go:noinline
func (b *box[T]) with(f func(T)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(b.value)
}

// cache is a generic type whose methods lock.
type cache[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

//go:noinline
func (c *cache[K, V]) get(k K, s *spot) V {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s.here()
	return c.m[k]
}

//go:noinline
func (c *cache[K, V]) load(k K, load func(K) V) V {
	c.mu.Lock()
	v := load(k)
	c.m[k] = v
	c.mu.Unlock()
	return v
}

// tried are locks that some have tried to lock.
func tried() {
	beside("tried in vain", func(s *spot) {
		if s.mu.TryLock() {
			defer s.mu.Unlock()
			s.extra = 1
		} else {
			s.gave()
		}
	})
	beside("tried in a loop", func(s *spot) {
		for !s.mu.TryLock() {
			s.gave()
		}
		s.extra = 1
		s.mu.Unlock()
	})
	mutex("TryLock in a loop", func(s *spot) {
		for !s.mu.TryLock() {
			s.extra = 1
		}
		s.here()
		s.mu.Unlock()
	}, func(s *spot) {
		for !s.mu.TryLock() {
			s.gave()
		}
		s.mu.Unlock()
	})
	mutex("TryLock, its result kept", func(s *spot) {
		ok := s.mu.TryLock()
		s.here()
		if ok {
			s.mu.Unlock()
		}
	})
	c := &cache[string, int]{m: map[string]int{}}
	other("a generic cache, read", &c.mu, &c.mu, func(s *spot) { c.get("a", s) })
	d := &cache[int, string]{m: map[int]string{}}
	other("a generic cache, written", &d.mu, &d.mu, func(s *spot) {
		d.load(1, func(int) string { s.here(); return "" })
	})
}

//go:noinline
func (b *box[T]) down(calls int) int {
	if calls > 0 {
		return b.down(calls-1) + 1
	}
	b.mu.Unlock()
	return 0
}

//go:noinline
func (b *box[T]) up(calls int) int {
	if calls > 0 {
		return b.up(calls-1) + 1
	}
	b.mu.Lock()
	return 0
}

// downIn gives up the lock of a generic type in a call that has returned.
func downIn(name string, more func(*spot, *box[string])) {
	b := &box[string]{value: "b"}
	s := &spot{name: "given up by a generic type's methods, held by " + name, held: make(chan bool), lock: &b.mu,
		waiters: []sync.Locker{&b.mu}}
	s.begin(func(s *spot) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.down(3)
		s.gave()
		b.up(3)
	}, []func(*spot){func(s *spot) { more(s, b) }})
}

//go:noinline
func unlockAny[L sync.Locker](l L) { l.Unlock() }

//go:noinline
func lockAny[L sync.Locker](l L) { l.Lock() }

// newer needs Go 1.18.
func newer() {
	downIn("another", func(s *spot, b *box[string]) { b.with(func(string) { s.here() }) })
	downIn("nobody", func(s *spot, b *box[string]) {
		b.mu.Lock()
		s.gone()
	})
	mutex("TryLock", func(s *spot) {
		if !s.mu.TryLock() {
			return
		}
		s.here()
		s.mu.Unlock()
	})
	mutex("TryLock, deferred", func(s *spot) {
		if s.mu.TryLock() {
			defer s.mu.Unlock()
			s.here()
		}
	})
	rwmutex("TryRLock", writer, func(s *spot) {
		if s.rw.TryRLock() {
			defer s.rw.RUnlock()
			s.here()
		}
	})
	tried()
	given("given up by generic functions", func(s *spot) {
		s.mu.Lock()
		defer s.mu.Unlock()
		unlockAny(&s.mu)
		s.gave()
		lockAny(&s.mu)
	})
	b := &box[string]{value: "b"}
	other("in a generic type", &b.mu, &b.mu, func(s *spot) {
		b.with(func(string) { s.here() })
	})
}
