/* SPDX-License-Identifier: Apache-2.0 */
/* What the collector does not follow, though it looks like a pointer: in a P all but its timers (numbers
 * that are addresses: pages, spans and objects to be scanned, pointers that were overwritten; its lists
 * of free structs keep nothing); in a g the end of its stack, where the next object may begin; and, when it
 * looks for leaked goroutines, what a sudog of a blocked goroutine waits for (runtime/mgc.go
 * setSyncObjectsUntraceable, 1.26). */
#include "goruntime/heap/heap_priv.h"
#include "goruntime/runtime/sudog.h"
#include "goruntime/sched/state_priv.h"

enum {
	PROCESSORS = 1 << 16,
	/* Between the size of a struct of at most 512 bytes and that of its place. */
	SLACK = 32,
	/* runtime/stack.go (1.27) */
	STACK_LEAST = 2048,
	STACK_MOST = 1 << 30,
};

static void hide(struct heap *h, uint64_t addr, uint64_t end)
{
	GROW(h->hidden, h->hidden_count, h->hidden_cap);
	h->hidden[h->hidden_count++] = (struct extent){ addr, end };
}

static void hide_processor(struct heap *h, uint64_t p)
{
	const struct slot timers = h->rt->layout.slot[L_p_timers];
	struct span *s = span_at(h, p);
	struct heap_object o;

	/* From 1.22 on its type precedes it. */
	if (!heap_object(h, p, &o) || p - o.addr > WORD)
		return;
	s->hidden = true;
	hide(h, p, p + (uint64_t)timers.off);
	hide(h, p + (uint64_t)timers.off + timers.size, o.addr + o.size);
}

void hidden_find(struct heap *h)
{
	uint64_t slice[2], p;
	struct err ignored;

	state_places_find(h->rt);
	const uint64_t addr = h->rt->places.allp;
	if (!addr || !layout_has(&h->rt->layout, L_p_timers) ||
	    !target_read(h->memory, addr, slice, sizeof(slice), &ignored))
		return;
	for (uint64_t i = 0; i < slice[1] && i < PROCESSORS; i++)
		if (target_read_uint(h->memory, slice[0] + i * WORD, WORD, &p, &ignored))
			hide_processor(h, p);
}

bool hidden_has(const struct heap *h, uint64_t addr)
{
	for (size_t i = 0; i < h->hidden_count; i++)
		if (addr >= h->hidden[i].addr && addr < h->hidden[i].end)
			return true;
	return false;
}

void heap_hide_waits(struct heap *h, const uint64_t *g, size_t n)
{
	h->waiting = sudog_is_known(&h->rt->layout) ? g : NULL;
	h->waiting_count = h->waiting ? n : 0;
}

static bool fits(const struct heap *h, const struct span *s, enum layout_slot size)
{
	const uint64_t bytes = (uint64_t)h->rt->layout.slot[size].off;

	return s->elem_size >= bytes && s->elem_size < bytes + SLACK;
}

bool hidden_may_be_in(const struct heap *h, const struct span *s)
{
	return s->hidden || (h->waiting_count && fits(h, s, L_sudog_size)) ||
	       fits(h, s, L_g_size);
}

static uint64_t waited_for(const struct heap *h, const uint8_t *bytes)
{
	const struct sudog s = sudog_parse(&h->rt->layout, bytes);
	const size_t i = LOWER_BOUND(w, h->waiting_count, h->waiting[w] < s.g);

	if (i == h->waiting_count || h->waiting[i] != s.g)
		return 0;
	return s.channel ? s.channel : s.elem;
}

/* The size of a stack is a power of two, and no object begins where it does. */
static uint64_t end_of_stack(const struct heap *h, const uint8_t *bytes, size_t len)
{
	const uint64_t low = layout_get(&h->rt->layout, L_g_stack_lo, bytes, len),
		       high = layout_get(&h->rt->layout, L_g_stack_hi, bytes, len),
		       size = high - low;

	return size >= STACK_LEAST && size <= STACK_MOST && (size & (size - 1)) == 0 &&
			       !span_at(h, low)
		       ? high
		       : 0;
}

uint64_t hidden_word(const struct heap *h, const struct span *s, const uint8_t *bytes,
		     size_t len)
{
	if (len < s->elem_size)
		return 0;
	if (h->waiting_count && fits(h, s, L_sudog_size))
		return waited_for(h, bytes);
	return fits(h, s, L_g_size) ? end_of_stack(h, bytes, len) : 0;
}
