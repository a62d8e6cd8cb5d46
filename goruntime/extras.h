/* SPDX-License-Identifier: Apache-2.0 */
/* extras.h - what few goroutines have: labels, panics, deferred calls, ancestors, a bubble.
 * For each kind a list of who has one and where it is, so that those who have none cost
 * nothing. What the objects hold is copied while the process is held (NOUN_capture) and
 * taken apart when somebody asks (goruntime.h). Private to goruntime. */
#ifndef GOSNAP_EXTRAS_H
#define GOSNAP_EXTRAS_H

#include "layout.h"

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

struct extras {
	struct extra_list kinds[EXTRA_KINDS];
	/* Those asked for last. */
	struct label_cache *labels;
	struct panic_cache *panics;
	struct defer_cache *defers;
	struct ancestor_cache *ancestors;
	struct open_defers *open; /* open_defers.c */
};

/* What the g struct at that address (len bytes of it) points to. In address order. */
void extras_note(struct extras *x, const struct layout *layout, uint64_t g,
		 const void *bytes, size_t len);
void extras_done(struct extras *x);

/* 0: it has none. */
uint64_t extras_object(const struct extras *x, enum extra_kind kind, uint64_t g);
/* The objects of a kind, each once, sorted by address. Owned. */
uint64_t *extras_objects(const struct extras *x, enum extra_kind kind, size_t *ret_n);

struct runtime;
struct gather;

/* While the process is held and rt->target is open extents. */
void extras_capture(struct runtime *rt);

/* Of each object of a kind and what it is linked to, that many levels: size bytes. */
void extras_gather_chain(struct runtime *rt, enum extra_kind kind, size_t size,
			 enum layout_slot link, unsigned levels, struct gather *g);

/* labels.c */
void labels_capture(struct runtime *rt, struct gather *g);
void label_cache_free(struct label_cache *cache);
/* panics.c */
void panics_capture(struct runtime *rt, struct gather *g);
void panic_cache_free(struct panic_cache *cache);
/* defers.c */
void defers_capture(struct runtime *rt, struct gather *g);
void defer_cache_free(struct defer_cache *cache);
/* ancestors.c */
void ancestors_capture(struct runtime *rt, struct gather *g);
void ancestor_cache_free(struct ancestor_cache *cache);
/* bubbles.c */
void bubbles_capture(struct runtime *rt, struct gather *g);

#endif
