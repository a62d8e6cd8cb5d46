// SPDX-License-Identifier: Apache-2.0

package main

import "runtime"

// stays stands still in a deferred call, as a handler's that logs a panic, when those of f have been run.
//
//go:noinline
func stays(s *spot, f func()) {
	defer func() {
		s.gave()
		recover()
	}()
	f()
}

var none *int

//go:noinline
func breaks() { *none = 1 }

//go:noinline
func exits() { runtime.Goexit() }

//go:noinline
func isFalse(n int) bool { return n < 0 }

//go:noinline
func isTrue(n int) bool { return n >= 0 }

// options do not fit into registers.
type options struct {
	names  [5]string
	locked bool
}

//go:noinline
func prepare(o options) int { return len(o.names) }

//go:noinline
func finish(s *spot, o options) {
	if o.locked {
		s.mu.Unlock()
	}
}

//go:noinline
func find(locked bool) options { return options{locked: locked} }

// big has a flag far behind its beginning.
type big struct {
	bytes [1024]byte
	skip  bool
}

//go:noinline
func (b *big) fill() { b.skip = true }

// ended are goroutines whose deferred calls have been run, and flags that are not what they will be.
func ended() {
	for _, way := range []struct {
		name string
		end  func()
	}{{"a panic", breaks}, {"Goexit", exits}} {
		end := way.end
		given("unlocked by "+way.name, func(s *spot) {
			stays(s, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				end()
			})
		})
		given("unlocked by "+way.name+", behind a flag", func(s *spot) {
			stays(s, func() {
				locked := true
				s.mu.Lock()
				defer func() {
					if locked {
						s.mu.Unlock()
					}
				}()
				end()
				s.mu.Unlock()
				locked = false
			})
		})
	}
	mutex("in a deferred call of a panic", func(s *spot) {
		defer func() { recover() }()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.here()
		}()
		breaks()
	})
	beside("behind a flag of an argument", func(s *spot) {
		o := options{locked: isFalse(len(s.name))}
		if o.locked {
			s.mu.Lock()
		}
		prepare(options{locked: true})
		s.gave()
		finish(s, o)
	})
	beside("behind a flag of a result", func(s *spot) {
		if isFalse(len(s.name)) {
			s.mu.Lock()
		}
		find(true)
		s.gave()
		if find(false).locked {
			s.mu.Unlock()
		}
	})
	beside("behind a flag of an array", func(s *spot) {
		var skip [4]bool
		if isFalse(len(s.name)) {
			s.mu.Lock()
		}
		s.gave()
		for i := 0; i < len(s.name)&3; i++ {
			skip[i] = true
		}
		if !skip[0] {
			s.mu.Unlock()
		}
	})
	beside("behind a flag of something large", func(s *spot) {
		var b big
		if isFalse(len(s.name)) {
			s.mu.Lock()
		}
		s.gave()
		b.fill()
		if !b.skip {
			s.mu.Unlock()
		}
	})
	rwmutex("read again", writer, func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		readAgain(s)
	})
}

//go:noinline
func readAgain(s *spot) {
	s.here()
	s.rw.RLock()
	s.rw.RUnlock()
}
