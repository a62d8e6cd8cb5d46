// SPDX-License-Identifier: Apache-2.0

// Subject: a plugin, for the program plugs. Its goroutines stand in its own code, and in that
// of the program, which it calls.
package main

import (
	"sort"
	"subjects/truth"
	"sync"
)

func main() {}

// Start leaves three goroutines behind.
func Start(back func()) {
	go func() {
		truth.Below("in the plugin", "chan receive")
		<-make(chan int)
	}()
	go between(back)
	go sorts()
}

//go:noinline
func between(back func()) {
	back()
}

// sorts is called back from code that the program and its plugins have in common.
func sorts() {
	var lock sync.Mutex
	lock.Lock()
	sort.Slice([]int{3, 1, 2}, func(i, j int) bool {
		truth.Below("in code of both", "semacquire|sync.Mutex.Lock")
		lock.Lock()
		return i < j
	})
}

// Park is called by the program.
func Park() {
	truth.Below("called by the program", "select (no cases)")
	select {}
}
