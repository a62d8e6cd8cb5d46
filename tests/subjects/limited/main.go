// SPDX-License-Identifier: Apache-2.0

// Subject: an errgroup with a limit that is reached, or nearly, as its argument says. Everything stands still
// once READY is printed, and all have waited long. Built with Debian's golang-golang-x-sync-dev.
package main

import (
	"os"
	"runtime"
	"subjects/truth"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	limit = 2
	many  = 12 // goroutines that have more work
)

var never = make(chan int)

// full has as many at work as there may be.
func full(works func() error) {
	group := new(errgroup.Group)
	group.SetLimit(limit)
	for i := 0; i < limit; i++ {
		before := truth.Count()
		group.Go(works)
		truth.Await(before + 1)
	}
	for i := 0; i < many; i++ {
		before := truth.Count()
		go func() {
			truth.Below("adds", "chan send")
			group.Go(works)
		}()
		truth.Await(before + 1)
	}
}

//go:noinline
func rests() error {
	truth.Below("rests", "chan receive")
	<-never
	return nil
}

//go:noinline
func sleeps() error {
	truth.Below("sleeps", "sleep")
	time.Sleep(time.Hour)
	return nil
}

var cases = map[string]func(){
	"errgroup": func() { full(rests) },
	// These are well.
	"errgroup of those that sleep": func() { full(sleeps) },
	"errgroup with one left": func() {
		group := new(errgroup.Group)
		group.SetLimit(many)
		for i := 1; i < many; i++ {
			before := truth.Count()
			group.Go(rests)
			truth.Await(before + 1)
		}
	},
}

func main() {
	truth.EndWithStdin()
	cases[os.Args[1]]()
	time.Sleep(100 * time.Millisecond)
	runtime.GC()
	runtime.GC()
	time.Sleep(10500 * time.Millisecond)
	truth.Ready()
	select {}
}
