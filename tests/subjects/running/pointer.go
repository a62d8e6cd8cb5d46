// SPDX-License-Identifier: Apache-2.0

package main

import "unsafe"

// pointer gives the address of a global, which does not move.
func pointer(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }
