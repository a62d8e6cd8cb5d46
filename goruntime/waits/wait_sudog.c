/* SPDX-License-Identifier: Apache-2.0 */
/* The sudogs of waiting goroutines: what each waits for. A sudog is accepted if it points
 * back to its goroutine; a chain, if its channels are in lock order, by address
 * (runtime/select.go selectgo). */
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/sudog.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/limit.h"

struct reading {
	struct runtime *rt;
	struct waits *w;
	struct struct_scan_item
		*more; /* next sudogs of chains; tag: the preceding raw case */
	size_t count, cap;
};

static void fail(struct wait_record *r, enum wait_state why)
{
	r->state = why;
}

static void found(struct wait_record *r, uint64_t object)
{
	if (object == 0 || object >= WAIT_ADDRESS_END) {
		fail(r, WAIT_BAD_SUDOG);
		return;
	}
	r->state = WAIT_FOUND;
	r->object = object;
}

/* Adds a case to the select of record, after *before (NULL: as the first). */
static void add_case(struct reading *x, uint32_t record, const struct raw_case *before,
		     uint64_t addr, const struct sudog *s)
{
	struct waits *w = x->w;
	struct wait_record *r = &w->records[record];
	uint32_t order = before ? before->order + 1 : 0;

	if (s->channel == 0 || s->channel >= WAIT_ADDRESS_END ||
	    (before && s->channel < before->channel)) {
		fail(r, WAIT_BAD_SUDOG);
		return;
	}
	if (order == LIMIT_SELECT_CASES || w->raw_count == LIMIT_WAIT_CASES) {
		fail(r, WAIT_TOO_MANY);
		return;
	}
	r->state = WAIT_FOUND;
	GROW(w->raw_cases, w->raw_count, w->raw_cap);
	w->raw_cases[w->raw_count++] = (struct raw_case){
		.channel = s->channel, .sudog = addr, .record = record, .order = order
	};
	if (s->next_case == 0)
		return;
	GROW(x->more, x->count, x->cap);
	x->more[x->count++] = (struct struct_scan_item){ s->next_case, w->raw_count - 1 };
}

/* Does the sudog belong to this goroutine? */
static bool believe(struct reading *x, struct wait_record *r, const uint8_t *bytes,
		    struct sudog *ret)
{
	if (!bytes) {
		fail(r, WAIT_BAD_SUDOG);
		return false;
	}
	*ret = sudog_parse(&x->rt->layout, bytes);
	if (ret->g != r->g) {
		fail(r, WAIT_FOREIGN_SUDOG);
		return false;
	}
	return true;
}

static void take_first(void *arg, const struct struct_scan_item *item,
		       const uint8_t *bytes)
{
	struct reading *x = arg;
	struct wait_record *r = &x->w->records[item->tag];
	struct sudog s;

	if (!believe(x, r, bytes, &s))
		return;
	switch ((int)wait_source_of(r)) {
	case SOURCE_CHANNEL:
		found(r, s.channel);
		break;
	case SOURCE_SELECT:
		add_case(x, (uint32_t)item->tag, NULL, item->addr, &s);
		break;
	default:
		/* waitlink has another meaning here: the semaphore's queue. */
		found(r, s.channel == 0 ? s.elem : 0);
	}
}

static void take_next(void *arg, const struct struct_scan_item *item,
		      const uint8_t *bytes)
{
	struct reading *x = arg;
	struct raw_case before = x->w->raw_cases[item->tag];
	struct sudog s;

	if (believe(x, &x->w->records[before.record], bytes, &s))
		add_case(x, before.record, &before, item->addr, &s);
}

static bool has_sudog(const struct wait_record *r)
{
	enum wait_source source = wait_source_of(r);

	return r->state == WAIT_PENDING && r->object != 0 && source >= SOURCE_CHANNEL &&
	       source <= SOURCE_COND;
}

void waits_read_sudogs(struct runtime *rt, struct target *live)
{
	struct waits *w = rt->waits;
	struct reading x = { .rt = rt, .w = w };
	struct slot size = rt->layout.slot[L_sudog_size];
	size_t n = 0;

	if (!sudog_is_known(&rt->layout))
		return;
	for (size_t i = 0; i < w->count; i++)
		n += has_sudog(&w->records[i]);
	AUTO(xfree) struct struct_scan_item *items = xcalloc(n + 1, sizeof(*items));
	n = 0;
	for (size_t i = 0; i < w->count; i++)
		if (has_sudog(&w->records[i]))
			items[n++] = (struct struct_scan_item){ w->records[i].object, i };
	struct_scan(live, items, n, (size_t)size.off, take_first, &x);
	while (x.count) {
		struct struct_scan_item *more = TAKE(x.more);
		n = x.count;
		x.count = x.cap = 0;
		struct_scan(live, more, n, (size_t)size.off, take_next, &x);
		xfree(more);
	}
}
