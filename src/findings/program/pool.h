/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - pools of the standard library that goroutines wait for: database/sql and net/http. Private
 * to src/findings/program. */
#ifndef GOSNAP_POOL_H
#define GOSNAP_POOL_H

#include "src/findings/program/program.h"

/* Is a connection given back when a context ends, whatever the goroutine does? What is known counts more. */
enum pool_end { POOL_END_UNKNOWN, POOL_END_NEVER, POOL_END_MAY };

/* In what function of which type a goroutine waits for the pool that is its receiver. */
struct pool_kind {
	const char *function, *type, *name;
	/* Is it exhausted? *ret: how many there can be at most. */
	bool (*is_exhausted)(struct runtime *rt, const struct value *pool, uint64_t *ret);
	/* Text: which part of it. NULL: it has none. */
	void (*say_part)(struct text *text, struct runtime *rt, const struct value *pool);
	/* The connection of the pool, in use, that a word of a goroutine's frame leads to; 0: to none.
	 * NULL: it cannot be told. */
	uint64_t (*one_of)(struct runtime *rt, const struct value *pool, uint64_t word,
			   enum pool_end *ret);
};

extern const struct pool_kind sql_pool, http_pool;

/* What a field of the type has. */
bool pool_word(struct runtime *rt, const char *type, const char *field, uint64_t addr,
	       uint64_t *ret);

#endif
