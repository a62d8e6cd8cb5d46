// SPDX-License-Identifier: Apache-2.0

package main

import (
	"subjects/truth"
	"sync"
)

func rwmutexes() {
	rwmutex("writer", reader, func(s *spot) {
		s.rw.Lock()
		s.here()
		s.rw.Unlock()
	})
	rwmutex("writer, deferred", readerToo, func(s *spot) {
		s.rw.Lock()
		defer s.rw.Unlock()
		s.here()
	})
	rwmutex("reader", writer, func(s *spot) {
		s.rw.RLock()
		s.here()
		s.rw.RUnlock()
	})
	rwmutex("reader, deferred", writers, func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		s.here()
	})
	read := func(s *spot) {
		s.rw.RLock()
		defer s.rw.RUnlock()
		s.here()
	}
	rwmutex("three readers", readerToo, read, read, read)
	rwmutex("reader, a writer waits for it, and others for that", readerToo, read)
	rwmutex("RLocker", writer, func(s *spot) {
		l := s.rw.RLocker()
		l.Lock()
		s.here()
		l.Unlock()
	})
	rwmutex("RLocker, deferred", writer, func(s *spot) {
		l := s.rw.RLocker()
		l.Lock()
		defer l.Unlock()
		s.here()
	})
	rwmutex("sync.Locker", writer, func(s *spot) {
		through(&s.rw, s)
	})
	rwmutex("read, then written", writer, func(s *spot) {
		s.rw.RLock()
		s.extra = s.name
		s.rw.RUnlock()
		s.rw.Lock()
		defer s.rw.Unlock()
		s.here()
	})
	rwmutex("one of two readers has ended its read", writer, read, func(s *spot) {
		s.rw.RLock()
		s.rw.RUnlock()
		s.held <- true
		<-never
	})
}

// cycles are of goroutines that hold one lock and wait for the next.
func cycles() {
	for _, n := range []int{2, 3} {
		ring := make([]*spot, n)
		for i := range ring {
			ring[i] = &spot{name: "a cycle", held: make(chan bool)}
			ring[i].lock = &ring[i].mu
		}
		all := new(sync.WaitGroup)
		all.Add(n)
		for i, s := range ring {
			go func(mine, next *spot) {
				mine.mu.Lock()
				defer mine.mu.Unlock()
				mine.holdersAre()
				mine.held <- true
				all.Wait()
				wait("a cycle", &next.mu)
			}(s, ring[(i+1)%n])
			<-s.held
		}
		before := truth.Count()
		for range ring {
			all.Done()
		}
		truth.Await(before + n)
		scenes = append(scenes, ring...)
	}
}
