// SPDX-License-Identifier: Apache-2.0

// Subject: very many goroutines, or very deep ones.
//
//	many goroutines N   N goroutines in several waits, at several depths
//	many deep N         one goroutine N calls deep, with its statement
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"subjects/truth"
	"sync"
	"sync/atomic"
	"time"
)

var (
	at    int64 // goroutines that are about to wait
	never = make(chan int)
	mu    sync.Mutex
)

func main() {
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	if os.Args[1] == "deep" {
		go deep(n)
		go truth.Announce(1)
		time.Sleep(24 * time.Hour) // with nothing but channels it would be a deadlock
	}
	debug.SetGCPercent(400)
	mu.Lock()
	// What the harness is to find: how many of each kind, by depth.
	counts := map[string]int{}
	kinds := []string{"receive", "send", "select", "mutex", "sleep"}
	for i := 0; i < n; i++ {
		kind, depth := i%len(kinds), i%7*3
		counts[fmt.Sprintf("%s %d", kinds[kind], depth)]++
		go descend(depth, kind)
	}
	for atomic.LoadInt64(&at) < int64(n) {
		time.Sleep(time.Millisecond)
	}
	truth.Say(map[string]interface{}{"counts": counts})
	truth.Ready()
	select {}
}

//go:noinline
func descend(depth, kind int) int {
	if depth > 0 {
		return descend(depth-1, kind) + 1
	}
	return wait(kind)
}

//go:noinline
func wait(kind int) int {
	atomic.AddInt64(&at, 1)
	switch kind {
	case 0:
		return <-never
	case 1:
		var none chan int
		none <- 1
	case 2:
		select {
		case <-never:
		case <-make(chan int):
		}
	case 3:
		mu.Lock()
	case 4:
		time.Sleep(time.Hour)
	}
	return 0
}

//go:noinline
func deep(n int) int {
	if n == 1 {
		c := make(chan int)
		truth.Below("deep", "chan receive")
		return <-c
	}
	return deep(n-1) + 1
}
