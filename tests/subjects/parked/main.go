// SPDX-License-Identifier: Apache-2.0

// Subject: one goroutine in each kind of wait, and one under each kind of frame.
// Everything stands still once READY is printed.
package main

import (
	"runtime"
	"subjects/truth"
)

// cases start one goroutine that states itself, each. Files for newer releases add theirs.
var cases []func()

func main() {
	truth.EndWithStdin()
	runtime.GC() // the workers of the collector are goroutines, too
	for _, start := range cases {
		start()
	}
	go truth.Announce(len(cases) + 1)
	truth.Below("main", "select (no cases)")
	select {}
}

// never is a channel that nobody uses otherwise.
func never() chan int {
	return make(chan int)
}
