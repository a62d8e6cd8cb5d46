/* SPDX-License-Identifier: Apache-2.0 */
/* heap_retained PID: compares what objects, types and roots retain with what cannot be reached without
 * them: says how many were compared, and what differs. For tests/heap.test. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/heap/heap_priv.h"
#include "goruntime/retention/retained_sizes.h"
#include "lib/base/limit.h"
#include "src/capture/capture.h"

#define PATIENCE_NS (UINT64_C(60) * 1000 * 1000 * 1000)

struct claim {
	struct heap_object object;
	struct heap_amount amount;
	uint64_t number;
};

struct comparing {
	struct heap *heap;
	struct claim *claims;
	size_t count, cap;
	uint32_t *kinds;
	struct heap_amount *of_kinds;
	size_t wrong;
};

static void note(void *arg, const struct heap_object *o, const struct retained_amount *r)
{
	struct comparing *c = arg;
	const struct span *s = span_at(c->heap, o->addr);

	GROW(c->claims, c->count, c->cap);
	c->claims[c->count++] =
		(struct claim){ *o, r->amount, s->first + object_in(s, o->addr) };
}

/* What can be reached without an object; NO_SCAN: all. */
static bool mark_without(struct heap *h, uint64_t object, struct err *err)
{
	unmark(h);
	h->take = mark_pointer;
	if (object != NO_SCAN) {
		h->marked[object / 64] |= UINT64_C(1) << object % 64;
		h->scanned[object / 64] |= UINT64_C(1) << object % 64;
	}
	heap_mark_roots(h);
	if (!heap_mark(h, err))
		return false;
	if (object != NO_SCAN)
		h->marked[object / 64] &= ~(UINT64_C(1) << object % 64);
	return true;
}

static void add_lost(const struct comparing *c, const uint64_t *all, bool *lost,
		     struct heap_amount *ret)
{
	const struct heap *h = c->heap;

	for (size_t s = 0; s < h->span_count; s++)
		for (uint32_t i = 0; i < h->spans[s].elems; i++) {
			const uint64_t n = h->spans[s].first + i;
			if (!bit_of(all, n) || bit_of(h->marked, n) || lost[n])
				continue;
			lost[n] = true;
			ret->objects++;
			ret->bytes += h->spans[s].elem_size;
		}
}

static void compare(struct comparing *c, const char *what, uint64_t which,
		    const struct heap_amount *said, const struct heap_amount *found)
{
	if (said->objects == found->objects && said->bytes == found->bytes)
		return;
	printf("%s 0x%" PRIx64 " retains %" PRIu64 " objects, %" PRIu64
	       " bytes; without it %" PRIu64 ", %" PRIu64 " cannot be reached\n",
	       what, which, said->objects, said->bytes, found->objects, found->bytes);
	c->wrong++;
}

/* Each object alone, and those of each type together, what each would lose counted once. */
static bool compare_objects(struct comparing *c, size_t kinds, struct err *err)
{
	struct heap *h = c->heap;
	const size_t bytes = (h->object_count / 64 + 1) * sizeof(*h->marked);
	AUTO(xfree) uint64_t *all = xmalloc(bytes);
	AUTO(xfree) bool **of_types = xcalloc(kinds + 1, sizeof(*of_types));
	AUTO(xfree)
	struct heap_amount *found = xcalloc(kinds + 1, sizeof(*found));

	if (!mark_without(h, NO_SCAN, err))
		return false;
	memcpy(all, h->marked, bytes);
	for (size_t i = 0; i < c->count; i++) {
		const struct claim *claim = &c->claims[i];
		struct heap_amount amount = { 0 };
		if (!mark_without(h, claim->number, err))
			return false;
		bool *lost = xcalloc(h->object_count, sizeof(*lost));
		add_lost(c, all, lost, &amount);
		xfree(lost);
		compare(c, "object", claim->object.addr, &claim->amount, &amount);
		bool **of_type = &of_types[claim->object.type];
		if (!*of_type)
			*of_type = xcalloc(h->object_count, sizeof(**of_type));
		add_lost(c, all, *of_type, &found[claim->object.type]);
	}
	for (size_t k = 1; k <= kinds; k++)
		compare(c, "type", k, &c->of_kinds[k - 1], &found[k]);
	for (size_t k = 0; k <= kinds; k++)
		xfree(of_types[k]);
	return true;
}

static struct heap_amount of_root(const struct heap_retained *all,
				  const struct heap_root *root)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->roots[i].id == root->id && all->roots[i].kind == root->kind)
			return all->roots[i].alone;
	return (struct heap_amount){ 0 };
}

/* With what is found without dominators. */
static bool compare_roots(struct comparing *c, const struct heap_retained *said,
			  struct err *err)
{
	struct heap_retained found;
	const bool ok = heap_retain(c->heap, &found, err);

	for (size_t i = 0; ok && i < found.count + said->count; i++) {
		const struct heap_root *root =
			i < found.count ? &found.roots[i] : &said->roots[i - found.count];
		const struct heap_amount a = of_root(said, root),
					 b = of_root(&found, root);
		compare(c, "root", root->id, &a, &b);
	}
	compare(c, "several of", said->count, &said->shared, &found.shared);
	xfree(found.roots);
	return ok;
}

static bool compare_all(struct comparing *c, struct err *err)
{
	struct heap *h = c->heap;
	struct heap_retained roots;

	heap_find_types(h);
	heap_mark_roots(h);
	if (!heap_mark(h, err))
		return false;
	const size_t kinds = heap_type_count(h);
	c->kinds = xcalloc(kinds + 1, sizeof(*c->kinds));
	c->of_kinds = xcalloc(kinds + 1, sizeof(*c->of_kinds));
	for (uint32_t i = 1; i <= kinds; i++)
		c->kinds[i] = i;
	const struct retained_request request = { c->kinds, kinds, c->of_kinds,
						  note,	    c,	   UINT64_MAX };
	const bool ok = heap_retain_objects(h, &request, &roots, err) &&
			compare_objects(c, kinds, err) && compare_roots(c, &roots, err);
	printf("%zu objects of %zu types, %zu roots\n", c->count, kinds, roots.count);
	xfree(roots.roots);
	xfree(c->kinds);
	xfree(c->of_kinds);
	xfree(c->claims);
	return ok && !c->wrong;
}

static bool run(struct capture *c, struct err *err)
{
	const struct heap_limits limits = { .ns = PATIENCE_NS };
	struct comparing comparing = { 0 };

	runtimes_decode(c->runtimes);
	AUTO(heap_close)
	struct heap *h = heap_open(runtimes_get(c->runtimes, 0),
				   c->copy ? c->copy : c->live, &limits, err);
	comparing.heap = h;
	return h && compare_all(&comparing, err);
}

int main(int argc, char **argv)
{
	struct capture_options options = { .values = VALUES_ALWAYS,
					   .max_copy_age_ns = PATIENCE_NS };
	struct capture_subject subject = { .turn = -1 };
	struct capture c = { .turn = -1 };
	struct err err = { .code = ERR_NONE };

	if (argc != 2)
		return 2;
	options.pid = atoi(argv[1]);
	bool ok = capture_find(&options, &subject, &err);
	options.subject = &subject;
	ok = ok && capture_open(&c, &options, &err) && capture_take(&c, &err) &&
	     run(&c, &err);
	capture_finish(&c);
	capture_done(&c);
	if (err.code != ERR_NONE)
		printf("%s\n", err.text);
	return ok ? 0 : 1;
}
