// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"sync"
	"syscall"
)

const prSetPtracer = 0x59616d61 // PR_SET_PTRACER: "Yama"

// Where Yama restricts tracing, a process names the one that may trace it, its children included:
// the child of a snapshot, and otherwise that of Monitor, if there is one.
var tracer struct {
	sync.Mutex
	monitor int // pid; 0: none
	now     int
}

// Replaced by tests.
var setPtracer = func(pid int) {
	// EINVAL where there is no Yama: nobody asks then.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetPtracer, uintptr(pid), 0)
}

func allowTracer(pid int) {
	tracer.Lock()
	defer tracer.Unlock()
	tracer.now = pid
	setPtracer(pid)
}

func disallowTracer() {
	tracer.Lock()
	defer tracer.Unlock()
	tracer.now = 0
	setPtracer(tracer.monitor)
}

// setMonitorTracer names the child of Monitor; 0: there is none any more.
func setMonitorTracer(pid int) {
	tracer.Lock()
	defer tracer.Unlock()
	tracer.monitor = pid
	if tracer.now == 0 {
		setPtracer(pid)
	}
}
