// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

// connectStandardError puts the pipe in the place of descriptor 2, until the child ends.
func (c *child) connectStandardError() error {
	before, err := dupAbove(syscall.Stderr)
	if err != nil {
		return err
	}
	// Writing to standard error while nobody reads it ends a Go program, and the child may be killed.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	if err := syscall.Dup3(c.pipe, syscall.Stderr, 0); err != nil {
		signal.Stop(broken)
		syscall.Close(before)
		return os.NewSyscallError("dup3", err)
	}
	ended := make(chan struct{})
	go func() {
		c.reap()
		close(ended)
	}()
	go c.watch(before, broken, ended)
	return nil
}

// settle is how long we go on asking for SIGPIPE when standard error is given back. os.File.Write tells the
// runtime of a broken pipe after the write has failed (epipecheck), so a goroutine may be between the two,
// and the runtime ends a program that has not asked.
const settle = 10 * time.Second

// watch gives standard error back if the child ends before us.
func (c *child) watch(before int, broken chan os.Signal, ended <-chan struct{}) {
	for lives := true; lives; {
		select {
		case <-ended:
			lives = false
		case <-broken:
			if !hasNoReader(c.pipe) {
				dieOfBrokenOutput(broken)
			}
		}
	}
	_ = syscall.Dup3(before, syscall.Stderr, 0)
	syscall.Close(before)
	go stopAsking(broken)
	monitored.Lock()
	monitored.child = nil
	monitored.Unlock()
	setMonitorTracer(0)
	c.closePipe()
	c.said.close()
	c.complaints.close()
	c.options.log("the monitor ended")
}

func stopAsking(broken chan os.Signal) {
	defer signal.Stop(broken)
	for settled := time.After(settle); ; {
		select {
		case <-settled:
			return
		case <-broken:
			dieOfBrokenOutput(broken)
		}
	}
}

// brokenOutput is what dieOfBrokenOutput wrote to: unreachable, it would be closed.
var brokenOutput *os.File

// dieOfBrokenOutput does what the runtime would have done without our Notify: a write to a standard
// output that nobody reads ends the program. os.Stdout may be another file by now.
func dieOfBrokenOutput(broken chan os.Signal) {
	for _, output := range []int{syscall.Stdout, syscall.Stderr} {
		if hasNoReader(output) {
			signal.Stop(broken)
			brokenOutput = os.NewFile(uintptr(output), "")
			_, _ = brokenOutput.Write([]byte{0}) // to nobody
			signal.Notify(broken, syscall.SIGPIPE)
		}
	}
}

// hasNoReader asks poll(2), by the call that every architecture has.
func hasNoReader(descriptor int) bool {
	const pollError = 8 // POLLERR
	set := struct {
		descriptor    int32
		events, found int16
	}{descriptor: int32(descriptor)}
	var now syscall.Timespec
	n, _, errno := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&set)), 1,
		uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return errno == 0 && n == 1 && set.found&pollError != 0
}
