// SPDX-License-Identifier: Apache-2.0

// Subject: Go calls C, which calls Go, which calls C, which calls Go: there it sleeps, or panics and ends.
package main

/*
extern int goInner(int);
extern int goOuter(int);
#define NEVER_INLINED __attribute__((noinline))
static inline int after(int r) { __asm__ volatile("" ::: "memory"); return r + 1; }
NEVER_INLINED static int outer_c2(int v) { return after(goOuter(v)); }
NEVER_INLINED static int outer_c1(int v) { return after(outer_c2(v)); }
NEVER_INLINED static int inner_c2(int v) { return after(goInner(v)); }
NEVER_INLINED static int inner_c1(int v) { return after(inner_c2(v)); }
*/
import "C"

import (
	"os"
	"subjects/truth"
)

//export goOuter
func goOuter(v C.int) C.int { return C.inner_c1(v) }

//export goInner
func goInner(v C.int) C.int { return C.int(fails(int(v))) }

//go:noinline
func fails(n int) int {
	if os.Args[1] == "sleeps" {
		truth.EndWithStdin()
		truth.Ready()
		<-make(chan int)
	}
	panic("lamp")
}

func main() {
	println(C.outer_c1(7))
}
