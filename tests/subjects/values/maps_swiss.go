// SPDX-License-Identifier: Apache-2.0

//go:build go1.24
// +build go1.24

package main

import (
	"fmt"
	"unsafe"
)

const (
	directory       = 2 // of the words of a header
	directoryLength = 3
)

// isUneven: a table of it stands for several of the directory, of whose others some were split.
func isUneven(h *[6]uintptr) bool {
	tables := unsafe.Slice((*uintptr)(unsafe.Pointer(h[directory])), h[directoryLength])
	same := 0
	for i := 1; i < len(tables); i++ {
		if tables[i] == tables[i-1] {
			same++
		}
	}
	return same > 0
}

func moveOn() {
	for i := 0; i < 1000; i++ {
		growingMap[i], tidiedMap[i] = fmt.Sprint(i), "gone"
	}
	for i := 0; i < 1000; i++ {
		delete(tidiedMap, i-1)
		tidiedMap[i] = fmt.Sprint(i)
	}
	var key large
	for i := 0; i < 100; i++ {
		key[0] = byte(i)
		growingBig[key] = key
	}
	for i := 0; i < 3000 || !isUneven(words(unsafe.Pointer(&unevenMap))); i++ {
		unevenMap[fmt.Sprint(i)] = i
	}
}
