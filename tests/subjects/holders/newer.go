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

// newer needs Go 1.18.
func newer() {
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
	b := &box[string]{value: "b"}
	other("in a generic type", &b.mu, &b.mu, func(s *spot) {
		b.with(func(string) { s.here() })
	})
}
