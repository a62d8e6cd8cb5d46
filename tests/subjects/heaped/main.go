// SPDX-License-Identifier: Apache-2.0

// Subject with objects of rare sizes: so many that it keeps, and so many that it dropped after the last
// collection. It says how many of each, and what the runtime says of its heap.
package main

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"subjects/truth"
	"unsafe"
)

// Places of 5376 bytes, of which the runtime has none, of 240 bytes, and without pointers of 2688; and
// large ones.
type kept struct {
	next *kept
	_    [5300]byte
}

type small struct {
	next *small
	_    [226]byte
}

const (
	keptCount, droppedCount  = 2000, 1000
	smallCount, smallDropped = 40000, 20000
	numberCount, largeCount  = 2000, 30
	numberDropped            = 1000
	sharedCount              = 700
	numberBytes, largeBytes  = 2600, 100000
	keptSize, smallSize      = 5376, 240
	numberSize, largerThan   = 2688, 32768
)

// What two variables keep.
type both struct {
	next *both
	_    [3]int
}

// Numbers that are addresses of what was dropped, beside pointers: in objects whose pointers the runtime
// describes in different ways.
type (
	hint struct {
		next    *hint
		numbers [6]uintptr
	}
	longHint struct {
		numbers [100]uintptr
		next    *hint
	}
	longestHint struct {
		next    *hint
		numbers [6000]uintptr
	}
)

var (
	hints   *hint
	longs   [2]*longHint
	longest *longestHint
	left    *both
	right   *both
	keeps   *kept
	smalls  *small
	numbers [][]byte
	ignored interface{}
)

// plant returns what only a stack is to have.
//
//go:noinline
func plant() (larges [largeCount][]*int) {
	hints, longs, longest = new(hint), [2]*longHint{new(longHint), new(longHint)}, new(longestHint)
	for i := 0; i < keptCount; i++ {
		keeps = &kept{next: keeps}
	}
	for i := 0; i < smallCount; i++ {
		smalls = &small{next: smalls}
	}
	for i := 0; i < sharedCount; i++ {
		left = &both{next: left}
	}
	right = left
	numbers = make([][]byte, 0, numberCount) // large itself
	for i := 0; i < numberCount; i++ {
		numbers = append(numbers, make([]byte, numberBytes))
	}
	for i := 0; i < largeCount; i++ {
		larges[i] = make([]*int, largeBytes/8)
	}
	return larges
}

//go:noinline
func drop() {
	for i := 0; i < droppedCount; i++ {
		k := &kept{}
		ignored = k
		longs[i%2].numbers[i%100] = uintptr(unsafe.Pointer(k))
	}
	for i := 0; i < smallDropped; i++ {
		s := &small{}
		ignored = s
		hints.numbers[i%6] = uintptr(unsafe.Pointer(s))
		longest.numbers[i%6000] = uintptr(unsafe.Pointer(s)) + 8
	}
	for i := 0; i < numberDropped; i++ {
		ignored = make([]byte, numberBytes)
	}
	ignored = nil
}

func say(kind string, size int, pointers bool, live, garbage int) map[string]interface{} {
	return map[string]interface{}{"kind": kind, "size": size, "pointers": pointers, "live": live,
		"garbage": garbage}
}

func main() {
	larges := plant()
	types := fill()
	described, typed := stack()
	for name, n := range typed {
		types[name] = n
	}
	runtime.GC()
	runtime.GC()
	var collected, now runtime.MemStats
	runtime.ReadMemStats(&collected)
	garbage := len(os.Args) > 1
	if garbage {
		debug.SetGCPercent(-1)
		drop()
	}
	dropped := func(n int) int {
		if garbage {
			return n
		}
		return 0
	}
	planted := []map[string]interface{}{
		say("kept", keptSize, true, keptCount, dropped(droppedCount)),
		say("small", smallSize, true, smallCount, dropped(smallDropped)),
		say("numbers", numberSize, false, numberCount, dropped(numberDropped)),
		// With the list of numbers, and longest.
		say("large", largerThan, true, largeCount+2, 0),
	}
	alone := map[string]int{"main.keeps": keptCount, "main.smalls": smallCount, "main.numbers": numberCount + 1,
		"main.longest": 1, "main.longs": 2}
	runtime.ReadMemStats(&now)
	truth.Say(map[string]interface{}{"planted": planted, "types": types, "described": described, "alone": alone, "shared": sharedCount,
		"collected": collected.HeapAlloc, "allocated": now.HeapAlloc,
		"objects": now.HeapObjects})
	truth.Ready()
	bufio.NewScanner(os.Stdin).Scan()
	runtime.KeepAlive(larges)
}
