// SPDX-License-Identifier: Apache-2.0

//go:build !go1.24
// +build !go1.24

package main

import (
	"fmt"
	"unsafe"
)

const (
	oldBuckets   = 3       // of the words of a header; not nil while it grows
	sameSizeGrow = 8       // of the flags, the first byte of word 1: not to become larger
	most         = 1 << 20 // turns to get there
)

// moveOn leaves most of what is in old buckets there, and adds and removes some.
func moveOn() {
	for i := 0; i < 500 || words(unsafe.Pointer(&growingMap))[oldBuckets] == 0; i++ {
		growingMap[i] = fmt.Sprint(i)
	}
	delete(growingMap, 1)
	growingMap[2] = "changed"
	var key large
	for i := 0; i < 100 || words(unsafe.Pointer(&growingBig))[oldBuckets] == 0; i++ {
		key[0], key[1] = byte(i), byte(i>>8)
		growingBig[key] = key
	}
	tidied := words(unsafe.Pointer(&tidiedMap))
	for i := 0; tidied[oldBuckets] == 0 || tidied[1]&sameSizeGrow == 0; i++ {
		if i == most {
			panic("no overflow was tidied up")
		}
		tidiedMap[i] = fmt.Sprint(i)
		delete(tidiedMap, i-200)
	}
	for i := 0; i < 300; i++ {
		unevenMap[fmt.Sprint(i)] = i
	}
	for _, m := range []unsafe.Pointer{unsafe.Pointer(&growingMap), unsafe.Pointer(&growingBig)} {
		if words(m)[oldBuckets] == 0 {
			panic("a map has grown meanwhile")
		}
	}
}
