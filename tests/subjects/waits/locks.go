// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"subjects/truth"
	"sync"
	"unsafe"
)

const crowd = 1500

func init() {
	cases = append(cases, mutex, rwmutex, rlock, waitGroup, waitGroupInside, cond, condCrowd, once)
}

func mutex() {
	mu := new(sync.Mutex)
	mu.Lock()
	await(func() { go lock("mutex", mu, 1) }, 1)
}

func lock(name string, mu *sync.Mutex, waiters int) {
	truth.Below(name, "semacquire|sync.Mutex.Lock").Waits(truth.Thing{"kind": "mutex", "address": address(mu), "locked": true, "waiters": waiters, "operation": nil})
	mu.Lock()
}

func mutexCrowd() {
	mu := new(struct {
		before [5]int32
		sync.Mutex
	})
	mu.Lock()
	await(func() {
		for i := 0; i < crowd; i++ {
			go lock("one of a crowd", &mu.Mutex, crowd)
		}
	}, crowd)
}

// A reader holds it: one writer waits for him to leave, one for that writer, and a reader
// for both.
func rwmutex() {
	rw := new(sync.RWMutex)
	rw.RLock()
	thing := func(operation string) truth.Thing {
		return truth.Thing{"kind": "rwmutex", "address": address(rw), "operation": operation, "readers": 2,
			"readers_leaving": 1, "has_writer": true, "locked": true, "waiters": 1}
	}
	await(func() { go lockWrite(rw, thing("write")) }, 1)
	await(func() { go lockWrite(rw, thing("write")) }, 1)
	await(func() { go lockRead(rw, thing("read")) }, 1)
}

// A writer holds it.
func rlock() {
	rw := new(sync.RWMutex)
	rw.Lock()
	thing := truth.Thing{"kind": "rwmutex", "address": address(rw), "operation": "read", "readers": 2,
		"readers_leaving": 0, "has_writer": true, "locked": true, "waiters": 0}
	await(func() { go lockRead(rw, thing); go lockRead(rw, thing) }, 2)
}

func lockWrite(rw *sync.RWMutex, thing truth.Thing) {
	truth.Below("write lock", "semacquire|sync.RWMutex.Lock|sync.Mutex.Lock").Waits(thing)
	rw.Lock()
}

func lockRead(rw *sync.RWMutex, thing truth.Thing) {
	truth.Below("read lock", "semacquire|sync.RWMutex.RLock").Waits(thing)
	rw.RLock()
}

func waitGroup() {
	wg := new(sync.WaitGroup)
	wg.Add(5)
	await(func() {
		for i := 0; i < 2; i++ {
			go wait(wg, 5, 2)
		}
	}, 2)
}

// Where it lies in its struct decides, in old releases, what its words mean.
func waitGroupInside() {
	s := new(struct {
		before uint32
		wg     sync.WaitGroup
		after  uint32
		other  sync.WaitGroup
	})
	s.wg.Add(1)
	s.other.Add(3)
	await(func() { go wait(&s.wg, 1, 1); go wait(&s.other, 3, 1) }, 2)
}

func wait(wg *sync.WaitGroup, counter, waiters int) {
	truth.Below("wait group", "semacquire|sync.WaitGroup.Wait").Waits(truth.Thing{"kind": "waitgroup", "address": address(wg), "counter": counter, "waiters": waiters})
	wg.Wait()
}

func cond() {
	c := sync.NewCond(new(sync.Mutex))
	await(func() { go waitCond(c, 1) }, 1)
}

func condCrowd() {
	c := sync.NewCond(new(sync.Mutex))
	for i := 0; i < 40; i++ {
		await(func() { go waitCond(c, 40) }, 1)
	}
}

func waitCond(c *sync.Cond, waiters int) {
	c.L.Lock()
	truth.Below("cond", "sync.Cond.Wait").Waits(truth.Thing{"kind": "cond", "address": address(c), "waiters": waiters})
	c.Wait()
}

func once() {
	o := new(sync.Once)
	never := make(chan int)
	await(func() {
		go o.Do(func() {
			truth.Below("runs once", "chan receive").Waits(plain(never, "receive", 0, 0))
			<-never
		})
	}, 1)
	// Its mutex comes after a word that says whether it is done.
	mu := fmt.Sprintf("%#x", uintptr(unsafe.Pointer(o))+4)
	await(func() { go waitOnce(o, mu) }, 1)
}

func waitOnce(o *sync.Once, mu string) {
	truth.Below("once", "semacquire|sync.Mutex.Lock").Waits(truth.Thing{"kind": "mutex", "address": mu, "locked": true, "waiters": 1})
	o.Do(func() {})
}
