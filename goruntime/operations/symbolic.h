/* SPDX-License-Identifier: Apache-2.0 */
/* symbolic.h - stand-ins for values that are not known while code is followed from its
 * beginning: arguments, results of calls, computed values, and words that these point to.
 * Private to goruntime/operations. A stand-in is a number that is no address, so that
 * code can add to it and store it. Stores to the stack are recorded. If the code has
 * surely stored a stand-in, and nothing else in its place since, the stack has its value:
 * walk_resolve(). */
#ifndef GOSNAP_SYMBOLIC_H
#define GOSNAP_SYMBOLIC_H

#include "lib/base/util.h"

enum { SYMBOLIC_MAX = 256, SYMBOLIC_STORES_MAX = 128 };

struct symbolic_value {
	uint64_t loaded_from; /* a stand-in and an offset; 0: not loaded */
	uint64_t value;
	bool known;	/* value is the true one */
	bool ambiguous; /* several values are possible */
};

struct symbolic_store {
	uint64_t pc, addr, value;
	bool known; /* value is a stand-in, or a number */
};

struct symbolic {
	uint64_t
		stack_valid; /* below, and outside of the stack, stores are not recorded */
	uint64_t stack_high;
	struct symbolic_value values[SYMBOLIC_MAX];
	size_t count;
	struct symbolic_store stores[SYMBOLIC_STORES_MAX];
	size_t store_count;
	bool lossy; /* some stores are missing */
};

void symbolic_init(struct symbolic *s, uint64_t stack_valid, uint64_t stack_high);
/* Makes a stand-in. False: there are too many. */
bool symbolic_new(struct symbolic *s, uint64_t *ret);
/* Returns the stand-in for the word at an address that is a stand-in and an offset: the
 * same for each address. False: it is no such address, or there are too many. */
bool symbolic_load(struct symbolic *s, uint64_t addr, uint64_t *ret);
void symbolic_note_store(struct symbolic *s, uint64_t pc, uint64_t addr, bool known,
			 uint64_t value);
/* Splits a number into a stand-in and an offset. NULL: it is not based on one. */
struct symbolic_value *symbolic_split(struct symbolic *s, uint64_t number, int64_t *ret);
/* Finds the true value of a number. False: it depends on a stand-in whose value is not
 * known. */
bool symbolic_true(struct symbolic *s, uint64_t number, uint64_t *ret);

#endif
