// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"unsafe"
)

// What only the stacks of goroutines refer to, in variables of different kinds: debug information has their types.
type (
	listed struct {
		next *listed
		n    [5]int
	}
	counted struct {
		n [10]int
		p *passed
	}
	passed struct{ n [7]int }
	keyed  struct{ n [11]int }
	moved  struct{ n [13]int }
	inside struct{ n [15]int }
	nested struct {
		_  int
		in struct{ all [3]*inside }
	}
	boxed struct{ n [17]int }
)

// What has a finalizer: the runtime has its type.
type finalized struct {
	of *behind
	n  [3]int
}
type behind struct{ n [19]int }

const (
	listedCount, keyedCount, standing, finalizedCount = 40, 6, 3, 25
)

var (
	untyped [finalizedCount]unsafe.Pointer
	// Because of it, a variable is on the heap itself.
	addresses []unsafe.Pointer
	forever   = make(chan bool)
)

//go:noinline
func list() (head *listed) {
	for i := 0; i < listedCount; i++ {
		head = &listed{next: head}
	}
	return head
}

//go:noinline
func stand(head *listed, some []counted, of map[int32]*keyed, any interface{}, ready chan<- struct{},
	out <-chan uint16) {
	in := nested{}
	for i := range in.in.all {
		in.in.all[i] = new(inside)
	}
	there := new(moved)
	addresses = append(addresses, unsafe.Pointer(&there))
	ready <- struct{}{}
	<-forever
	runtime.KeepAlive(head)
	runtime.KeepAlive(out)
	runtime.KeepAlive(some)
	runtime.KeepAlive(of)
	runtime.KeepAlive(any)
	runtime.KeepAlive(in)
	runtime.KeepAlive(there)
}

//go:noinline
func start(ready chan struct{}) {
	of := map[int32]*keyed{}
	for i := int32(0); i < keyedCount; i++ {
		of[i] = new(keyed)
	}
	some := make([]counted, 3)
	for i := range some {
		some[i].p = new(passed)
	}
	go stand(list(), some, of, &boxed{}, ready, make(chan uint16, 2))
}

// stack returns how many objects there are of the types that debug information has, and of those that the runtime
// has, too.
//
//go:noinline
func stack() (described, typed map[string]int) {
	ready := make(chan struct{})
	for i := 0; i < standing; i++ {
		start(ready)
		<-ready
	}
	for i := range untyped {
		f := &finalized{of: new(behind)}
		runtime.SetFinalizer(f, func(*finalized) {})
		untyped[i] = unsafe.Pointer(f)
	}
	return map[string]int{
			"main.listed": standing * listedCount, "[]main.counted": standing, "main.passed": 3 * standing,
			"map[int32]*main.keyed": standing, "main.keyed": keyedCount * standing,
			"main.inside": 3 * standing, "main.moved": standing, "chan uint16": standing,
		}, map[string]int{
			"main.finalized": finalizedCount, "main.behind": finalizedCount, "main.boxed": standing,
		}
}
