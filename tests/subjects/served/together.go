// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"strconv"
	"subjects/truth"
	"sync"
	"unsafe"
)

// Words that change together: goroutines wait with words on their stacks that one thread
// writes, all with the same number, in order, again and again. Whoever sees them all at one
// instant sees one number and the one before it, and one place where they change.
//
// They are arguments, so that a snapshot has them: an array is never passed in registers.

var (
	tiedWords []uintptr // two for each goroutine
	tiedLock  sync.Mutex
	ready     sync.WaitGroup
)

//go:noinline
func tiedTo(words [3]uint64) {
	at := uintptr(unsafe.Pointer(&words))
	tiedLock.Lock()
	tiedWords[2*words[2]], tiedWords[2*words[2]+1] = at, at+8
	tiedLock.Unlock()
	ready.Done()
	<-never
}

// roomy makes the stack large enough to stay where it is, unless the collector shrinks it:
// run with GODEBUG=gcshrinkstackoff=1.
//
//go:noinline
func roomy(n int) int {
	var room [8000]byte
	room[n%len(room)] = 1
	return int(room[(n+1)%len(room)])
}

func tie(n int) {
	if n == 0 {
		return
	}
	tiedWords = make([]uintptr, 2*n)
	ready.Add(n)
	for i := 0; i < n; i++ {
		go func(i int) {
			roomy(i)
			tiedTo([3]uint64{2: uint64(i)})
		}(i)
	}
	ready.Wait()
	said := make([]string, len(tiedWords))
	for i, at := range tiedWords {
		said[i] = "0x" + strconv.FormatUint(uint64(at), 16)
	}
	truth.Say(map[string]interface{}{"tied": said})
	go func() {
		runtime.LockOSThread()
		for number := uint64(1); ; number++ {
			write(tiedWords, number)
		}
	}()
}

//go:noinline
func write(places []uintptr, number uint64) {
	for _, at := range places {
		*(*uint64)(at2pointer(at)) = number
	}
}

// at2pointer goes around what vet thinks of uintptr.
func at2pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// Goroutines that want the same lock: at no instant are two of them inside.

var (
	baton  sync.Mutex
	inside int
)

func rival(n int) {
	for i := 0; i < n; i++ {
		go func() {
			for {
				baton.Lock()
				holding(1000)
				baton.Unlock()
			}
		}()
	}
}

//go:noinline
func holding(turns int) {
	if inside++; inside != 1 {
		fail("%d goroutines hold a lock", inside)
	}
	for i := 0; i < turns; i++ {
		if i%500 == 0 {
			runtime.Gosched()
		}
	}
	inside--
}
