// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"sync"
	"time"
)

var errEmpty = errors.New("empty")

type account struct {
	mu      sync.Mutex
	balance int
}

type bank struct {
	sync.RWMutex
	accounts map[string]*account
	onChange func(name string)
}

type server struct {
	*bank
	name string
}

// group runs functions, no more than a few at a time, as errgroup's does.
type group struct {
	all    sync.WaitGroup
	places chan struct{}
}

func (g *group) run(f func() error) {
	g.places <- struct{}{}
	g.all.Add(1)
	go func() {
		defer func() {
			<-g.places
			g.all.Done()
		}()
		f()
	}()
}

// calls makes one call for all who ask at the same time.
type calls struct {
	mu   sync.Mutex
	made map[string]int
}

//go:noinline
func (c *calls) do(key string, f func() int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.made[key]; ok {
		return n
	}
	c.made[key] = f()
	return c.made[key]
}

//go:noinline
func (b *bank) locked(name string) (*account, func()) {
	a := b.accounts[name]
	a.mu.Lock()
	return a, a.mu.Unlock
}

//go:noinline
func (b *bank) transfer(from, to string, s *spot) error {
	b.RLock()
	defer b.RUnlock()
	src, dst := b.accounts[from], b.accounts[to]
	if src == nil || dst == nil {
		return errEmpty
	}
	src.mu.Lock()
	defer src.mu.Unlock()
	dst.mu.Lock()
	defer dst.mu.Unlock()
	src.balance--
	dst.balance++
	s.here()
	return nil
}

//go:noinline
func (b *bank) change(name string, n int) {
	b.Lock()
	b.accounts[name].balance = n
	if b.onChange != nil {
		b.onChange(name)
	}
	b.Unlock()
}

//go:noinline
func deeper(s *spot, n int) int {
	if n == 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.here()
		return 0
	}
	return deeper(s, n-1) + 1
}

func newBank() *bank {
	return &bank{accounts: map[string]*account{"a": {}, "b": {}, "c": {}}}
}

// often are what services do every day.
func often() {
	b := newBank()
	other("of two accounts, the second", &b.accounts["b"].mu, &b.accounts["b"].mu, func(s *spot) {
		b.transfer("a", "b", s)
	})
	c := newBank()
	other("two accounts under a read lock", &c.RWMutex, &c.RWMutex, func(s *spot) { c.transfer("a", "b", s) })
	d := newBank()
	other("a callback under the lock", &d.RWMutex, &d.RWMutex, func(s *spot) {
		d.onChange = func(string) { s.here() }
		d.change("a", 1)
	})
	e := newBank()
	other("with its unlocking returned", &e.accounts["c"].mu, &e.accounts["c"].mu, func(s *spot) {
		_, unlock := e.locked("c")
		defer unlock()
		s.here()
	})
	srv := &server{bank: newBank(), name: "server"}
	other("of an embedded type's embedded lock", &srv.RWMutex, &srv.RWMutex, func(s *spot) {
		srv.Lock()
		defer srv.Unlock()
		s.here()
	})
	mutex("in a group with a limit", func(s *spot) {
		g := &group{places: make(chan struct{}, 2)}
		g.run(func() error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.here()
			return nil
		})
		g.all.Wait()
	})
	f := &calls{made: map[string]int{}}
	other("one call for all", &f.mu, &f.mu, func(s *spot) {
		f.do("key", func() int { s.here(); return 1 })
	})
	mutex("where a recursion ends", func(s *spot) { deeper(s, 5) })
	mutex("in a switch", func(s *spot) {
		switch len(s.name) {
		case 0:
			s.extra = errEmpty
		case 11:
			s.mu.Lock()
			s.here()
			s.mu.Unlock()
		default:
			s.mu.Lock()
			s.mu.Unlock()
		}
	})
	mutex("behind a check that returns", func(s *spot) {
		s.mu.Lock()
		if s.extra != nil {
			s.mu.Unlock()
			return
		}
		s.here()
		s.extra = errEmpty
		s.mu.Unlock()
	})
	mutex("until a deadline", func(s *spot) {
		deadline := time.Now().Add(time.Hour)
		s.mu.Lock()
		defer s.mu.Unlock()
		for time.Now().Before(deadline) {
			s.here()
		}
	})
	mutex("of a lock that was passed by an interface", func(s *spot) {
		var state interface{} = &s.mu
		if l, ok := state.(sync.Locker); ok {
			l.Lock()
			s.here()
			l.Unlock()
		}
	})
	beside("a batch that locks for each item", func(s *spot) {
		for i := 0; i < 10; i++ {
			if i == 5 {
				s.gave()
			}
			func() {
				if i < 5 {
					return
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				s.extra = i
			}()
		}
	})
}
