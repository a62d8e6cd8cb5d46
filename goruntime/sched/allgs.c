/* SPDX-License-Identifier: Apache-2.0 */
/* Finds runtime.allgs: by symbol, by the code of runtime.allgadd, else by searching the
 * data for a slice of goroutines. Any of these is accepted only when the goroutines are
 * consistent with the layout. */
#include <inttypes.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/sched/sched.h"
#include "lib/base/limit.h"

enum {
	REFERENCES_MAX = 64,
	SCAN_BYTES = 1 << 16,
};

struct slice {
	uint64_t array, len, cap;
};

static bool in_text(struct runtime *rt, uint64_t pc)
{
	return modules_at(rt->modules, pc) != NULL;
}

enum verdict { AGREES, CONTRADICTS, SAYS_NOTHING };

/* A parked or runnable goroutine has its stack pointer in its stack, its pc in text, and
 * points to itself. Others say too little, or change while they are read. */
static enum verdict judge(struct runtime *rt, uint64_t addr)
{
	const struct layout *l = &rt->layout;
	size_t size = (size_t)l->slot[L_g_size].off;
	uint8_t g[LIMIT_STRUCT_BYTES];
	struct err ignored;

	if (addr == 0 || addr % WORD != 0 ||
	    !target_read(rt->target, addr, g, size, &ignored))
		return CONTRADICTS;
#define GET(slot) layout_get(l, L_##slot, g, size)
	uint64_t status = GET(g_status) & ~UINT64_C(0x1000), low = GET(g_stack_lo),
		 high = GET(g_stack_hi), sp = GET(g_sched_sp);
	if (status > GOROUTINE_DEAD_EXTRA)
		return CONTRADICTS;
	if (status == GOROUTINE_DEAD || status == GOROUTINE_DEAD_EXTRA ||
	    status == GOROUTINE_IDLE)
		return SAYS_NOTHING;
	/* Goroutines for C threads have neither start function nor creator: proc.go
	 * oneNewExtraM. */
	uint64_t start = GET(g_startpc), creator = GET(g_gopc);
	if (low >= high || GET(g_goid) == 0 || (start != 0 && !in_text(rt, start)) ||
	    (layout_has(l, L_g_gopc) && (start == 0) != (creator == 0)) ||
	    (creator != 0 && !in_text(rt, creator)))
		return CONTRADICTS;
	/* Values left by a system call stay until the goroutine runs again. */
	uint64_t called_from = GET(g_syscallsp);
	if (called_from != 0 &&
	    (called_from <= low || called_from > high || !in_text(rt, GET(g_syscallpc))))
		return CONTRADICTS;
	if (status != GOROUTINE_WAITING && status != GOROUTINE_RUNNABLE)
		return SAYS_NOTHING;
	return sp > low && sp <= high && in_text(rt, GET(g_sched_pc)) &&
			       GET(g_sched_g) == addr
		       ? AGREES
		       : CONTRADICTS;
#undef GET
}

static bool plausible(struct runtime *rt, const struct slice *s)
{
	if (s->len == 0 || s->len > s->cap || s->cap > LIMIT_GOROUTINES * 4 ||
	    s->array % WORD)
		return false;
	const struct target_mapping *map = target_mapping_at(rt->target, s->array);
	return map && map->writable && s->cap <= (map->end - s->array) / WORD;
}

/* least: how many goroutines must agree. tolerated: how many may contradict for every
 * eight that agree.
 * With a wrong place or layout hardly any agree, so a place that the runtime itself names
 * is accepted even if much of memory is damaged. A place that only looks right may have
 * one contradiction for every eight that agree, because a goroutine of a running process
 * may change between two reads. It needs more than one goroutine: a single pointer to a
 * goroutine is not a list. */
struct belief {
	size_t least, tolerated;
};
static const struct belief NAMED = { 1, 24 }, GUESSED = { 2, 1 };
enum { EIGHT = 8 };

size_t allgs_sample(struct runtime *rt, uint64_t array, uint64_t len,
		    uint64_t ret[static ALLGS_SAMPLE])
{
	struct target_span spans[ALLGS_SAMPLE];
	const size_t n = len < ALLGS_SAMPLE ? (size_t)len : ALLGS_SAMPLE;
	struct err ignored;

	if (n == len && target_read(rt->target, array, ret, n * WORD, &ignored))
		return n;
	for (size_t i = 0; i < n; i++)
		spans[i] = (struct target_span){ .addr = array + len * i / n * WORD,
						 .buf = &ret[i],
						 .len = WORD };
	target_read_many(rt->target, spans, n);
	for (size_t i = 0; i < n; i++)
		if (!spans[i].done)
			ret[i] = 0;
	return n;
}

static bool believe(struct runtime *rt, uint64_t at, const struct belief *belief)
{
	uint64_t sample[ALLGS_SAMPLE];
	struct slice s;
	struct err ignored;
	size_t agree = 0, contradict = 0;

	if (!target_read(rt->target, at, &s, sizeof(s), &ignored) || !plausible(rt, &s))
		return false;
	const size_t n = allgs_sample(rt, s.array, s.len, sample);
	for (size_t i = 0; i < n; i++) {
		enum verdict v = judge(rt, sample[i]);
		agree += v == AGREES;
		contradict += v == CONTRADICTS;
		/* Past this the rest cannot make up for it. */
		if (contradict * EIGHT > ALLGS_SAMPLE * belief->tolerated)
			return false;
	}
	return agree >= belief->least && contradict * EIGHT <= agree * belief->tolerated;
}

/* runtime.allgadd appends to allgs, so it refers to the three words of the slice.
 * *ret_named: a place that the code names but that was rejected. */
static uint64_t find_by_code(struct runtime *rt, uint64_t *ret_named)
{
	uint64_t refs[REFERENCES_MAX];
	size_t n =
		modules_references(rt->modules, "runtime.allgadd", refs, REFERENCES_MAX);

	for (size_t i = 0; i < n; i++) {
		bool second = false, third = false;
		for (size_t j = 0; j < n; j++) {
			second |= refs[j] == refs[i] + WORD;
			third |= refs[j] == refs[i] + 2 * WORD;
		}
		if (!second || !third)
			continue;
		if (believe(rt, refs[i], &NAMED))
			return refs[i];
		*ret_named = refs[i];
	}
	return 0;
}

/* The longest acceptable slice in [start, end). */
static uint64_t scan(struct runtime *rt, uint64_t start, uint64_t end)
{
	AUTO(xfree) uint8_t *buf = xmalloc(SCAN_BYTES);
	uint64_t best = 0, longest = 0;
	struct err ignored;
	struct slice s;

	end = target_scan_end(start, end);
	for (uint64_t at = start; at < end; at += SCAN_BYTES - sizeof(s)) {
		size_t n = end - at < SCAN_BYTES ? (size_t)(end - at) : SCAN_BYTES;
		if (!target_search(rt->target, at, buf, n, &ignored))
			continue;
		for (size_t i = 0; i + sizeof(s) <= n; i += WORD) {
			memcpy(&s, buf + i, sizeof(s));
			if (s.len <= longest || !plausible(rt, &s) ||
			    !believe(rt, at + i, &GUESSED))
				continue;
			best = at + i;
			longest = s.len;
		}
	}
	return best;
}

static bool found(struct runtime *rt, uint64_t addr, const char *how)
{
	rt->allgs = addr;
	rt->allgs_how = how;
	return true;
}

bool allgs_find(struct runtime *rt, struct err *err)
{
	struct image_range symbol;
	uint64_t named = 0;

	rt->allgs_damaged = 0;
	if (image_symbol(rt->image, "runtime.allgs", &symbol)) {
		if (believe(rt, symbol.addr, &NAMED))
			return found(rt, symbol.addr, "symbol");
		named = symbol.addr;
	}
	uint64_t addr = find_by_code(rt, &named);
	if (addr)
		return found(rt, addr, "code");
	const struct module *m = modules_get(rt->modules, 0);
	addr = scan(rt, m->bss, m->ebss);
	if (!addr)
		return err_set(err, ERR_NOT_FOUND,
			       "no goroutine list found that matches the layout %s",
			       rt->layout.source);
	rt->allgs_damaged = named;
	return found(rt, addr, "scan");
}
