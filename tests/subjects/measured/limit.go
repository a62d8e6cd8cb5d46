// SPDX-License-Identifier: Apache-2.0

//go:build go1.19
// +build go1.19

package main

import "runtime/debug"

// setLimit sets a memory limit, 0: one that does not matter, and returns it.
func setLimit(limit int64) int64 {
	if limit == 0 {
		limit = 1 << 30
	}
	debug.SetMemoryLimit(limit)
	return limit
}
