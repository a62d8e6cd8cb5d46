/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - pools of the standard library that goroutines wait for: database/sql and net/http. Private
 * to src/findings/program. */
#ifndef GOSNAP_POOL_H
#define GOSNAP_POOL_H

#include "src/findings/program/program.h"

/* Is a connection given back when a context ends, whatever the goroutine does? If several
 * apply, the greatest counts, as the one that knows most. */
enum pool_end { POOL_END_UNKNOWN, POOL_END_NEVER, POOL_END_MAY };

/* A kind of pools: goroutines wait in this function, and its receiver, of this type, is
 * the pool. */
struct pool_kind {
	const char *function, *type, *name;
	/* Is it exhausted? Sets *ret to the number of connections that it may have. */
	bool (*is_exhausted)(struct runtime *rt, const struct value *pool, uint64_t *ret);
	/* Adds the part of the pool that is exhausted. NULL: it has no parts. */
	void (*say_part)(struct text *text, struct runtime *rt, const struct value *pool);
	/* Returns the connection of the pool, in use, that a word of a goroutine's frame
	 * leads to; 0: none. NULL: connections cannot be told. */
	uint64_t (*one_of)(struct runtime *rt, const struct value *pool, uint64_t word,
			   enum pool_end *ret);
};

extern const struct pool_kind sql_pool, http_pool;

/* Reads a field of the object at addr. type: of a pointer to it. False: there is no such
 * field, or it cannot be read or is larger than a word. */
bool pool_word(struct runtime *rt, const char *type, const char *field, uint64_t addr,
	       uint64_t *ret);

#endif
