// SPDX-License-Identifier: Apache-2.0

package gosnap

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// goroutineID is from "goroutine 41 [running]:", the only place where the runtime says it.
func goroutineID() uint64 {
	var room [64]byte
	text := room[:runtime.Stack(room[:], false)]
	text = bytes.TrimPrefix(text, []byte("goroutine "))
	if end := bytes.IndexByte(text, ' '); end > 0 {
		id, _ := strconv.ParseUint(string(text[:end]), 10, 64)
		return id
	}
	return 0
}

// isPanicking is true if the caller's caller is the runtime, which runs the deferred functions of a
// goroutine that panics. recover() would tell, too, but not without changing what the runtime prints.
// Otherwise deferred functions are called by the one that deferred them, or by runtime.Goexit.
func isPanicking() bool {
	const skipped = 3 // Callers, isPanicking, and the deferred function
	var pcs [8]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(skipped, pcs[:])])
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			return true
		// What calls a function by its address: call32 and reflectcall, up to 1.16.
		case strings.HasPrefix(frame.Function, "runtime.call"),
			strings.HasPrefix(frame.Function, "runtime.reflectcall"),
			frame.Function == "runtime.runOpenDeferFrame":
		default:
			return false
		}
		if !more {
			return false
		}
	}
}
