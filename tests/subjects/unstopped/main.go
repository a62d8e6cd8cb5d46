// SPDX-License-Identifier: Apache-2.0

// unstopped is in the kernel and cannot be stopped there: it waits for a child, as vfork does, which
// does nothing. The runtime was not told of the call, so that the goroutine runs.
package main

import (
	"fmt"
	"os"
	"subjects/truth"
	"syscall"
)

//go:noinline
func wait(number int, word string) {
	const clone = syscall.CLONE_VFORK | uintptr(syscall.SIGCHLD)
	pid, _, _ := syscall.RawSyscall6(syscall.SYS_CLONE, clone, 0, 0, 0, 0, 0)
	const endWithParent = 1 // PR_SET_PDEATHSIG
	if pid == 0 {
		syscall.RawSyscall(syscall.SYS_PRCTL, endWithParent, uintptr(syscall.SIGKILL), 0)
	}
	for pid == 0 {
		syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0)
	}
	fmt.Fprintln(os.Stderr, "the child ended", number, word)
}

func main() {
	truth.Say(map[string]int{"pid": os.Getpid()})
	go truth.EndWithStdin()
	truth.Ready()
	wait(71, "a word")
}
