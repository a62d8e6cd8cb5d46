// SPDX-License-Identifier: Apache-2.0

// reaching waits in a select with three cases, of a function whose arguments point to arrays: into
// its stack, of a type that is longer than that; to all of one there; to one of the heap.
package main

import (
	"fmt"
	"subjects/truth"
	"unsafe"
)

const (
	most  = 1 << 16
	cases = 3
)

var (
	never [cases]chan int
	sum   int
)

//go:noinline
func wait(longer, heaped *[most]int, whole *[1024]int, password *[most]byte) {
	select {
	case <-never[0]:
	case <-never[1]:
	case never[2] <- 1:
	}
	sum = longer[0] + whole[0] + heaped[0] + int(password[0])
}

func main() {
	for i := range never {
		never[i] = make(chan int)
	}
	few, whole, heaped := [4]int{1, 2, 3, 4}, [1024]int{5, 6, 7}, new([most]int)
	heaped[0] = 8
	truth.Say(map[string]string{
		"longer": fmt.Sprintf("%#x", uintptr(unsafe.Pointer(&few))),
		"heaped": fmt.Sprintf("%#x", uintptr(unsafe.Pointer(heaped))),
	})
	go truth.EndWithStdin()
	truth.Ready()
	pass := [12]byte{'o', 'p', 'e', 'n', ' ', 's', 'e', 's', 'a', 'm', 'e', '1'}
	wait((*[most]int)(unsafe.Pointer(&few)), heaped, &whole, (*[most]byte)(unsafe.Pointer(&pass)))
}
