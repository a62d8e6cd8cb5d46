// SPDX-License-Identifier: Apache-2.0

// trace_cost calls a function as often as it can, and prints how many nanoseconds of its own processor time a call
// takes. For tests/bench/trace_cost.
//
// usage: trace_cost SECONDS
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

//go:noinline
func leaf(n int) int { return n + 1 }

//go:noinline
func hot(n int, name string) int { return leaf(n) + len(name) }

func used() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func main() {
	seconds, _ := strconv.Atoi(os.Args[1])
	calls, sum, begun := int64(0), 0, used()
	for used()-begun < int64(seconds)*1e9 {
		for i := 0; i < 1000; i++ {
			sum += hot(i, "some name")
		}
		calls += 1000
	}
	fmt.Println(float64(used()-begun)/float64(calls), sum > 0)
}
