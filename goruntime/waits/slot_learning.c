/* SPDX-License-Identifier: Apache-2.0 */
/* What a goroutine waits for when only one of its frames knows: the sudog in semacquire1
 * or notifyListWait (before Go 1.26), the notifyList, the pollDesc.
 *
 * The word that points to it is in the same slot, at the same distance from the stack
 * pointer, in all goroutines that wait in the same function of the same program. Slots
 * are learned:
 *
 * 1. Sample: of a few goroutines, every word of the innermost frames is a candidate. What
 *    the candidates point to is read at once (struct_scan.h), and proves() accepts it or
 *    not. The slot of each accepted word is learned.
 * 2. Check: of all other goroutines, only the word in a learned slot is read.
 * 3. Again with a sample of those that are left, until it teaches no new slot.
 *
 * A word is accepted when what it points to points back: sudog.g, pollDesc.rg or wg, the
 * head or tail of the list. That alone is not enough, as dead words may point into an
 * older stack, which has pointers to the g too. So what else the function needs when it
 * wakes must be in the frames as well: semacquire1's addr, netpollblock's gpp. */
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/waits/wait_priv.h"

enum {
	WORDS = 128, /* of the innermost frames to search */
	SAMPLE = 32, /* goroutines to search at a time */
	SLOTS = 64,  /* to learn in one search */
	ROUNDS = 8,
	RESOLVED = UINT32_MAX,
};

/* A goroutine whose object is not known yet. */
struct waiter {
	uint64_t sp, low, high; /* its stack */
	uint64_t sudog;		/* of the goroutine; 0: not known */
	uint32_t ticket;	/* of the sudog */
	uint32_t record;	/* index; or RESOLVED */
};

struct search {
	struct runtime *rt;
	struct target *live;
	enum wait_source source;
	struct waiter *waiters;
	size_t count;
	uint16_t slots[SLOTS]; /* learned: distances from the stack pointer, in words */
	size_t slot_count;
	struct struct_scan_item *items; /* candidates; tag: waiter * WORDS + slot */
	size_t item_count, item_cap;
	bool sampling;	       /* a proof must do without a learned slot */
	struct waiter *sudogs; /* SOURCE_COND: goroutines whose list is searched next */
	size_t sudog_count, sudog_cap;
	size_t offset; /* from where the word points to the candidate */
	size_t bytes;  /* size of the candidate */
	bool (*proves)(struct search *s, struct waiter *p, uint64_t addr,
		       const uint8_t *bytes);
};

static struct wait_record *record_of(const struct search *s, const struct waiter *p)
{
	return &s->rt->waits->records[p->record];
}

/* Reads the words of the innermost frames; returns how many. */
static size_t read_words(const struct search *s, const struct waiter *p, uint64_t *ret)
{
	size_t n = (size_t)((p->high - p->sp) / WORD);
	struct err ignored;

	n = n < WORDS ? n : WORDS;
	target_budget_unit(s->rt->target);
	return target_search(s->rt->target, p->sp, ret, n * WORD, &ignored) ? n : 0;
}

static bool in_frames(const struct search *s, const struct waiter *p, uint64_t value)
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
static bool is_of_source(const struct search *s, const struct waiter *p,
			 const uint8_t *bytes)
{
	const struct layout *l = &s->rt->layout;
	uint64_t elem = layout_get(l, L_sudog_elem, bytes, s->bytes);

	if (layout_get(l, L_sudog_c, bytes, s->bytes) != 0)
		return false;
	return s->source == SOURCE_COND ? elem == 0 : elem != 0 && in_frames(s, p, elem);
}

static bool proves_sudog(struct search *s, struct waiter *p, uint64_t addr,
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
 * and the slot a learned one. */
static bool proves_list(struct search *s, struct waiter *p, uint64_t addr,
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

/* 0: none; negative: it has passed. */
static void note_deadline(struct waits *w, uint64_t g, int64_t when)
{
	if (when <= 0)
		return;
	GROW(w->deadlines, w->deadline_count, w->deadline_cap);
	w->deadlines[w->deadline_count++] = (struct deadline_record){ g, (uint64_t)when };
}

static bool proves_poll(struct search *s, struct waiter *p, uint64_t addr,
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
	note_deadline(
		s->rt->waits, r->g,
		(int64_t)layout_get(l, writes ? L_poll_wd : L_poll_rd, bytes, s->bytes));
	return true;
}

/* Could this stack word point to a candidate? */
static bool plausible(const struct search *s, const struct waiter *p, uint64_t word)
{
	const struct target_mapping *map;

	if (word % WORD || word >= WAIT_ADDRESS_END || (word >= p->low && word < p->high))
		return false;
	map = target_mapping_at(s->rt->target, word);
	return map && map->writable && s->bytes <= map->end - word;
}

static void add_candidate(struct search *s, size_t waiter, uint64_t word, size_t slot)
{
	word += s->offset;
	if (!plausible(s, &s->waiters[waiter], word))
		return;
	GROW(s->items, s->item_count, s->item_cap);
	s->items[s->item_count++] =
		(struct struct_scan_item){ word, waiter * WORDS + slot };
}

static void learn_slot(struct search *s, uint16_t slot)
{
	for (size_t i = 0; i < s->slot_count; i++)
		if (s->slots[i] == slot)
			return;
	if (s->slot_count < SLOTS)
		s->slots[s->slot_count++] = slot;
}

static void prove(void *arg, const struct struct_scan_item *item, const uint8_t *bytes)
{
	struct search *s = arg;
	struct waiter *p = &s->waiters[item->tag / WORDS];

	if (!bytes || p->record == RESOLVED || !s->proves(s, p, item->addr, bytes))
		return;
	target_found(s->live, item->addr, s->bytes);
	learn_slot(s, item->tag % WORDS);
	p->record = RESOLVED;
}

static void prove_candidates(struct search *s)
{
	size_t kept = 0;

	struct_scan(s->live, s->items, s->item_count, s->bytes, prove, s);
	s->item_count = 0;
	for (size_t i = 0; i < s->count; i++)
		if (s->waiters[i].record != RESOLVED)
			s->waiters[kept++] = s->waiters[i];
	s->count = kept;
}

/* Searches all words of a few goroutines. */
static void search_sample(struct search *s)
{
	size_t step = s->count > SAMPLE ? s->count / SAMPLE : 1;
	uint64_t words[WORDS];

	s->sampling = true;
	for (size_t i = 0; i < s->count; i += step) {
		size_t n = read_words(s, &s->waiters[i], words);
		for (size_t slot = 0; slot < n; slot++)
			add_candidate(s, i, words[slot], slot);
	}
	prove_candidates(s);
}

/* Checks one word of all goroutines. */
static void check_slot(struct search *s, uint16_t slot)
{
	uint64_t word;
	struct err ignored;

	s->sampling = false;
	for (size_t i = 0; i < s->count; i++) {
		const struct waiter *p = &s->waiters[i];
		uint64_t at = p->sp + (uint64_t)slot * WORD;
		target_budget_unit(s->rt->target);
		if (at + WORD <= p->high &&
		    target_read_uint(s->rt->target, at, WORD, &word, &ignored))
			add_candidate(s, i, word, slot);
	}
	prove_candidates(s);
}

static void search(struct search *s)
{
	if (s->bytes == 0)
		return;
	for (int round = 0; round < ROUNDS && s->count; round++) {
		size_t known = s->slot_count;
		search_sample(s);
		if (known == s->slot_count)
			break;
		for (; known < s->slot_count && s->count; known++)
			check_slot(s, s->slots[known]);
	}
	s->slot_count = 0;
}

/* Goroutines whose object only a frame knows. */
static size_t list_waiters(struct search *s, struct waiter *ret)
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
			ret[n++] = (struct waiter){ .sp = g->sp,
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

	xfree(s->waiters);
	s->waiters = TAKE(s->sudogs);
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
	size_t n = list_waiters(&s, NULL);

	if (n == 0)
		return;
	s.waiters = xcalloc(n, sizeof(*s.waiters));
	s.count = list_waiters(&s, s.waiters);
	if (source == SOURCE_POLL) {
		static const enum layout_slot fields[] = { L_poll_fd, L_poll_rg,
							   L_poll_wg, L_poll_rd,
							   L_poll_wd };
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			if (layout_has(l, fields[i]) && end_of(l, fields[i]) > s.bytes)
				s.bytes = end_of(l, fields[i]);
		s.proves = proves_poll;
	} else {
		s.bytes = (size_t)l->slot[L_sudog_size].off;
		s.proves = proves_sudog;
	}
	search(&s);
	if (source == SOURCE_COND)
		search_lists(&s);
	xfree(s.waiters);
	xfree(s.items);
}

void waits_search_frames(struct runtime *rt, struct target *live)
{
	const bool before = target_set_searching(live, true);

	search_for(rt, live, SOURCE_SEMAPHORE);
	search_for(rt, live, SOURCE_COND);
	search_for(rt, live, SOURCE_POLL);
	waits_sort_deadlines(rt->waits);
	target_set_searching(live, before);
}
