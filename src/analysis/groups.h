/* SPDX-License-Identifier: Apache-2.0 */
/* groups.h - goroutines grouped by equal stacks, biggest group first: the document
 * begins with these groups, and people read a million goroutines by them. Pure
 * functions on decoded runtimes: reads no memory, prints nothing. Groups live until
 * groups_done() and refer to the runtimes. Knows stacks by their numbers only. */
#ifndef GOSNAP_GROUPS_H
#define GOSNAP_GROUPS_H

#include "goruntime/goruntime.h"

struct groups {
	struct group {
		uint32_t stack;
		uint32_t runtime;      /* for runtimes_get(): a group has only one */
		uint32_t first, count; /* in members */
	} * list;
	size_t count;
	size_t stacks;	    /* of the process */
	uint32_t *members;  /* for runtimes_goroutine(), sorted by group */
	uint32_t *of_stack; /* [runtime * stacks + stack]: the group */
};

typedef bool groups_filter(void *arg, const struct goroutine *g);

/* Goroutines that filter rejects are in no group. Each member has a stack. */
void groups_init(struct groups *ret, const struct runtimes *all, groups_filter *filter,
		 void *arg);
void groups_done(struct groups *g);
/* The group of a member. */
uint32_t groups_of(const struct groups *g, struct goroutine_of it);

#endif
