// SPDX-License-Identifier: Apache-2.0

package main

import "sync"

var (
	global   sync.Mutex
	array    [4]sync.Mutex
	slice    = make([]sync.Mutex, 4)
	pointers = map[string]*sync.Mutex{"a": {}, "b": {}}
)

type embeds struct {
	name string
	sync.Mutex
}

type embedsPointer struct {
	*sync.Mutex
	n int
}

type deep struct {
	n     int
	inner struct {
		n  [3]int
		mu sync.Mutex
	}
}

// gate has methods of its own.
type gate struct {
	closed int
	mu     sync.Mutex
}

func (g *gate) Lock()   { g.mu.Lock(); g.closed++ }
func (g *gate) Unlock() { g.closed--; g.mu.Unlock() }

type locked interface {
	Lock()
	Unlock()
}

// found are locks that have to be found first.
func found() {
	other("global", &global, &global, func(s *spot) {
		global.Lock()
		s.here()
		global.Unlock()
	})
	other("in an array", &array[2], &array[2], func(s *spot) {
		for i := range array {
			if i == 2 {
				array[i].Lock()
				s.here()
				array[i].Unlock()
			}
		}
	})
	other("in a slice", &slice[3], &slice[3], func(s *spot) {
		l := &slice[len(slice)-1]
		l.Lock()
		defer l.Unlock()
		s.here()
	})
	other("in a slice, by its index", &slice[1], &slice[1], func(s *spot) {
		i := len(s.name) % 2
		i = i&0 + 1
		slice[i].Lock()
		s.here()
		slice[i].Unlock()
	})
	other("in a map", pointers["a"], pointers["a"], func(s *spot) {
		pointers["a"].Lock()
		defer pointers["a"].Unlock()
		s.here()
	})
	other("in a map, looked up again", pointers["b"], pointers["b"], func(s *spot) {
		pointers["b"].Lock()
		s.here()
		pointers["b"].Unlock()
	})
	e := &embeds{name: "e"}
	other("embedded", &e.Mutex, &e.Mutex, func(s *spot) {
		e.Lock()
		s.here()
		e.Unlock()
	})
	p := embedsPointer{new(sync.Mutex), 1}
	other("embedded as a pointer", p.Mutex, p.Mutex, func(s *spot) {
		p.Lock()
		defer p.Unlock()
		s.here()
	})
	d := new(deep)
	other("in a struct in a struct", &d.inner.mu, &d.inner.mu, func(s *spot) {
		within(d, s)
	})
	var i sync.Locker = new(sync.Mutex)
	other("sync.Locker", i, i, func(s *spot) {
		i.Lock()
		s.here()
		i.Unlock()
	})
	var j sync.Locker = new(sync.Mutex)
	other("sync.Locker, passed", j, j, func(s *spot) {
		through(j, s)
	})
	g := new(gate)
	other("methods of its own", &g.mu, g, func(s *spot) {
		g.Lock()
		defer g.Unlock()
		s.here()
	})
	h := new(gate)
	other("an interface of its own", &h.mu, h, func(s *spot) {
		throughOther(h, s)
	})
	pp := new(sync.Mutex)
	other("by a pointer to a pointer", pp, pp, func(s *spot) {
		indirect(&pp, s)
	})
	any := interface{}(new(sync.Mutex))
	other("in an interface{}", any, any.(sync.Locker), func(s *spot) {
		l := any.(*sync.Mutex)
		l.Lock()
		defer l.Unlock()
		s.here()
	})
	c := make(chan *sync.Mutex, 1)
	sent := new(sync.Mutex)
	c <- sent
	other("received", sent, sent, func(s *spot) {
		l := <-c
		l.Lock()
		s.here()
		l.Unlock()
	})
}

//go:noinline
func within(d *deep, s *spot) {
	d.inner.mu.Lock()
	s.here()
	d.inner.mu.Unlock()
}

//go:noinline
func through(l sync.Locker, s *spot) {
	l.Lock()
	defer l.Unlock()
	s.here()
}

//go:noinline
func throughOther(l locked, s *spot) {
	l.Lock()
	s.here()
	l.Unlock()
}

//go:noinline
func indirect(l **sync.Mutex, s *spot) {
	(*l).Lock()
	s.here()
	(*l).Unlock()
}
