// SPDX-License-Identifier: Apache-2.0

package main

// Of such keys, to compare them takes most of the time: who writes is in the code of maps.
type large [1 << 16]byte

var (
	shared = map[large]int{}
	keys   [2]large
)

//go:noinline
func write(k *large) {
	for {
		shared[*k]++
	}
}

//go:noinline
func iterate() {
	for {
		for range shared {
		}
	}
}

func mapRace() {
	keys[1][0] = 1
	shared[keys[0]], shared[keys[1]] = 1, 1
	go write(&keys[0])
	go write(&keys[1])
	iterate()
}
