// SPDX-License-Identifier: Apache-2.0

// Subject that waits in C, whose functions need their variables afterwards: they are in registers
// that the functions below keep for them, and in memory.
package main

/*
#cgo CFLAGS: -O2 -g
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

struct point { int x; long y; };
enum color { RED, GREEN = 7 };

static NOINLINE void in_c(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

static NOINLINE void wait_in_c(int fd)
{
	char byte;

	if (read(fd, &byte, 1) == 2)
		abort();
}

static NOINLINE long inner(int fd, long depth, enum color color)
{
	long kept = depth * 3;
	struct point p = { (int)depth + 2, -4 };

	in_c(&p);
	in_c(&kept);
	long held = kept + p.x;
	wait_in_c(fd);
	return held * 5 + depth + color + p.y + kept;
}

static NOINLINE long outer(int fd, long first, unsigned char small, double real)
{
	long found = inner(fd, first + 1, GREEN);

	return found + first * small + (long)real;
}

static long begin(int fd) { return outer(fd, 4, 200, 2.5); }
*/
import "C"

import (
	"os"
	"runtime"
	"subjects/truth"
)

func main() {
	runtime.LockOSThread()
	read, _, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	truth.Say(map[string]map[string]string{
		"inner": {"depth": "5", "kept": "15", "held": "22", "color": "7", "p": "7 -4"},
		"outer": {"first": "4", "small": "200"},
	})
	truth.EndWithStdin()
	truth.Ready()
	C.begin(C.int(read.Fd()))
}
