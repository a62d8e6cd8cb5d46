// SPDX-License-Identifier: Apache-2.0

// Subject: the first thread has ended, the process goes on. The thread-group leader is a
// zombie: what /proc tells of the process has to be asked of other threads.
package main

import (
	"runtime"
	"subjects/truth"
	"syscall"
)

func init() {
	runtime.LockOSThread()
}

func main() {
	truth.EndWithStdin()
	for i := 0; i < 3; i++ {
		go parked()
		go blocked()
	}
	go announce()
	truth.Below("main", "syscall")
	syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

func announce() {
	truth.Await(7)
	for state() != 'Z' {
		runtime.Gosched()
	}
	truth.Announce(0)
}

// state of the first thread.
func state() byte {
	var buf [512]byte
	fd, err := syscall.Open("/proc/self/stat", syscall.O_RDONLY, 0)
	if err != nil {
		panic(err)
	}
	defer syscall.Close(fd)
	n, _ := syscall.Read(fd, buf[:])
	for i := n - 1; i > 0; i-- {
		if buf[i] == ')' {
			return buf[i+2]
		}
	}
	return 0
}

func parked() {
	truth.Below("parked", "chan receive")
	<-make(chan int)
}

func blocked() {
	var fds [2]int
	var buf [1]byte
	if err := syscall.Pipe(fds[:]); err != nil {
		panic(err)
	}
	runtime.LockOSThread()
	truth.Below("blocked", "syscall").Thread()
	syscall.Read(fds[0], buf[:])
}
