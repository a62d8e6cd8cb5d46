// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"runtime/debug"
	"syscall"
)

// debugOff: a collection would meet what is damaged.
func debugOff() {
	runtime.GC()
	debug.SetGCPercent(-1)
}

// sleep ends with standard input.
func sleep() {
	var buf [1]byte
	for {
		if n, err := syscall.Read(0, buf[:]); n <= 0 && err != syscall.EINTR {
			return
		}
	}
}
