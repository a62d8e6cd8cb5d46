// SPDX-License-Identifier: Apache-2.0

// Subject: locks that somebody holds and somebody else waits for. Each scene takes a lock in its own way
// and says who has it. Everything stands still once READY is printed.
package main

import (
	"fmt"
	"subjects/truth"
	"sync"
)

// spot is a scene's lock, and who holds it.
type spot struct {
	name    string
	lock    interface{}   // whose address the document has
	waiters []sync.Locker // what others wait for; each has a waiter
	holders []int64       // none: whoever took it has ended
	also    []int64       // who may be named as well: the lock is passed on
	not     []int64       // who may not be named
	held    chan bool
	// The scene's own lock, for those that need no other.
	mu sync.Mutex
	rw sync.RWMutex
	// Nobody uses these but by way of the scene.
	extra interface{}
	steps int
}

// never is received from by those who stand still.
var never = make(chan bool)

// here says that the caller holds the lock, and stands still.
//
//go:noinline
func (s *spot) here() {
	s.holders = append(s.holders, truth.Goid())
	s.held <- true
	<-never
}

// passed says that the caller has the lock, which another one may be said to have, too.
//
//go:noinline
func (s *spot) passed() {
	s.also = append(s.also, truth.Goid())
	s.held <- true
	<-never
}

// gone says that the caller ends without unlocking it.
//
//go:noinline
func (s *spot) gone() {
	s.held <- true
}

// mutex makes a scene of s.mu, with as many goroutines that stand still or end.
func mutex(name string, run func(*spot), goroutines ...func(*spot)) {
	s := &spot{name: name, held: make(chan bool)}
	s.lock, s.waiters = &s.mu, []sync.Locker{&s.mu}
	s.begin(run, goroutines)
}

func rwmutex(name string, waiters func(*sync.RWMutex) []sync.Locker, run func(*spot), more ...func(*spot)) {
	s := &spot{name: name, held: make(chan bool)}
	s.lock, s.waiters = &s.rw, waiters(&s.rw)
	s.begin(run, more)
}

// other makes a scene of a lock that the function finds for itself.
func other(name string, lock interface{}, waiter sync.Locker, run func(*spot)) {
	s := &spot{name: name, held: make(chan bool), lock: lock, waiters: []sync.Locker{waiter}}
	s.begin(run, nil)
}

var scenes []*spot

// newest and withC make the scenes that need Go 1.21, and cgo.
var newest, withC = func() {}, func() {}

func (s *spot) begin(run func(*spot), more []func(*spot)) {
	for _, f := range append([]func(*spot){run}, more...) {
		go f(s)
		<-s.held
	}
	for _, waiter := range s.waiters {
		before := truth.Count()
		go wait(s.name, waiter)
		truth.Await(before + 1)
	}
	scenes = append(scenes, s)
}

func wait(name string, lock sync.Locker) {
	truth.Below("waits: "+name, "semacquire|sync.Mutex.Lock|sync.RWMutex.Lock|sync.RWMutex.RLock")
	lock.Lock()
	lock.Unlock()
}

func writer(l *sync.RWMutex) []sync.Locker    { return []sync.Locker{l} }
func reader(l *sync.RWMutex) []sync.Locker    { return []sync.Locker{l.RLocker()} }
func writers(l *sync.RWMutex) []sync.Locker   { return []sync.Locker{l, l, l} }
func readerToo(l *sync.RWMutex) []sync.Locker { return []sync.Locker{l, l.RLocker()} }

func main() {
	truth.EndWithStdin()
	mutexes()
	passedOn()
	found()
	rwmutexes()
	cycles()
	givenUp()
	doubtful()
	more()
	often()
	ended()
	hidden()
	newest()
	withC()
	newer()
	var locks []map[string]interface{}
	for _, s := range scenes {
		locks = append(locks, map[string]interface{}{
			"name": s.name, "address": fmt.Sprintf("%p", s.lock),
			"holders": append([]int64{}, s.holders...), "also": append([]int64{}, s.also...),
			"not": append([]int64{}, s.not...),
		})
	}
	truth.Say(map[string]interface{}{"locks": locks})
	truth.Ready()
	select {}
}
