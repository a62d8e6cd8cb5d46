// SPDX-License-Identifier: Apache-2.0

// Subject: heaps with a past. Its argument says which; it states how many bytes the heap has now.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"subjects/truth"
	"sync"
)

type node struct {
	next *node
	load [9000]byte
}

var (
	kept  []*node
	small [][]byte
)

const peak = 4000 // nodes

// shrinks leaves one of so many nodes.
func shrinks(times int) {
	var all []*node
	for i := 0; i < peak; i++ {
		all = append(all, new(node))
	}
	for i := 0; i < peak; i += times {
		kept = append(kept, all[i])
	}
}

// stacks has had as many goroutines, whose stacks were large.
func stacks() {
	var done sync.WaitGroup
	go_on := make(chan bool)
	for i := 0; i < 2000; i++ {
		done.Add(1)
		go func() {
			deep(200)
			<-go_on
			done.Done()
		}()
	}
	close(go_on)
	done.Wait()
}

//go:noinline
func deep(n int) int {
	var room [256]byte
	if n == 0 {
		return int(room[0])
	}
	return deep(n-1) + int(room[n%len(room)])
}

func fragments() {
	for i := 0; i < 200000; i++ {
		small = append(small, make([]byte, 16+i%2000))
	}
	for i := range small {
		if i%97 != 0 {
			small[i] = nil
		}
	}
}

func large() {
	for i := 0; i < 200; i++ {
		kept = append(kept, &node{})
		small = append(small, make([]byte, 1<<20))
	}
	small = small[:3]
	kept = nil
}

func main() {
	truth.EndWithStdin()
	history := os.Args[1]
	switch {
	case strings.HasPrefix(history, "peak"):
		times, err := strconv.Atoi(history[len("peak"):])
		if err != nil {
			panic(err)
		}
		shrinks(times)
	case history == "stacks":
		stacks()
	case history == "fragments":
		fragments()
	case history == "large":
		large()
	case history == "off":
		debug.SetGCPercent(-1)
		shrinks(peak)
	case history == "freed":
		shrinks(100)
		debug.FreeOSMemory()
	case history == "fresh":
	default:
		panic(history)
	}
	if history != "off" && history != "fresh" {
		runtime.GC()
		runtime.GC()
		debug.SetGCPercent(-1)
	}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	truth.Say(map[string]interface{}{"allocated": now.HeapAlloc})
	truth.Ready()
	<-make(chan int)
	runtime.KeepAlive(kept)
	runtime.KeepAlive(small)
}
