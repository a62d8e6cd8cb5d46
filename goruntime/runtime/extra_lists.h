/* SPDX-License-Identifier: Apache-2.0 */
/* extra_lists.h - which goroutines have what few have: labels, panics, deferred calls, ancestors,
 * a bubble. For each kind a list of who has one and where it is, so that those who have none cost
 * nothing. Private to goruntime. */
#ifndef GOSNAP_EXTRA_LISTS_H
#define GOSNAP_EXTRA_LISTS_H

#include "goruntime/layout/layout.h"

enum extra_kind {
	EXTRA_LABELS,
	EXTRA_PANIC,
	EXTRA_DEFER,
	EXTRA_ANCESTORS,
	EXTRA_BUBBLE,
	EXTRA_KINDS,
};

struct extra {
	uint64_t g, object; /* addresses */
};

struct extra_list {
	struct extra *list; /* by address of g */
	size_t count, cap;
};

struct extra_lists {
	struct extra_list kinds[EXTRA_KINDS];
};

/* What the g struct at that address (len bytes of it) points to. In address order. */
void extra_note(struct extra_lists *x, const struct layout *layout, uint64_t g,
		const void *bytes, size_t len);
void extra_lists_done(struct extra_lists *x);

/* 0: it has none. */
uint64_t extra_object(const struct extra_lists *x, enum extra_kind kind, uint64_t g);
/* The objects of a kind, each once, sorted by address. Owned. */
uint64_t *extra_objects(const struct extra_lists *x, enum extra_kind kind, size_t *ret_n);

struct runtime;
struct gather;

struct runtime;
struct gather;

/* Of each object of a kind and what it is linked to, that many levels: size bytes. */
void extra_gather_chain(struct runtime *rt, enum extra_kind kind, size_t size,
			enum layout_slot link, unsigned levels, struct gather *g);

#endif
