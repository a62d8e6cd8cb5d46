// SPDX-License-Identifier: Apache-2.0

//go:build cgo
// +build cgo

package main

import _ "runtime/cgo" // threads and signal handlers pass through C
