// SPDX-License-Identifier: Apache-2.0

package main

import _ "unsafe" // for linkname

//go:linkname writeBarrier runtime.writeBarrier
var writeBarrier struct {
	enabled bool
	pad     [3]byte
}

// collecting says whether objects are being marked.
//
//go:noinline
func collecting() bool { return writeBarrier.enabled }
