/* SPDX-License-Identifier: Apache-2.0 */
/* extra_lists.h - which goroutines have what few have: labels, panics, deferred calls,
 * ancestors, a bubble. One list of goroutines and addresses for each kind, so that
 * goroutines without any cost nothing. Private to goruntime. */
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
	struct extra *list; /* sorted by address of g */
	size_t count, cap;
};

struct extra_lists {
	struct extra_list kinds[EXTRA_KINDS];
};

/* Notes what the g struct at address g points to; bytes: its first len bytes. Call in
 * address order. */
void extra_note(struct extra_lists *x, const struct layout *layout, uint64_t g,
		const void *bytes, size_t len);
void extra_lists_done(struct extra_lists *x);

/* The object's address; 0: g has none. */
uint64_t extra_object(const struct extra_lists *x, enum extra_kind kind, uint64_t g);
/* The distinct objects of a kind, sorted by address. The caller frees the array. */
uint64_t *extra_objects(const struct extra_lists *x, enum extra_kind kind, size_t *ret_n);

struct runtime;
struct bulk_read;

/* Adds size bytes of each object of a kind, and of what it links to, up to that many
 * levels. */
void extra_gather_chain(struct runtime *rt, enum extra_kind kind, size_t size,
			enum layout_slot link, unsigned levels, struct bulk_read *g);

#endif
