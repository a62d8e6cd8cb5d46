// SPDX-License-Identifier: Apache-2.0

//go:build linux && go1.23
// +build linux,go1.23

package gosnap

import (
	"os"
	"runtime/debug"
)

const canSetCrashOutput = true

// connectCrashOutput has the runtime write to the pipe when it ends the program, and closes it.
func connectCrashOutput(pipe int) error {
	file := os.NewFile(uintptr(pipe), "|1")
	defer file.Close() // the runtime gets a descriptor of its own
	return debug.SetCrashOutput(file, debug.CrashOptions{})
}
