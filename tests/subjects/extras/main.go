// SPDX-License-Identifier: Apache-2.0

// Subject: goroutines that carry something: labels, panics, deferred calls, and say what.
// Everything stands still once READY is printed.
package main

import (
	"fmt"
	"os"
	"strconv"
	"subjects/truth"
	"sync"
)

// cases start one goroutine that parks, each. Files for newer releases add theirs.
var cases []func()

var (
	mu    sync.Mutex
	facts = map[string]map[string]interface{}{}
)

// state says what the calling goroutine carries of a kind, before it parks.
func state(kind string, value interface{}) {
	mu.Lock()
	defer mu.Unlock()
	if facts[kind] == nil {
		facts[kind] = map[string]interface{}{}
	}
	facts[kind][fmt.Sprint(truth.Goid())] = value
}

// park is for good.
func park(name string) {
	c := make(chan int)
	truth.Below(name, "chan receive")
	<-c
}

// With a number as its argument it crashes by that panic instead.
func main() {
	if len(os.Args) > 1 {
		n, _ := strconv.Atoi(os.Args[1])
		crash(n)
	}
	truth.EndWithStdin()
	for _, start := range cases {
		start()
	}
	truth.Await(len(cases))
	mu.Lock()
	truth.Say(facts)
	mu.Unlock()
	truth.Ready()
	select {}
}
