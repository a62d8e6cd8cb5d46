// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package main

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

extern int goHit(uintptr_t, int);
extern void goEvent(uintptr_t, int);

static pthread_mutex_t lib_lock = PTHREAD_MUTEX_INITIALIZER;
static int lib_documents;
static uintptr_t lib_listener;
static int lib_pace_us;

// Calls goHit for each document that is found.
static int lib_search(uintptr_t handle, int word, int stop)
{
	char text[256];
	int hits = 0;

	for (int i = 0; i < 100 && i < stop; i++) {
		memset(text, i * 7 + word, sizeof(text));
		if (text[word % sizeof(text)] % 16 == 0)
			hits += goHit(handle, i);
	}
	return hits;
}

static int lib_add(int n)
{
	pthread_mutex_lock(&lib_lock);
	lib_documents += n;
	pthread_mutex_unlock(&lib_lock);
	return lib_documents;
}

// Writes an order to a device, and waits for its answer.
static int lib_sync(int to, int from)
{
	char answer = 's';

	if (write(to, &answer, 1) != 1)
		return -1;
	return read(from, &answer, 1) == 1 ? answer : -1;
}

// A thread of the library's tells of events, with the library's lock.
static void *lib_events(void *unused)
{
	for (int i = 0;; i++) {
		usleep(lib_pace_us);
		pthread_mutex_lock(&lib_lock);
		goEvent(lib_listener, i);
		pthread_mutex_unlock(&lib_lock);
	}
	return unused;
}

static int lib_listen(uintptr_t handle, int pace_us)
{
	pthread_t thread;

	lib_listener = handle;
	lib_pace_us = pace_us;
	return pthread_create(&thread, NULL, lib_events, NULL);
}
*/
import "C"

import (
	"math/rand"
	"os"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A cgolibIndex: a library in C that is not safe to be used by several threads, and that calls back.

const (
	cgolibClients = 14
	cgolibHealthy = 200 // operations until it becomes sick
)

type cgolibIndex struct {
	mu     sync.Mutex // the library is used by one at a time
	hits   map[int]int
	events int64
	hit    func(s *cgolibSearch, document int)
	tells  func()
	handle cgo.Handle
	orders [2]*os.File // to the device
	answer [2]*os.File
	dead   int32 // the device does not answer any more
	used   gauge
	// Of a sick one.
	caller  holder
	told    gauge
	calling gauge
	asks    gauge
}

type cgolibSearch struct {
	index *cgolibIndex
	found []int
}

//export goHit
func goHit(handle C.uintptr_t, document C.int) C.int {
	s := cgo.Handle(handle).Value().(*cgolibSearch)
	s.index.hit(s, int(document))
	return 1
}

//export goEvent
func goEvent(handle C.uintptr_t, event C.int) {
	cgo.Handle(handle).Value().(*cgolibIndex).tells()
}

func cgolibNew() *cgolibIndex {
	x := &cgolibIndex{hits: map[int]int{}}
	x.handle, x.tells = cgo.NewHandle(x), x.event
	x.hit = func(s *cgolibSearch, document int) { s.found = append(s.found, document) }
	for _, ends := range []*[2]*os.File{&x.orders, &x.answer} {
		var err error
		if ends[0], ends[1], err = os.Pipe(); err != nil {
			panic(err)
		}
		for _, f := range ends {
			f.Fd() // so that it blocks
		}
	}
	go x.device()
	return x
}

// device answers each order.
func (x *cgolibIndex) device() {
	order := make([]byte, 1)
	for {
		if n, err := syscall.Read(int(x.orders[0].Fd()), order); n != 1 || err != nil {
			return
		}
		time.Sleep(time.Millisecond)
		if atomic.LoadInt32(&x.dead) == 0 {
			syscall.Write(int(x.answer[1].Fd()), order)
		}
	}
}

//go:noinline
func (x *cgolibIndex) search(word int) int {
	x.asks.begins()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asks.ends()
	x.caller.takes()
	defer x.caller.gives()
	s := &cgolibSearch{index: x}
	handle := cgo.NewHandle(s)
	defer handle.Delete()
	C.lib_search(C.uintptr_t(handle), C.int(word), 100)
	return len(s.found)
}

//go:noinline
func (x *cgolibIndex) add(n int) int {
	x.asks.begins()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asks.ends()
	x.caller.takes()
	defer x.caller.gives()
	x.calling.begins()
	defer x.calling.ends()
	return int(C.lib_add(C.int(n)))
}

//go:noinline
func (x *cgolibIndex) sync() int {
	x.asks.begins()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asks.ends()
	x.caller.takes()
	defer x.caller.gives()
	x.calling.begins()
	defer x.calling.ends()
	return int(C.lib_sync(C.int(x.orders[1].Fd()), C.int(x.answer[0].Fd())))
}

// event counts what the library tells of.
func (x *cgolibIndex) event() { atomic.AddInt64(&x.events, 1) }

// start has clients that use the library.
func (x *cgolibIndex) start() {
	clients(cgolibClients, 20*time.Millisecond, func(r *rand.Rand) {
		switch r.Intn(8) {
		case 0:
			x.sync()
		case 1:
			x.add(1)
		default:
			x.search(r.Intn(200))
		}
		x.used.begins()
	})
}

// The same, with what people get wrong.

// note is called by the library, which its caller locked.
//
//go:noinline
func (x *cgolibIndex) note(document int) {
	if x.used.now() > cgolibHealthy {
		x.told.begins()
		x.mu.Lock()
		defer x.mu.Unlock()
		x.told.ends()
	}
	x.hits[document]++
}

// eventLocked needs the lock that others have while they wait for the library's.
//
//go:noinline
func (x *cgolibIndex) eventLocked() {
	x.told.begins()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.told.ends()
	x.events++
}

func init() {
	services["cgolib"] = service{
		healthy: func() {
			x := cgolibNew()
			C.lib_listen(C.uintptr_t(x.handle), 5000)
			x.start()
		},
		sick: map[string]func() sickness{
			"callback locks again": func() sickness {
				x := cgolibNew()
				x.hit = func(s *cgolibSearch, document int) { x.note(document) }
				x.start()
				return sickness{
					reached: still(func() bool { return x.told.now() == 1 && x.caller.is() != 0 }),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"lock_cycle"}, Names: []string{"main.(*cgolibIndex).note", "main.(*cgolibIndex).search"},
							Holders: []int64{x.caller.is()},
						}}
					},
				}
			},
			"the device never answers": func() sickness {
				x := cgolibNew()
				x.start()
				go func() {
					for x.used.now() < cgolibHealthy {
						time.Sleep(time.Millisecond)
					}
					atomic.StoreInt32(&x.dead, 1)
				}()
				return sickness{
					reached: still(func() bool {
						return atomic.LoadInt32(&x.dead) != 0 && x.calling.now() == 1 && x.asks.now() == cgolibClients-1
					}),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"stuck_call"}, Names: []string{"main.(*cgolibIndex).sync"}, Holders: []int64{x.caller.is()},
						}}
					},
				}
			},
			// Of the two locks, the library's thread takes its own first.
			"two locks, in Go and in C": func() sickness {
				x := cgolibNew()
				x.tells = x.eventLocked
				C.lib_listen(C.uintptr_t(x.handle), 1000)
				x.start()
				return sickness{
					reached: still(func() bool {
						return x.told.now() == 1 && x.calling.now() == 1 && x.asks.now() > 0 && x.caller.is() != 0
					}),
					findings: func() []finding {
						return []finding{{
							Kinds: []string{"stuck_call"}, Names: []string{"main.(*cgolibIndex).add"}, Holders: []int64{x.caller.is()},
						}}
					},
				}
			},
		},
	}
}
