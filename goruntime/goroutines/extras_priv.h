/* SPDX-License-Identifier: Apache-2.0 */
/* extras_priv.h - copies the objects listed in extra_lists.h while the process is stopped
 * (NOUN_capture); they are decoded on request (extras.h). Private to goruntime. */
#ifndef GOSNAP_EXTRAS_PRIV_H
#define GOSNAP_EXTRAS_PRIV_H

#include "goruntime/goroutines/extras.h"
#include "goruntime/runtime/extra_lists.h"

/* The results of the last request of each kind. */
struct extra_caches {
	struct label_cache *labels;
	struct panic_cache *panics;
	struct defer_cache *defers;
	struct ancestor_cache *ancestors;
	struct open_defers *open; /* open_defers.c */
};

/* The caches of rt, created on first use. */
struct extra_caches *extra_caches(struct runtime *rt);
void extra_caches_free(struct extra_caches *caches);

/* Call while the process is stopped and rt->target is open extents. */
void extras_capture(struct runtime *rt);

/* labels.c */
void labels_capture(struct runtime *rt, struct bulk_read *g);
void label_cache_free(struct label_cache *cache);
/* panics.c */
void panics_capture(struct runtime *rt, struct bulk_read *g);
void panic_cache_free(struct panic_cache *cache);
/* defers.c */
void defers_capture(struct runtime *rt, struct bulk_read *g);
void defer_cache_free(struct defer_cache *cache);
/* ancestors.c */
void ancestors_capture(struct runtime *rt, struct bulk_read *g);
void ancestor_cache_free(struct ancestor_cache *cache);
/* bubbles.c */
void bubbles_capture(struct runtime *rt, struct bulk_read *g);

#endif
