// SPDX-License-Identifier: Apache-2.0

// Subject whose threads wait in the kernel for what never comes. Each line makes one that waits
// in Go's scheduler do so, too, until there is none but sysmon. The line "compute" makes one compute.
package main

import (
	"bufio"
	"os"
	"runtime"
	"subjects/truth"
	"syscall"
	"time"
)

//go:noinline
func compute() {
	for n := 0; ; n++ {
	}
}

func main() {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	runtime.GOMAXPROCS(1)
	time.AfterFunc(time.Hour, func() {}) // there is always one thread that polls
	truth.Ready()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); truth.Say("blocked") {
		if lines.Text() == "compute" {
			go compute()
			continue
		}
		// Whoever polls then does this, and one that had nothing to do polls in its place.
		time.AfterFunc(20*time.Millisecond, func() {
			var buf [1]byte
			syscall.Read(fds[0], buf[:])
		})
	}
}
