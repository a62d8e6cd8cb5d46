/* SPDX-License-Identifier: Apache-2.0 */
/* Who else uses the map when the runtime finds that two do. The code of maps is in runtime/map*.go
 * and, from 1.24 on, in internal/runtime/maps. Goroutines that use the same map have its address
 * in the frames of that code, or of what interrupted it. Words that earlier calls left there do not count:
 * what is at such an address has to look like a map. */
#include <stdlib.h>
#include <string.h>

#include "goruntime/fault/fault_priv.h"
#include "lib/elf/image.h"

enum {
	OTHERS_MAX = 16,
	INNERMOST = 16,	    /* frames */
	WORDS_MAX = 512,    /* of the frames of map code */
	MAP_WORDS = 5,	    /* the head of a map */
	ARGUMENT_WORDS = 4, /* kept above a frame, see name_argument() */
	HEAP_MIN = 1 << 16, /* no mapping is below */
};

static bool is_map_code(const char *function)
{
	static const char *const begins[] = {
		"runtime.map",	    "runtime.(*hmap)",	"internal/runtime/maps.",
		"runtime.evacuate", "runtime.growWork", "runtime.hashGrow"
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (strncmp(function, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* What the frames of map code hold. */
struct map_use {
	uint64_t words[WORDS_MAX];
	size_t count;
	bool found; /* there are such frames */
};

static bool is_heap(struct runtime *rt, const struct goroutine *g, uint64_t word)
{
	const struct target_mapping *m =
		word >= HEAP_MIN ? target_mapping_at(rt->target, word) : NULL;

	return m && m->writable && !images_at(rt->shared->images, word) &&
	       (word < g->stack_low || word >= g->stack_high);
}

static void add_words(struct runtime *rt, const struct goroutine *g,
		      const uint64_t *words, size_t n, struct map_use *use)
{
	for (size_t i = 0; i < n && use->count < WORDS_MAX; i++)
		if (is_heap(rt, g, words[i]))
			use->words[use->count++] = words[i];
}

/* Of the stack up to the end of this frame. */
static void add_frames(struct runtime *rt, const struct goroutine *g,
		       const struct raw_frame *frame, struct map_use *use)
{
	uint64_t words[WORDS_MAX], begin = g->sp, end = goroutine_argp(g, frame);
	struct err ignored;

	if (end)
		end += ARGUMENT_WORDS * WORD;
	if (end > g->stack_high)
		end = g->stack_high;
	if (begin < g->stack_low || end <= begin)
		return;
	size_t n = (end - begin) / WORD;
	if (n > WORDS_MAX)
		n = WORDS_MAX;
	/* A core file has stacks all the same, by rules of its own. */
	const struct target_record before =
		target_record(rt->target, (struct target_record){ .read = NULL });
	if (target_read(rt->target, end - n * WORD, words, n * WORD, &ignored))
		add_words(rt, g, words, n, use);
	target_record(rt->target, before);
}

static void add_registers(struct runtime *rt, const struct goroutine *g,
			  const struct raw_frame *frame, struct map_use *use)
{
	const struct arch *arch = target_arch(rt->target);
	size_t n;
	const struct target_thread *threads = target_threads(rt->target, &n);

	if ((frame->flags & FRAME_AT_INSTRUCTION) && g->thread >= 0 &&
	    (size_t)g->thread < n && threads[g->thread].stopped &&
	    threads[g->thread].regs.value[arch->pc] == frame->pc)
		add_words(rt, g, threads[g->thread].regs.value, arch->reg_count, use);
}

/* A map function may call others of the runtime, and be interrupted. */
static void find_use(struct runtime *rt, const struct goroutine *g, struct map_use *ret)
{
	struct stack stack = runtimes_stack(rt->shared, g->stack);
	const struct raw_frame *outermost = NULL;
	struct runtime *ignored;

	ret->count = 0;
	for (uint32_t i = 0; i < stack.count && i < INNERMOST; i++) {
		const struct raw_frame *frame = &stack.frames[i];
		const struct code *c = code_of_frame(rt->shared, frame, &ignored);
		if (!c || c->call_count == 0)
			break;
		const char *name = code_own_call(c)->name;
		if (is_map_code(name))
			outermost = frame;
		else if (strncmp(name, "runtime.", strlen("runtime.")) != 0)
			break;
	}
	ret->found = outermost != NULL;
	if (outermost) {
		add_registers(rt, g, stack.frames, ret);
		add_frames(rt, g, outermost, ret);
	}
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static bool is_power(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* Map in internal/runtime/maps/map.go (1.24 on): used, seed, directory, its length, and its depth in a byte. */
static bool is_swiss_map(const uint64_t words[MAP_WORDS])
{
	const unsigned depth = words[4] & 0xff;

	return words[1] && (words[3] ? is_power(words[3]) && depth < 64 &&
					       words[3] == UINT64_C(1) << depth
				     : depth == 0);
}

/* hmap in runtime/map.go: count, then flags, B, noverflow and hash0, buckets, old buckets. */
static bool is_classic_map(struct runtime *rt, const struct goroutine *g,
			   const uint64_t words[MAP_WORDS])
{
	const unsigned flags = words[1] & 0xff, log2_buckets = words[1] >> 8 & 0xff;

	return words[1] >> 32 && flags < 16 && log2_buckets < 64 &&
	       (!words[3] || is_heap(rt, g, words[3]));
}

/* Both have their entries behind the third word. */
static bool is_map(struct runtime *rt, const struct goroutine *g, uint64_t at)
{
	uint64_t words[MAP_WORDS];
	struct err ignored;

	return at % WORD == 0 &&
	       target_read(rt->target, at, words, sizeof(words), &ignored) &&
	       is_heap(rt, g, words[2]) &&
	       (is_swiss_map(words) || is_classic_map(rt, g, words));
}

/* ours: sorted. */
static bool share(struct runtime *rt, const struct goroutine *g,
		  const struct map_use *ours, const struct map_use *theirs)
{
	for (size_t i = 0; i < theirs->count; i++)
		if (bsearch(&theirs->words[i], ours->words, ours->count,
			    sizeof(*ours->words), by_number) &&
		    is_map(rt, g, theirs->words[i]))
			return true;
	return false;
}

/* Those that use the same map; if none is known to, those that may. */
static void add_other(struct fault *fault, uint64_t id, bool same)
{
	if (same && !fault->same_map) {
		fault->same_map = true;
		fault->other_count = 0;
	}
	if (same == fault->same_map && fault->other_count < OTHERS_MAX)
		fault->others[fault->other_count++] = id;
}

/* From 1.24 to 1.26 a map of one group is found damaged before its flag is looked at again. */
const char *fault_misused_map(const struct fault *fault)
{
	static const char begin[] = "fatal error: ";
	static const char *const words[] = {
		"concurrent map ",
		"small map with no empty slot (concurrent map writes?)",
	};
	const char *what = fault->message ? strstr(fault->message, begin) : NULL;

	for (size_t i = 0; what && i < ARRAY_SIZE(words); i++)
		if (strncmp(what + strlen(begin), words[i], strlen(words[i])) == 0)
			return what + strlen(begin);
	return NULL;
}

void fault_find_others(struct fault *fault)
{
	struct runtime *rt = fault->runtime;

	if (!rt || !fault->goroutine || !fault_misused_map(fault) || fault->others)
		return;
	AUTO(xfree) struct map_use *ours = xcalloc(1, sizeof(*ours));
	AUTO(xfree) struct map_use *theirs = xcalloc(1, sizeof(*theirs));
	find_use(rt, fault->goroutine, ours);
	if (ours->count)
		qsort(ours->words, ours->count, sizeof(*ours->words), by_number);
	fault->others = xcalloc(OTHERS_MAX, sizeof(*fault->others));
	for (size_t i = 0; i < rt->goroutine_count; i++) {
		const struct goroutine *g = runtime_goroutine(rt, i);
		if (g == fault->goroutine || g->stack == NO_STACK)
			continue;
		find_use(rt, g, theirs);
		const bool same = share(rt, g, ours, theirs);
		if (same || (theirs->found && (!ours->count || !theirs->count)))
			add_other(fault, g->id, same);
	}
}
