/* SPDX-License-Identifier: Apache-2.0 */
/* What a goroutine waits for when only one of its frames knows: the sudog in semacquire1
 * or notifyListWait (before Go 1.26), the notifyList, the pollDesc.
 * A word in the frames is accepted when what it points to points back: sudog.g,
 * pollDesc.rg or wg, the head or tail of the list. That alone is not enough, as dead
 * words may point into an older stack, which has pointers to the g too. So what else the
 * function needs when it wakes must be in the frames as well: semacquire1's addr,
 * netpollblock's gpp.
 * The word is at the same distance from the stack pointer in all goroutines that wait at
 * the same place. So only a few are searched, and the rest are checked at that
 * distance. */
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/waits/wait_priv.h"

enum {
	WORD = 8,
	WORDS = 128, /* of the innermost frames to search */
	SAMPLE = 32, /* goroutines to search at a time */
	PLACES = 64, /* distinct distances in one search */
	ROUNDS = 8,
	RESOLVED = UINT32_MAX,
};

struct pending {
	uint64_t sp, low, high; /* its stack */
	uint64_t sudog;		/* of the goroutine; 0: not known */
	uint32_t ticket;	/* of the sudog */
	uint32_t record;	/* index; or RESOLVED */
};

struct search {
	struct runtime *rt;
	struct target *live;
	enum wait_source source;
	struct pending *pending;
	size_t count;
	uint16_t places[PLACES]; /* distances from the stack pointer, in words */
	size_t place_count;
	struct struct_scan_item *items; /* tag: pending * WORDS + word */
	size_t item_count, item_cap;
	bool sampling;
	struct pending *sudogs; /* SOURCE_COND: goroutines whose list is searched next */
	size_t sudog_count, sudog_cap;
	size_t offset; /* from where the word points to the candidate */
	size_t bytes;  /* size of the candidate */
	bool (*proves)(struct search *s, struct pending *p, uint64_t addr,
		       const uint8_t *bytes);
};

static struct wait_record *record_of(const struct search *s, const struct pending *p)
{
	return &s->rt->waits->records[p->record];
}

/* Reads the words of the innermost frames; returns how many. */
static size_t read_words(const struct search *s, const struct pending *p, uint64_t *ret)
{
	size_t n = (size_t)((p->high - p->sp) / WORD);
	struct err ignored;

	n = n < WORDS ? n : WORDS;
	target_budget_unit(s->rt->target);
	return target_read(s->rt->target, p->sp, ret, n * WORD, &ignored) ? n : 0;
}

static bool in_frames(const struct search *s, const struct pending *p, uint64_t value)
{
	uint64_t words[WORDS];
	size_t n = read_words(s, p, words);

	for (size_t i = 0; i < n; i++)
		if (words[i] == value)
			return true;
	return false;
}

/* Is the sudog in a semaphore's queue, or in a notifyList, as expected?
 * (runtime/sema.go) */
static bool is_of_source(const struct search *s, const struct pending *p,
			 const uint8_t *bytes)
{
	const struct layout *l = &s->rt->layout;
	uint64_t elem = layout_get(l, L_sudog_elem, bytes, s->bytes);

	if (layout_get(l, L_sudog_c, bytes, s->bytes) != 0)
		return false;
	return s->source == SOURCE_COND ? elem == 0 : elem != 0 && in_frames(s, p, elem);
}

static bool proves_sudog(struct search *s, struct pending *p, uint64_t addr,
			 const uint8_t *bytes)
{
	const struct layout *l = &s->rt->layout;

	if (layout_get(l, L_sudog_g, bytes, s->bytes) != record_of(s, p)->g ||
	    !is_of_source(s, p, bytes))
		return false;
	p->sudog = addr;
	p->ticket = (uint32_t)layout_get(l, L_sudog_ticket, bytes, s->bytes);
	if (s->source == SOURCE_COND) {
		GROW(s->sudogs, s->sudog_count, s->sudog_cap);
		s->sudogs[s->sudog_count++] = *p;
	} else {
		record_of(s, p)->object = addr; /* resolved by waits_read_sudogs() */
	}
	return true;
}

/* If it is neither first nor last in the list, its ticket must be one of those that wait,
 * and the place one where others were found. */
static bool proves_list(struct search *s, struct pending *p, uint64_t addr,
			const uint8_t *bytes)
{
	const struct layout *l = &s->rt->layout;
	uint64_t head = layout_get(l, L_notify_head, bytes, s->bytes),
		 tail = layout_get(l, L_notify_tail, bytes, s->bytes);
	uint32_t wait = (uint32_t)layout_get(l, L_notify_wait, bytes, s->bytes),
		 notify = (uint32_t)layout_get(l, L_notify_notify, bytes, s->bytes);
	bool inside = head && tail && wait - notify > p->ticket - notify;

	if (head != p->sudog && tail != p->sudog && (s->sampling || !inside))
		return false;
	record_of(s, p)->object = addr;
	record_of(s, p)->state = WAIT_FOUND;
	return true;
}

static bool proves_poll(struct search *s, struct pending *p, uint64_t addr,
			const uint8_t *bytes)
{
	const struct layout *l = &s->rt->layout;
	struct wait_record *r = record_of(s, p);
	uint64_t fd = layout_get(l, L_poll_fd, bytes, s->bytes);
	bool reads = layout_get(l, L_poll_rg, bytes, s->bytes) == r->g;
	bool writes = layout_get(l, L_poll_wg, bytes, s->bytes) == r->g;

	struct slot pointer = l->slot[writes ? L_poll_wg : L_poll_rg];

	if (reads == writes || fd > INT32_MAX ||
	    !in_frames(s, p, addr + (uint64_t)pointer.off))
		return false;
	r->object = fd;
	r->write = writes;
	r->state = WAIT_FOUND;
	return true;
}

/* Could this stack word point to a candidate? */
static bool plausible(const struct search *s, const struct pending *p, uint64_t word)
{
	const struct target_mapping *map;

	if (word % WORD || word >= WAIT_ADDRESS_END || (word >= p->low && word < p->high))
		return false;
	map = target_mapping_at(s->rt->target, word);
	return map && map->writable && s->bytes <= map->end - word;
}

static void add(struct search *s, size_t pending, uint64_t word, size_t place)
{
	word += s->offset;
	if (!plausible(s, &s->pending[pending], word))
		return;
	GROW(s->items, s->item_count, s->item_cap);
	s->items[s->item_count++] =
		(struct struct_scan_item){ word, pending * WORDS + place };
}

static void learn(struct search *s, uint16_t place)
{
	for (size_t i = 0; i < s->place_count; i++)
		if (s->places[i] == place)
			return;
	if (s->place_count < PLACES)
		s->places[s->place_count++] = place;
}

static void take(void *arg, const struct struct_scan_item *item, const uint8_t *bytes)
{
	struct search *s = arg;
	struct pending *p = &s->pending[item->tag / WORDS];

	if (!bytes || p->record == RESOLVED || !s->proves(s, p, item->addr, bytes))
		return;
	learn(s, item->tag % WORDS);
	p->record = RESOLVED;
}

static void check_items(struct search *s)
{
	size_t kept = 0;

	struct_scan(s->live, s->items, s->item_count, s->bytes, take, s);
	s->item_count = 0;
	for (size_t i = 0; i < s->count; i++)
		if (s->pending[i].record != RESOLVED)
			s->pending[kept++] = s->pending[i];
	s->count = kept;
}

/* Searches all words of a few goroutines. */
static void search_sample(struct search *s)
{
	size_t step = s->count > SAMPLE ? s->count / SAMPLE : 1;
	uint64_t words[WORDS];

	s->sampling = true;
	for (size_t i = 0; i < s->count; i += step) {
		size_t n = read_words(s, &s->pending[i], words);
		for (size_t place = 0; place < n; place++)
			add(s, i, words[place], place);
	}
	check_items(s);
}

/* Checks one word of all goroutines. */
static void check_place(struct search *s, uint16_t place)
{
	uint64_t word;
	struct err ignored;

	s->sampling = false;
	for (size_t i = 0; i < s->count; i++) {
		const struct pending *p = &s->pending[i];
		uint64_t at = p->sp + (uint64_t)place * WORD;
		target_budget_unit(s->rt->target);
		if (at + WORD <= p->high &&
		    target_read_uint(s->rt->target, at, WORD, &word, &ignored))
			add(s, i, word, place);
	}
	check_items(s);
}

static void search(struct search *s)
{
	if (s->bytes == 0)
		return;
	for (int round = 0; round < ROUNDS && s->count; round++) {
		size_t known = s->place_count;
		search_sample(s);
		if (known == s->place_count)
			break;
		for (; known < s->place_count && s->count; known++)
			check_place(s, s->places[known]);
	}
	s->place_count = 0;
}

/* Goroutines whose object only a frame knows. */
static size_t list_pending(struct search *s, struct pending *ret)
{
	struct runtime *rt = s->rt;
	size_t n = 0;

	for (size_t i = 0; i < rt->waits->count; i++) {
		struct wait_record *r = &rt->waits->records[i];
		if (r->state != WAIT_PENDING || r->object ||
		    wait_source_of(r) != s->source)
			continue;
		const struct goroutine *g = goroutine_by_addr(rt, r->g);
		if (!g || g->sp < g->stack_low || g->sp >= g->stack_high)
			r->state = WAIT_NOT_IN_FRAMES;
		else if (ret)
			ret[n++] = (struct pending){ .sp = g->sp,
						     .low = g->stack_low,
						     .high = g->stack_high,
						     .record = (uint32_t)i };
		else
			n++;
	}
	return n;
}

static size_t end_of(const struct layout *l, enum layout_slot slot)
{
	struct slot s = l->slot[slot];

	return s.off < 0 ? 0 : (size_t)s.off + s.size;
}

/* The list is in sync.Cond.Wait's frame as its Cond, if the compiler kept it, or by
 * itself as an argument of notifyListWait. */
static void search_lists(struct search *s)
{
	const struct layout *l = &s->rt->layout;
	struct slot in_cond = l->slot[L_cond_notify];

	xfree(s->pending);
	s->pending = TAKE(s->sudogs);
	s->count = s->sudog_count;
	s->bytes = end_of(l, L_notify_tail);
	s->proves = proves_list;
	if (in_cond.off >= 0) {
		s->offset = (size_t)in_cond.off;
		search(s);
	}
	s->offset = 0;
	search(s);
}

static void search_for(struct runtime *rt, struct target *live, enum wait_source source)
{
	struct search s = { .rt = rt, .live = live, .source = source };
	const struct layout *l = &rt->layout;
	size_t n = list_pending(&s, NULL);

	if (n == 0)
		return;
	s.pending = xcalloc(n, sizeof(*s.pending));
	s.count = list_pending(&s, s.pending);
	if (source == SOURCE_POLL) {
		size_t rg = end_of(l, L_poll_rg), wg = end_of(l, L_poll_wg);
		s.bytes = rg > wg ? rg : wg;
		s.proves = proves_poll;
	} else {
		s.bytes = (size_t)l->slot[L_sudog_size].off;
		s.proves = proves_sudog;
	}
	search(&s);
	if (source == SOURCE_COND)
		search_lists(&s);
	xfree(s.pending);
	xfree(s.items);
}

void waits_search_frames(struct runtime *rt, struct target *live)
{
	search_for(rt, live, SOURCE_SEMAPHORE);
	search_for(rt, live, SOURCE_COND);
	search_for(rt, live, SOURCE_POLL);
}
