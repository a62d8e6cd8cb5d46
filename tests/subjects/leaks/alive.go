// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net"
	"os"
	"runtime"
	"subjects/truth"
	"sync"
	"time"
)

const long = 1000 * time.Hour

type node struct {
	next *node
	c    chan int
}

// What is in large objects: with pointers before and behind.
type large struct {
	before [300]*int
	c      chan int
	after  [300]*int
}

var (
	number    uintptr
	global    = make(chan int)
	inMap     = map[string]chan int{}
	inBuffer  = make(chan chan int, 4)
	inSlice   []*large
	list      *node
	huge      []chan int
	anything  interface{}
	locked    sync.Mutex
	condition = sync.NewCond(&sync.Mutex{})
	finalized *node
)

// What these wait for, somebody else can get at.
func init() {
	start("alive: global", func(name string) { receive(name, global) })
	start("alive: map", func(name string) {
		c := make(chan int)
		for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
			inMap[key] = make(chan int)
		}
		inMap[name] = c
		receive(name, c)
	})
	start("alive: channel in a channel", func(name string) {
		c := make(chan int)
		inBuffer <- c
		receive(name, c)
	})
	start("alive: slice of large structs", func(name string) {
		c := make(chan int)
		inSlice = append(inSlice, &large{}, &large{c: c})
		receive(name, c)
	})
	start("alive: huge slice", func(name string) {
		huge = make([]chan int, 100000)
		huge[77777] = make(chan int)
		receive(name, huge[77777])
	})
	start("alive: list", func(name string) {
		c := make(chan int)
		for i := 0; i < 5000; i++ {
			list = &node{list, nil}
			if i == 0 {
				list.c = c
			}
		}
		receive(name, c)
	})
	start("alive: interface", func(name string) {
		c := make(chan int)
		anything = struct{ c chan int }{c}
		receive(name, c)
	})
	start("alive: one of two channels", func(name string) { either(name, global, make(chan string)) })
	start("alive: mutex", func(name string) {
		locked.Lock()
		lock(name, &locked)
	})
	start("alive: condition", func(name string) {
		condition.L.Lock()
		truth.Below(name, "sync.Cond.Wait")
		condition.Wait()
	})
	start("alive: mutex that a sleeper has", func(name string) {
		mu := new(sync.Mutex)
		mu.Lock()
		truth.Below("alive: sleeper", "sleep")
		go lock(name, mu)
		sleep()
		mu.Unlock()
	})
	start("alive: wait group of a sleeper", func(name string) {
		group := new(sync.WaitGroup)
		group.Add(1)
		go func() {
			truth.Below(name, "semacquire|sync.WaitGroup.Wait")
			group.Wait()
		}()
		sleep()
		group.Done()
	})
	start("alive: chain", chain)
	start("alive: variable of a sleeper whose address is taken", func(name string) {
		variable := node{c: make(chan int)}
		go receive(name, variable.c)
		hold(&variable)
	})
	start("alive: deferred by a sleeper", func(name string) {
		c := make(chan int)
		go receive(name, c)
		for i := 0; i < 2; i++ {
			defer func(c chan int) { c <- 1 }(c)
		}
		sleep()
	})
	// With one in a loop, the other's record is on the stack.
	start("alive: deferred by a sleeper, on its stack", func(name string) {
		c := make(chan int)
		go receive(name, c)
		defer func(c chan int) { c <- 1 }(c)
		for i := 0; i < 2; i++ {
			defer use(i)
		}
		sleep()
	})
	start("alive: timer", func(name string) {
		truth.Below(name, "chan receive")
		<-time.After(long)
	})
	start("alive: ticker", func(name string) {
		t := time.NewTicker(long)
		truth.Below(name, "select")
		select {
		case <-t.C:
		case <-make(chan int):
		}
	})
	start("alive: function of a timer", func(name string) {
		c := make(chan int)
		time.AfterFunc(long, func() { c <- 1 })
		receive(name, c)
	})
	start("alive: deadline", func(name string) {
		ctx, cancel := context.WithTimeout(context.Background(), long)
		defer cancel()
		truth.Below(name, "chan receive")
		<-ctx.Done()
	})
	start("alive: finalizer", func(name string) {
		c := make(chan int)
		finalized = new(node)
		runtime.SetFinalizer(finalized, func(*node) { c <- 1 })
		receive(name, c)
	})
	start("alive: finalizer in the queue", func(name string) {
		block()
		forget(name)
		runtime.GC()
		sleep()
	})
	start("alive: connection", connection)
	start("alive: pipe", func(name string) {
		r, w, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		c := make(chan int)
		go receive(name, c)
		r.Read(make([]byte, 1))
		c <- 1
		w.Close()
	})
}

//go:noinline
func use(int) {}

//go:noinline
func hold(n *node) {
	sleep()
	n.c <- 1
}

// finalize calls f for an object that nobody keeps.
//
//go:noinline
func finalize(f func(*node)) {
	runtime.SetFinalizer(&node{list, nil}, f)
}

// block has a finalizer called that does not return: no other one is, any more.
func block() {
	called := make(chan bool)
	finalize(func(*node) {
		called <- true
		<-global
	})
	runtime.GC()
	<-called
}

//go:noinline
func forget(name string) {
	c := make(chan int)
	go receive(name, c)
	finalize(func(*node) { c <- 1 })
}

// Each has the channel of the one before, and the last one sleeps.
func chain(name string) {
	c := make(chan int)
	go receive(name, c)
	for i := 0; i < 20; i++ {
		next := make(chan int)
		go func(from, to chan int) {
			truth.Below("alive: in a chain", "chan receive")
			to <- <-from
		}(next, c)
		c = next
	}
	sleep()
	c <- 1
}

func connection(name string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	c := make(chan int)
	go receive(name, c)
	connection, err := listener.Accept()
	c <- 1
	_, _ = connection, err
}
