// SPDX-License-Identifier: Apache-2.0

package main

import "sync"

type shard struct {
	mu sync.Mutex
	m  map[string]int
}

type table struct {
	shards []shard
	byName map[string]*shard
}

//go:noinline
func (t *table) of(key string) *shard { return &t.shards[len(key)%len(t.shards)] }

//go:noinline
func (t *table) update(key string, s *spot) {
	sh := t.of(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m[key]++
	s.here()
}

//go:noinline
func (t *table) updateInline(key string, s *spot) {
	sh := &t.shards[len(key)%len(t.shards)]
	sh.mu.Lock()
	sh.m[key]++
	s.here()
	sh.mu.Unlock()
}

func newTable() *table {
	t := &table{shards: make([]shard, 4), byName: map[string]*shard{}}
	for i := range t.shards {
		t.shards[i].m = map[string]int{}
		t.byName[string(rune('a'+i))] = &t.shards[i]
	}
	return t
}

//go:noinline
func unlockLater(mu *sync.Mutex, n *int) {
	*n++
	mu.Unlock()
}

//go:noinline
func withLock(mu *sync.Mutex, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

//go:noinline
func tryUntil(mu sync.Locker, try func() bool) {
	for !try() {
		mu.Lock()
		mu.Unlock()
	}
}

var initial struct {
	mu sync.Mutex
	n  int
}

func init() {
	initial.mu.Lock()
	initial.n = 1
	initial.mu.Unlock()
}

// more are ways to lock that services have.
func more() {
	t := newTable()
	other("a shard, by a function", &t.shards[2].mu, &t.shards[2].mu, func(s *spot) { t.update("ab", s) })
	other("a shard, by its index", &t.shards[3].mu, &t.shards[3].mu, func(s *spot) { t.updateInline("abc", s) })
	named := t.byName["b"]
	other("a shard, by its name", &named.mu, &named.mu, func(s *spot) {
		sh, ok := t.byName["b"]
		if !ok {
			return
		}
		sh.mu.Lock()
		defer sh.mu.Unlock()
		s.here()
	})
	other("of a variable that init has used", &initial.mu, &initial.mu, func(s *spot) {
		initial.mu.Lock()
		initial.n++
		s.here()
		initial.mu.Unlock()
	})
	mutex("unlocked by a helper that is deferred", func(s *spot) {
		n := 0
		s.mu.Lock()
		defer unlockLater(&s.mu, &n)
		s.here()
	})
	mutex("a function that is run with it", func(s *spot) { withLock(&s.mu, s.here) })
	mutex("a closure that is run with it", func(s *spot) {
		withLock(&s.mu, func() {
			s.extra = 1
			s.here()
		})
	})
	mutex("by closures made in a loop", func(s *spot) {
		var run []func()
		for _, l := range []*sync.Mutex{new(sync.Mutex), &s.mu} {
			l := l
			run = append(run, func() {
				l.Lock()
				defer l.Unlock()
				if l == &s.mu {
					s.here()
				}
			})
		}
		for _, f := range run {
			f()
		}
	})
	mutex("passed through a channel", func(s *spot) {
		locks := make(chan *sync.Mutex, 1)
		s.mu.Lock()
		locks <- &s.mu
		l := <-locks
		s.here()
		l.Unlock()
	})
	mutex("a lock of a map of interfaces", func(s *spot) {
		locks := map[string]sync.Locker{"a": &s.mu, "b": new(sync.Mutex)}
		l := locks["a"]
		l.Lock()
		defer l.Unlock()
		s.here()
	})
	mutex("until it is locked", func(s *spot) {
		for n := 0; ; n++ {
			s.mu.Lock()
			if n == 2 {
				break
			}
			s.mu.Unlock()
		}
		defer s.mu.Unlock()
		s.here()
	})
	mutex("for ever", func(s *spot) {
		s.mu.Lock()
		s.holdersAre()
		go s.gone()
		select {}
	})
	mutex("several, in a loop", func(s *spot) {
		all := []*sync.Mutex{new(sync.Mutex), &s.mu, new(sync.Mutex)}
		for _, l := range all {
			l.Lock()
		}
		s.here()
		for _, l := range all {
			l.Unlock()
		}
	})
	two := newTable()
	other("all shards, in a loop", &two.shards[1].mu, &two.shards[1].mu, func(s *spot) {
		for i := range two.shards {
			two.shards[i].mu.Lock()
		}
		s.here()
		for i := range two.shards {
			two.shards[i].mu.Unlock()
		}
	})
	rwmutex("a map under a read lock, in a method", writer, func(s *spot) {
		readUnder(&s.rw, map[string]int{"a": 1}, s)
	})
	rwmutex("locked for reading, and again", writer, func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		readUnder(&s.rw, map[string]int{"a": 1}, s)
	})
}

//go:noinline
func readUnder(rw *sync.RWMutex, m map[string]int, s *spot) int {
	rw.RLock()
	defer rw.RUnlock()
	n := m["a"]
	s.here()
	return n
}
