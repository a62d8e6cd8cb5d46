// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/ioutil"
	"strings"
	"syscall"
)

const madvDontDump = 16 // of linux/mman.h

// inGdb returns a function that takes memory which is only reserved out of cores, and calls do. gdb writes such memory
// as a gigabyte of zeros.
func inGdb(do func()) func() {
	return func() {
		maps, err := ioutil.ReadFile("/proc/self/maps")
		if err != nil {
			panic(err)
		}
		for _, line := range strings.Split(string(maps), "\n") {
			var begin, end uintptr
			var access string
			if n, _ := fmt.Sscanf(line, "%x-%x %s", &begin, &end, &access); n == 3 && access == "---p" {
				if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, begin, end-begin, madvDontDump); errno != 0 {
					panic(errno)
				}
			}
		}
		do()
	}
}
