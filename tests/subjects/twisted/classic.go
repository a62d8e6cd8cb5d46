// SPDX-License-Identifier: Apache-2.0

//go:build !go1.24
// +build !go1.24

package main

import "unsafe"

// twistEndless: a bucket without entries that is chained to itself.
func twistEndless() {
	h := header(unsafe.Pointer(&endlessMap))
	bucket := (*[18]uintptr)(unsafe.Pointer(h[2]))
	bucket[0] = 0
	bucket[17] = h[2]
}
