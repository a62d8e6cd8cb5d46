// SPDX-License-Identifier: Apache-2.0

//go:build !go1.19
// +build !go1.19

package main

func setLimit(int64) int64 { return 0 }
