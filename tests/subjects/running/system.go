// SPDX-License-Identifier: Apache-2.0

package main

import (
	"syscall"
	"unsafe"
)

// pointer gives the address of a global, which does not move.
func pointer(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }

func blockSIGURG() {
	set := uint64(1) << (uint(syscall.SIGURG) - 1)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, uintptr(unsafe.Pointer(&set)), 0, 8, 0, 0)
}
