// SPDX-License-Identifier: Apache-2.0

// Subject whose variables are damaged, or have no end: nothing of it may take long to print, or
// much memory. It never touches them again.
package main

import (
	"os"
	"strconv"
	"subjects/truth"
	"unsafe"
)

type words [8]uintptr

var nothing [64]uintptr

type loop struct {
	Self  *loop
	Any   interface{}
	Other *loop
}

type selfish []selfish
type circular map[string]circular

var (
	longSlice                 = []int{1, 2, 3}
	negativeSlice             = []int{1}
	cutSlice                  = []string{"a"}
	longString                = string([]byte("abc"))
	lostString                = string([]byte("lost"))
	negative                  = string([]byte("minus"))
	badInterface  interface{} = 1
	badError      error       = os.ErrNotExist
	heapInterface interface{} = 2
	badPointer                = new(int)
	badFunc                   = func() { println(len(longSlice)) }
	badChannel                = make(chan int, 4)
	badIndex                  = make(chan int, 4)
	badMap                    = map[int]int{1: 1}
	greatMap                  = map[int]int{}
	wildMap                   = map[int]int{}
	hugeMap                   = map[int]int{}
	endlessMap                = map[int]int{}
	lostInside    interface{} = "inside"
	lostError     error       = os.ErrNotExist
	codeless                  = func() { println(len(cutSlice)) }
	uncapped                  = []int{1}
	endlessArray              = [2][]words{}
	aLoop         loop
	aSelfish              = make(selfish, 2)
	aCircular             = circular{}
	unmapped      uintptr = 0x10
)

// What was never set has letters for addresses and lengths: "abcdefgh".
const letters = 0x6867666564636261

var (
	strayPointer                 = new(loop)
	strayAny                     = unsafe.Pointer(&unmapped)
	strayString                  = string([]byte("abc"))
	strayLength                  = string([]byte("abc"))
	strayNegative                = string([]byte("abc"))
	straySlice                   = []int{1, 2, 3}
	strayBytes                   = []byte{1, 2, 3}
	strayCap                     = []int{1, 2, 3}
	strayUncapped                = []int{1, 2, 3}
	strayNil                     = []int{1, 2, 3}
	strayNumbers     []*int      = make([]*int, 3)
	strayInterface   interface{} = 1
	strayInside      interface{} = "inside"
	strayError       error       = os.ErrNotExist
	strayFunc                    = func() { println(len(strayBytes)) }
	strayChannel                 = make(chan int, 4)
	strayBuffer                  = make(chan int, 4)
	strayQueue                   = make(chan int, 4)
	strayMap                     = map[int]int{1: 1}
	strayCount                   = map[int]int{1: 1}
	strayNothing                 = make([]struct{}, 3)
)

func twistStrays() {
	for _, p := range []unsafe.Pointer{unsafe.Pointer(&strayPointer), unsafe.Pointer(&strayAny),
		unsafe.Pointer(&strayString), unsafe.Pointer(&strayInterface), unsafe.Pointer(&strayError),
		unsafe.Pointer(&strayFunc), unsafe.Pointer(&strayChannel), unsafe.Pointer(&strayMap)} {
		at(p)[0] = letters
	}
	at(unsafe.Pointer(&strayInside))[1] = letters
	for _, p := range []unsafe.Pointer{unsafe.Pointer(&strayLength), unsafe.Pointer(&strayBytes),
		unsafe.Pointer(&straySlice), unsafe.Pointer(&strayUncapped), unsafe.Pointer(&strayNil),
		unsafe.Pointer(&strayNothing)} {
		at(p)[1] = letters
	}
	at(unsafe.Pointer(&strayNegative))[1] = letters | 1<<63
	for _, p := range []unsafe.Pointer{unsafe.Pointer(&strayBytes), unsafe.Pointer(&straySlice),
		unsafe.Pointer(&strayNil), unsafe.Pointer(&strayCap), unsafe.Pointer(&strayNothing)} {
		at(p)[2] = letters
	}
	at(unsafe.Pointer(&strayNil))[0] = 0
	for i := range strayNumbers {
		at(unsafe.Pointer(&strayNumbers[i]))[0] = letters
	}
	for i := 0; i < 2; i++ {
		header(unsafe.Pointer(&strayBuffer))[i] = letters
	}
	header(unsafe.Pointer(&strayQueue))[0] = letters
	header(unsafe.Pointer(&strayCount))[0] = letters
}

func at(p unsafe.Pointer) *words { return (*words)(p) }

// header is the struct behind a map, channel or function.
func header(p unsafe.Pointer) *words { return *(**words)(p) }

func twist() {
	at(unsafe.Pointer(&longSlice))[1] = 1 << 60
	at(unsafe.Pointer(&longSlice))[2] = 1 << 60
	at(unsafe.Pointer(&negativeSlice))[1] = ^uintptr(0)
	at(unsafe.Pointer(&cutSlice))[0] = 0x10
	at(unsafe.Pointer(&longString))[1] = 1 << 60
	at(unsafe.Pointer(&lostString))[0] = 0x10
	at(unsafe.Pointer(&negative))[1] = ^uintptr(0)
	at(unsafe.Pointer(&badInterface))[0] = 0x10
	at(unsafe.Pointer(&badError))[0] = 0x10
	at(unsafe.Pointer(&heapInterface))[0] = uintptr(unsafe.Pointer(&nothing))
	at(unsafe.Pointer(&lostInside))[1] = 0x10
	at(unsafe.Pointer(&lostError))[0] = uintptr(unsafe.Pointer(&nothing))
	at(unsafe.Pointer(&codeless))[0] = uintptr(unsafe.Pointer(&unmapped))
	at(unsafe.Pointer(&uncapped))[2] = ^uintptr(0) - 1
	at(unsafe.Pointer(&endlessArray[1]))[0] = uintptr(unsafe.Pointer(&unmapped))
	at(unsafe.Pointer(&endlessArray[1]))[1] = 1 << 55
	at(unsafe.Pointer(&endlessArray[1]))[2] = 1 << 55
	at(unsafe.Pointer(&badPointer))[0] = 0x10
	at(unsafe.Pointer(&badFunc))[0] = 0x10
	header(unsafe.Pointer(&badChannel))[0] = 1 << 40
	badIndexWords := header(unsafe.Pointer(&badIndex))
	for i := 4; i < 8; i++ { // sendx and recvx are among them in each release
		badIndexWords[i] = 1 << 40
	}
}

func twistMaps() {
	for i := 0; i < 1000; i++ {
		greatMap[i], wildMap[i] = i, i
	}
	header(unsafe.Pointer(&badMap))[2] = 0x10 // the directory, or the buckets
	header(unsafe.Pointer(&greatMap))[3] = 1 << 40
	header(unsafe.Pointer(&greatMap))[1] |= 0xff << 8 // B of the older form
	header(unsafe.Pointer(&wildMap))[0] = 1 << 60
	for i := 0; i < 1000; i++ {
		endlessMap[i] = i
	}
	twistEndless()
	n, _ := strconv.Atoi(os.Args[1])
	for i := 0; i < n; i++ {
		hugeMap[i] = i
	}
}

func main() {
	aLoop.Self, aLoop.Other = &aLoop, &aLoop
	aLoop.Any = &aLoop
	aSelfish[0], aSelfish[1] = aSelfish, aSelfish
	aCircular["itself"] = aCircular
	// Nobody collects what they point to any more, or looks at it.
	debugOff()
	twistMaps()
	twist()
	twistStrays()
	truth.Say(map[string]interface{}{"twisted": true})
	os.Stdout.WriteString("READY\n")
	sleep()
}
