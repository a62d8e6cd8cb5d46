/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "goruntime/goroutines/defers.h"
#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/runtime/bulk_read.h"
#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"

struct extra_caches *extra_caches(struct runtime *rt)
{
	if (!rt->extra_caches)
		rt->extra_caches = xcalloc(1, sizeof(*rt->extra_caches));
	return rt->extra_caches;
}

void extra_caches_free(struct extra_caches *caches)
{
	if (!caches)
		return;
	label_cache_free(caches->labels);
	panic_cache_free(caches->panics);
	defer_cache_free(caches->defers);
	open_defers_free(caches->open);
	ancestor_cache_free(caches->ancestors);
	xfree(caches);
}

void extras_capture(struct runtime *rt)
{
	struct bulk_read g = { 0 };

	labels_capture(rt, &g);
	panics_capture(rt, &g);
	defers_capture(rt, &g);
	ancestors_capture(rt, &g);
	bubbles_capture(rt, &g);
	if (g.left_out)
		warnings_add(rt->warnings, "goroutines",
			     "%" PRIu64
			     " bytes of labels, panics, deferred calls, ancestors and "
			     "bubbles were not copied: more than %" PRIu64 " in total",
			     g.left_out, LIMIT_EXTENT_BYTES);
	bulk_read_done(&g);
}
