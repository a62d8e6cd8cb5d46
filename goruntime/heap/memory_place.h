/* SPDX-License-Identifier: Apache-2.0 */
/* memory_place.h - what an address is in: a heap object, or the stack of a goroutine, beyond whose end
 * nothing is that begins there. Reads a few words of the heap, not all of it, as the rest of this folder
 * does. */
#ifndef GOSNAP_MEMORY_PLACE_H
#define GOSNAP_MEMORY_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct runtime;

struct memory_place {
	uint64_t end; /* 0: in neither, or not known */
	bool is_stack;
};

struct memory_place runtime_memory_place(struct runtime *rt, uint64_t addr);

#endif
