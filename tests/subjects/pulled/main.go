// SPDX-License-Identifier: Apache-2.0

//go:build go1.23

// Subject: a goroutine waited for long in a coroutine, has gone on without the scheduler, and
// has waited for a moment when READY is printed, with a lock for which others wait.
package main

import (
	"iter"
	"os"
	"runtime"
	"subjects/truth"
	"sync"
	"time"
)

var (
	mu      sync.Mutex
	locked  = make(chan bool)
	answers = make(chan byte)
	writer  *os.File // stays open
)

func numbers(yield func(int) bool) {
	time.Sleep(10500 * time.Millisecond)
	yield(1)
}

// asks does not enter a system call after next(), which would make the runtime forget.
//
//go:noinline
func asks() {
	next, stop := iter.Pull(numbers)
	defer stop()
	next()
	mu.Lock()
	defer mu.Unlock()
	locked <- true
	<-answers
}

//go:noinline
func answer(r *os.File) {
	one := make([]byte, 1)
	r.Read(one)
	answers <- one[0]
}

func main() {
	truth.EndWithStdin()
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	writer = w
	go func() {
		for range time.Tick(100 * time.Millisecond) {
			runtime.GC()
		}
	}()
	go answer(r)
	go asks()
	<-locked
	for i := 0; i < 12; i++ {
		go func() {
			mu.Lock()
			mu.Unlock()
		}()
	}
	time.Sleep(300 * time.Millisecond) // so that marking meets all
	truth.Ready()
	select {}
}
