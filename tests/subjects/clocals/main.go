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
enum color { RED, BLUE, WHITE, GREEN = 7 };
enum access { NONE, READ = 1, WRITE = 2, ALL = 0x80000000 };
enum __attribute__((packed)) level { LOW = -1, HIGH = 100 };
enum wide { FAR = 0x100000000 };

static volatile enum access can = READ | WRITE, may = ALL, none = NONE, odd = 5;
static volatile enum color mixed = 3;
static volatile enum level level[] = { LOW, HIGH, 3, LOW };
static volatile enum wide wide = FAR;

static NOINLINE void in_c(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

static NOINLINE void wait_in_c(int fd)
{
	char byte;

	if (read(fd, &byte, 1) == 2)
		abort();
}

static volatile long used;

// What follows is told by the calls alone: no function keeps what it was called with.

// Its caller calls hop, which jumps here.
static NOINLINE long landed(int fd, long hopped)
{
	used = hopped;
	wait_in_c(fd);
	return used;
}

static NOINLINE long hop(int fd, long hopped) { return landed(fd, hopped + used); }

static NOINLINE long bounced(int fd, long left);

// Jumped to by bounced, with another number than it was called with.
static NOINLINE long jumped(int fd, long left)
{
	used = left;
	if (left > 1)
		return bounced(fd, left);
	return hop(fd, 1) + used;
}

static NOINLINE long bounced(int fd, long left)
{
	used = left;
	return jumped(fd, left - 1);
}

static NOINLINE long by_pointer(int fd, long pointed)
{
	used = pointed;
	return jumped(fd, 3) + used;
}

static long (*volatile function)(int, long) = by_pointer;

static NOINLINE long calls_by_pointer(int fd)
{
	long (*called)(int, long) = function;
	long result = called(fd, 34);

	return called == function ? result : 0;
}

static NOINLINE long entered(int fd, long given, short narrow, long unused)
{
	long computed = (given + 1) * 3 - narrow / 4;
	unsigned char low = (unsigned char)given;

	used = given * narrow;
	return calls_by_pointer(fd) + used;
}

static NOINLINE long passes(int fd, long kept)
{
	return entered(fd, kept * 100 + 1, -30, kept + 7) + kept;
}

// It has no code of its own, and what it points to has no address.
// letters points to a string of which the code has no copy.
static inline __attribute__((always_inline)) long inlined(int fd, const long *amount, long kept,
							  const char *letters)
{
	long doubled = kept * 2;

	in_c(&doubled);
	used = passes(fd, kept);
	return doubled + *amount + letters[1];
}

static NOINLINE long inner(int fd, long depth, enum color color)
{
	long kept = depth * 3;
	struct point p = { (int)depth + 2, -4 };
	struct {
		enum access can, may, none, odd;
		enum level below, above, between, again;
		enum wide wide;
		enum color mixed;
	} named = { can, may, none, odd, level[0], level[1], level[2], level[3], wide, mixed };

	used = 95;
	long amount = used * 3;

	in_c(&named);
	in_c(&p);
	in_c(&kept);
	long held = kept + p.x;
	used = inlined(fd, &amount, kept, "xy");
	return held * 5 + depth + color + p.y + kept;
}

static NOINLINE long outer(int fd, long first, unsigned char small, double real)
{
	static __thread long calls = 40;

	calls += first;
	long found = inner(fd, first + 1, GREEN);

	return found + first * small + (long)real + calls;
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
		"inner": {"depth": "5", "kept": "15", "held": "22", "color": "7 GREEN", "p": "7 -4",
			"named": "3 READ|WRITE 2147483648 ALL 0 NONE 5 -1 LOW 100 HIGH 3 -1 LOW 4294967296 FAR 3"},
		"inlined": {"amount": "285", "doubled": "30", "letters": "120"},
		"outer":   {"first": "4", "small": "200", "calls": "44"},
		"passes":  {"kept": "15"},
		"entered": {"given": "1501", "narrow": "-30", "unused": "22", "computed": "4513",
			"low": "221"},
		"by_pointer": {"pointed": "34"},
		"jumped":     {"left": "1"},
		"landed":     {"hopped": "2"},
	})
	truth.EndWithStdin()
	truth.Ready()
	C.begin(C.int(read.Fd()))
}
