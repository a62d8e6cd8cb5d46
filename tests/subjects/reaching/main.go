// SPDX-License-Identifier: Apache-2.0

// reaching waits in a select with three cases, of a function whose arguments point to arrays: into
// its stack, of a type that is longer than that; to all of one there; to one of the heap. The last argument
// leads to objects of the heap, by types and lengths that they have, and that are too long for them.
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

type large struct {
	first int
	room  [1 << 10]int
}

// Memory is what has the same words as a slice, and a string.
type memory struct {
	at       unsafe.Pointer
	len, cap int
}

type heap struct {
	Whole, Last        []int
	Large              *large
	Text               string
	FarWhole           []int
	FarLarge, FarInner *large
	FarArray           *[most]int
	FarText            string
	FarPassword        string
	FarToken           []byte
	Across             string
}

var (
	never [cases]chan int
	sum   int
)

//go:noinline
func wait(longer, heaped *[most]int, whole *[1024]int, password *[most]byte, objects *heap) {
	select {
	case <-never[0]:
	case <-never[1]:
	case never[2] <- 1:
	}
	sum = longer[0] + whole[0] + heaped[0] + int(password[0]) + len(objects.Text)
}

func onHeap() *heap {
	small, text := new([4]int), make([]byte, 1<<12)
	for i := range text {
		text[i] = 'a'
	}
	far := memory{unsafe.Pointer(small), most, most}
	literal := "a literal"
	across := memory{(*memory)(unsafe.Pointer(&literal)).at, int(uintptr(unsafe.Pointer(small))), 0}
	h := &heap{
		Whole:    make([]int, 1<<10), // all of its object
		Large:    &large{first: 9},
		Text:     string(text),
		FarWhole: *(*[]int)(unsafe.Pointer(&far)),
		FarLarge: (*large)(unsafe.Pointer(small)),
		FarArray: (*[most]int)(unsafe.Pointer(small)),
		FarText:  *(*string)(unsafe.Pointer(&far)),
		// Secrets by their names, but what lies behind the object is not.
		FarPassword: *(*string)(unsafe.Pointer(&far)),
		FarToken:    *(*[]byte)(unsafe.Pointer(&far)),
		// It begins in the file of the program, and ends in what the heap has reserved.
		Across: *(*string)(unsafe.Pointer(&across)),
	}
	h.Last = h.Whole[1000:]
	h.FarInner = (*large)(unsafe.Pointer(&h.Whole[1000]))
	return h
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
	wait((*[most]int)(unsafe.Pointer(&few)), heaped, &whole, (*[most]byte)(unsafe.Pointer(&pass)), onHeap())
}
