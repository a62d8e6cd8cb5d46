// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	adviceHuge          = 14 // MADV_HUGEPAGE
	adviceNotHuge       = 15 // MADV_NOHUGEPAGE
	advicePopulateWrite = 23 // MADV_POPULATE_WRITE, Linux 5.14
	pageSize            = 4096
	hugeSize            = 2 << 20
	present             = 1 << 63 // of a word of /proc/PID/pagemap
)

var heap []byte

// fillHeap has every page of the heap present, as small pages or as huge ones.
func fillHeap(gigabytes int, huge bool) {
	if gigabytes == 0 {
		return
	}
	heap = make([]byte, gigabytes<<30)
	begin := (uintptr(unsafe.Pointer(&heap[0])) + hugeSize - 1) &^ (hugeSize - 1)
	end := uintptr(unsafe.Pointer(&heap[len(heap)-1])) &^ (hugeSize - 1)
	advice := adviceNotHuge
	if huge {
		advice = adviceHuge
	}
	advise(begin, end-begin, advice)
	for i := 0; i < len(heap); i += pageSize {
		heap[i] = byte(i >> 12)
	}
}

// startThreads are threads that wait, each with a goroutine of its own.
func startThreads(n int) {
	ready := make(chan int)
	for i := 0; i < n; i++ {
		go func() {
			runtime.LockOSThread()
			ready <- 1
			<-never
		}()
		<-ready
	}
}

// makeMappings has neighbours differ, so that the kernel does not make one of them.
func makeMappings(n int) {
	for i := 0; i < n; i++ {
		page, err := syscall.Mmap(-1, 0, pageSize, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			panic(err)
		}
		page[0] = 1
		if i%2 == 0 {
			syscall.Mprotect(page, syscall.PROT_READ)
		}
	}
}

// renew writes to all pages that are there, without changing them: a second copy of a page
// that was not written since the first is cheaper.
func renew() {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	defer maps.Close()
	pagemap, err := os.Open("/proc/self/pagemap")
	if err != nil {
		panic(err)
	}
	defer pagemap.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var begin, end uintptr
		var rights string
		fmt.Sscanf(lines.Text(), "%x-%x %s", &begin, &end, &rights)
		if rights == "rw-p" {
			renewPart(pagemap, begin, end)
		}
	}
}

var words [1 << 16]byte

func renewPart(pagemap *os.File, begin, end uintptr) {
	for begin < end {
		size := int(end-begin) / pageSize * 8
		if size > len(words) {
			size = len(words)
		}
		if n, _ := pagemap.ReadAt(words[:size], int64(begin/pageSize*8)); n != size {
			return
		}
		from := -1
		for i := 0; i <= size; i += 8 {
			there := i < size && binary.LittleEndian.Uint64(words[i:])&present != 0
			if there && from < 0 {
				from = i
			} else if !there && from >= 0 {
				advise(begin+uintptr(from/8*pageSize), uintptr((i-from)/8*pageSize),
					advicePopulateWrite)
				from = -1
			}
		}
		begin += uintptr(size / 8 * pageSize)
	}
}

func advise(begin, size uintptr, advice int) {
	syscall.Syscall(syscall.SYS_MADVISE, begin, size, uintptr(advice))
}
