// SPDX-License-Identifier: Apache-2.0

//go:build go1.24
// +build go1.24

package main

import "unsafe"

// twistEndless: a table of groups without entries, more of them than there is memory for.
func twistEndless() {
	deleted := make([]byte, 64<<20)
	for i := range deleted {
		deleted[i] = 0xfe // deleted slots, in internal/runtime/maps/group.go
	}
	h := header(unsafe.Pointer(&endlessMap))
	directory := (*words)(unsafe.Pointer(h[2]))
	table := (*words)(unsafe.Pointer(directory[0]))
	table[2], table[3] = uintptr(unsafe.Pointer(&deleted[0])), 1<<60-1
}
