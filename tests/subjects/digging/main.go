// SPDX-License-Identifier: Apache-2.0

// Command digging has goroutines that wait for one lock at depths that change: between two looks at
// it, most have run, and have stacks that there were not before.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"subjects/truth"
	"sync"
	"time"
)

const deepest = 40

// Each goroutine has a way of its own down, so that no two stacks are the same.
var lock sync.Mutex

//go:noinline
func left(way uint64, depth int) int { return dig(way, depth-1) + 1 }

//go:noinline
func right(way uint64, depth int) int { return dig(way, depth-1) + 2 }

//go:noinline
func dig(way uint64, depth int) int {
	if depth == 0 {
		lock.Lock()
		time.Sleep(100 * time.Microsecond)
		lock.Unlock()
		return 0
	}
	if way>>uint(depth)&1 == 0 {
		return left(way, depth)
	}
	return right(way, depth)
}

func main() {
	goroutines := flag.Int("goroutines", 200, "how many")
	flag.Parse()
	truth.EndWithStdin()
	for i := 0; i < *goroutines; i++ {
		go func() {
			for {
				dig(rand.Uint64(), deepest)
			}
		}()
	}
	truth.Say(map[string]string{"lock": fmt.Sprintf("%p", &lock)})
	truth.Ready()
	select {}
}
