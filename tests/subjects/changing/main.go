// SPDX-License-Identifier: Apache-2.0

// Subject: a process that becomes another, or ends, while somebody looks.
//
//	changing exec N   begins anew N times, each time a moment after it was ready, and ends with 7
//	changing exit     ends with 7 when it reads a line
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"subjects/truth"
	"syscall"
	"time"
)

const (
	goroutines = 5000
	status     = 7
)

func main() {
	never := make(chan int)
	for i := 0; i < goroutines; i++ {
		go func() { <-never }()
	}
	if os.Args[1] == "exit" {
		truth.Ready()
		bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(status)
	}
	left, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	fmt.Println("LEFT", left)
	truth.Ready()
	// Now from the first thread, now from another, which takes the first one's place.
	if left%2 == 0 {
		runtime.LockOSThread()
	}
	time.Sleep(time.Duration(left%16) * 2 * time.Millisecond)
	if left == 0 {
		os.Exit(status)
	}
	panic(syscall.Exec("/proc/self/exe", []string{os.Args[0], "exec", strconv.Itoa(left - 1)},
		os.Environ()))
}
