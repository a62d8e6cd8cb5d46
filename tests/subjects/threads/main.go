// SPDX-License-Identifier: Apache-2.0

// Subject: many OS threads, each with a goroutine that blocks in the kernel. The argument
// is their number.
package main

import (
	"os"
	"runtime"
	"strconv"
	"subjects/truth"
	"syscall"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	for i := 0; i < n; i++ {
		go blocked(fds[0])
	}
	go truth.Announce(n)
	select {}
}

func blocked(fd int) {
	var buf [1]byte
	runtime.LockOSThread()
	truth.Below("thread", "syscall").Thread()
	syscall.Read(fd, buf[:])
}
