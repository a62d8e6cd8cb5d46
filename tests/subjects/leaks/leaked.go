// SPDX-License-Identifier: Apache-2.0

package main

import (
	"subjects/truth"
	"sync"
)

// What these wait for, only they have.
func init() {
	start("leaked: receive", func(name string) { receive(name, make(chan int)) })
	start("leaked: send", func(name string) {
		c := make(chan *int)
		truth.Below(name, "chan send")
		c <- new(int)
	})
	start("leaked: send to a full channel", func(name string) {
		c := make(chan int, 1)
		c <- 1
		truth.Below(name, "chan send")
		c <- 2
	})
	start("leaked: nil channel", func(name string) { receive(name, nil) })
	start("leaked: send to a nil channel", func(name string) {
		var c chan int
		truth.Below(name, "chan send (nil chan)")
		c <- 1
	})
	start("leaked: no cases", func(name string) {
		truth.Below(name, "select (no cases)")
		select {}
	})
	start("leaked: select", func(name string) { either(name, make(chan int), make(chan string)) })
	start("leaked: select of nil channels", func(name string) { either(name, nil, nil) })
	start("leaked: mutex", func(name string) {
		holder := new(struct {
			before [9]int
			mu     sync.Mutex
		})
		holder.mu.Lock()
		lock(name, &holder.mu)
	})
	start("leaked: reader", func(name string) {
		mu := new(sync.RWMutex)
		mu.Lock()
		truth.Below(name, "semacquire|sync.RWMutex.RLock")
		mu.RLock()
	})
	start("leaked: writer", func(name string) {
		mu := new(sync.RWMutex)
		mu.RLock()
		truth.Below(name, "semacquire|sync.RWMutex.Lock")
		mu.Lock()
	})
	start("leaked: wait group", func(name string) {
		group := new(sync.WaitGroup)
		group.Add(1)
		truth.Below(name, "semacquire|sync.WaitGroup.Wait")
		group.Wait()
	})
	start("leaked: condition", func(name string) {
		c := sync.NewCond(new(sync.Mutex))
		c.L.Lock()
		truth.Below(name, "sync.Cond.Wait")
		c.Wait()
	})
	// Each would wake the other.
	start("leaked: cycle", func(name string) {
		one, other := make(chan int), make(chan int)
		go func() {
			truth.Below("leaked: cycle, the other", "chan receive")
			one <- <-other
		}()
		truth.Below(name, "chan receive")
		other <- <-one
	})
	// Its waker is leaked, too.
	start("leaked: chain", func(name string) {
		mine, his := make(chan int), make(chan int)
		go func() {
			truth.Below("leaked: chain, the waker", "chan receive")
			his <- <-mine
		}()
		receive(name, his)
	})
	start("leaked: deferred", func(name string) {
		c := make(chan int)
		for i := 0; i < 2; i++ {
			defer func() { c <- 1 }()
		}
		receive(name, make(chan int))
	})
	// Only a number has its address.
	start("leaked: channel that a number names", func(name string) {
		c := make(chan int)
		number = addressOf(c)
		receive(name, c)
	})
}
