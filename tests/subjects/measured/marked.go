// SPDX-License-Identifier: Apache-2.0

//go:build go1.21
// +build go1.21

package main

import "runtime/metrics"

var samples = []metrics.Sample{{Name: "/gc/heap/live:bytes"}}

// marked is how much the last collection has found alive.
func marked() uint64 {
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}
