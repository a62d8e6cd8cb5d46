// SPDX-License-Identifier: Apache-2.0

//go:build go1.24
// +build go1.24

package main

import (
	"runtime"
	"sync/atomic"
)

func init() {
	cases["a cleanup that waits"] = func() {
		runtime.AddCleanup(&node{}, func(int) { <-never }, 1)
		runtime.GC()
		for i := 0; i < 300; i++ {
			runtime.AddCleanup(&node{}, func(int) { atomic.AddInt64(&spun, 1) }, 1)
		}
		aWhile()
		runtime.GC()
		aWhile()
		runtime.GC()
		runtime.GC()
		ready()
	}
}
