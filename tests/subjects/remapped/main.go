// SPDX-License-Identifier: Apache-2.0

// Subject: its code lies in memory without a file, as that of programs which want it in
// larger pages.
package main

import (
	"bytes"
	"fmt"
	"io/ioutil"
	"os"
	"subjects/truth"
	"sync"
	"syscall"
	"unsafe"
)

func main() {
	truth.EndWithStdin()
	remapText()
	var mu sync.Mutex
	mu.Lock()
	for depth := 0; depth < 4; depth++ {
		go parked(depth)
		go locked(&mu)
	}
	go truth.Announce(9)
	truth.Below("main", "select (no cases)")
	select {}
}

func parked(depth int) {
	if depth > 0 {
		parked(depth - 1)
		return
	}
	truth.Below("parked", "chan receive")
	<-make(chan int)
}

func locked(mu *sync.Mutex) {
	truth.Below("locked", "semacquire|sync.Mutex.Lock")
	mu.Lock()
}

func remapText() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	maps, err := ioutil.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	for _, line := range bytes.Split(maps, []byte("\n")) {
		var start, end uintptr
		var permissions string
		fmt.Sscanf(string(line), "%x-%x %s", &start, &end, &permissions)
		if permissions == "r-xp" && bytes.HasSuffix(line, []byte(exe)) {
			remap(start, end-start)
		}
	}
}

func remap(addr, size uintptr) {
	const fixed = 3 // MREMAP_MAYMOVE|MREMAP_FIXED
	copied := must(syscall.SYS_MMAP, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	copy(bytesAt(copied, size), bytesAt(addr, size))
	must(syscall.SYS_MPROTECT, copied, size, syscall.PROT_READ|syscall.PROT_EXEC, 0)
	must(syscall.SYS_MREMAP, copied, size, size, fixed, addr)
}

func must(call, a, b, c, d uintptr, more ...uintptr) uintptr {
	fifth := ^uintptr(0) // mmap: no file
	if len(more) > 0 {
		fifth = more[0]
	}
	r, _, errno := syscall.RawSyscall6(call, a, b, c, d, fifth, 0)
	if errno != 0 {
		panic(errno)
	}
	return r
}

func bytesAt(addr, size uintptr) []byte {
	return (*[1 << 40]byte)(unsafe.Pointer(addr))[:size:size]
}
