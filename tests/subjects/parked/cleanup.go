// SPDX-License-Identifier: Apache-2.0

//go:build go1.25
// +build go1.25

package main

import (
	"runtime"
	"subjects/truth"
)

func init() {
	cases = append(cases, startCleanup)
}

// 1.24 has cleanups, too, but runs them on the finalizer's goroutine, which is parked.
//
//go:noinline
func dropWithCleanup() {
	runtime.AddCleanup(&finalized{}, func(name string) { park(name) }, "cleanup")
}

func startCleanup() {
	for !truth.Stated("cleanup") {
		dropWithCleanup()
		runtime.GC()
	}
}
