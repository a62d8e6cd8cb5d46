// SPDX-License-Identifier: Apache-2.0

package main

// #include <unistd.h>
// static void rests(void) { for (;;) pause(); }
import "C"

func init() {
	cases["a holder in C"] = func() {
		held(func() { C.rests() })
		ready()
	}
	cases["well: in C"] = func() {
		for i := 0; i < 40; i++ {
			go func() { C.rests() }()
		}
		ready()
	}
}
