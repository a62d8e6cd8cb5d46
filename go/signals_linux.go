// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"os"
	"syscall"
)

// registrable leaves out those that a program can no longer be given once it asked for them, and those
// that would never end.
func registrable(signals []os.Signal) (some []os.Signal) {
	for _, s := range signals {
		switch s {
		case syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGPIPE,
			syscall.SIGCHLD, syscall.SIGURG:
		default:
			some = append(some, s)
		}
	}
	return some
}

// endsProgram is what package os/signal says under "Default behavior of signals in Go programs".
func endsProgram(s os.Signal) bool {
	switch s {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM,
		syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGSTKFLT,
		syscall.SIGSYS, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV:
		return true
	}
	return false
}

func sendAgain(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		_ = syscall.Kill(os.Getpid(), number)
	}
}

// numberOf is for gosnap --trigger.
func numberOf(s os.Signal) string {
	if number, ok := s.(syscall.Signal); ok {
		return ",signal=" + itoa(int(number))
	}
	return ""
}
