// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"os"
	"syscall"
)

const (
	packetMax   = 4096 // PIPE_BUF: a write to the pipe that is one packet
	setPipeSize = 1031 // F_SETPIPE_SZ

	reading, writing = 0, 1 // ends of a pipe
)

// newPipe returns both ends of a pipe. Our own does not block us.
func newPipe(ours, flags int) (ends [2]int, err error) {
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC|flags); err != nil {
		return ends, os.NewSyscallError("pipe2", err)
	}
	err = moveAbove(&ends[reading])
	if err == nil {
		err = moveAbove(&ends[writing])
	}
	if err == nil {
		err = os.NewSyscallError("fcntl", syscall.SetNonblock(ends[ours], true))
	}
	if err != nil {
		closeAll(ends[:])
	}
	return ends, err
}

// moveAbove leaves the numbers of standard descriptors, which the program may have closed, to nobody:
// the runtime writes to them without asking.
func moveAbove(descriptor *int) error {
	if *descriptor > syscall.Stderr {
		return nil
	}
	above, err := dupAbove(*descriptor)
	if err == nil {
		syscall.Close(*descriptor)
		*descriptor = above
	}
	return err
}

func closeAll(descriptors []int) {
	for _, descriptor := range descriptors {
		syscall.Close(descriptor)
	}
}

// newTrigger returns a pipe that has room for one packet: a writer is kept in write() from the second on,
// until the first is read.
func newTrigger() ([2]int, error) {
	ends, err := newPipe(writing, syscall.O_DIRECT)
	if err != nil {
		return ends, err
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(ends[writing]), setPipeSize, packetMax)
	if errno != 0 {
		closeAll(ends[:])
		return ends, os.NewSyscallError("fcntl", errno)
	}
	return ends, nil
}

// newListener returns a pipe that the child writes to.
func newListener() ([2]int, error) { return newPipe(reading, 0) }

func dupAbove(descriptor int) (int, error) {
	number, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(descriptor),
		syscall.F_DUPFD_CLOEXEC, 3)
	if errno != 0 {
		return -1, os.NewSyscallError("fcntl", errno)
	}
	return int(number), nil
}
