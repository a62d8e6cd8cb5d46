// SPDX-License-Identifier: Apache-2.0

//go:build go1.23
// +build go1.23

package main

import "time"

// From this release on the runtime keeps a timer behind what the program sees of it.
var copied time.Timer

func init() {
	more = append(more, func() {
		said["copied"] = ""
		copied = *inAnHour
		keep(&copied)
	})
}
