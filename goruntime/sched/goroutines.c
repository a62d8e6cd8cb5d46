/* SPDX-License-Identifier: Apache-2.0 */
/* The g structs: read in bulk, reduced to records, sorted in document order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/struct_scan.h"
#include "goruntime/sched/sched.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/limit.h"

enum {
	BATCH = 4096,	       /* pointers of allgs read at once */
	BATCH_BYTES = 1 << 21, /* of g structs, in one vectored read */
	RUN_BYTES = 1 << 16,
	RUN_GAP = 256,	   /* g structs are contiguous, in spans of one size */
	SCAN_BIT = 0x1000, /* runtime/runtime2.go _Gscan */
};

static bool is_dead(unsigned status)
{
	return status == GOROUTINE_DEAD || status == GOROUTINE_DEAD_EXTRA;
}

/* Where the runtime itself would start unwinding: runtime/traceback.go initAt (1.21). */
static void set_start(struct goroutine *g, uint64_t sched_pc, uint64_t sched_sp,
		      uint64_t syscall_pc, uint64_t syscall_sp)
{
	g->syscall = syscall_sp != 0;
	g->pc = g->syscall ? syscall_pc : sched_pc;
	g->sp = g->syscall ? syscall_sp : sched_sp;
}

/* A goroutine's stack is moved by itself, or by the collector that scans it (scanstack in runtime/mgcmark.go) if it is
 * neither running nor in a system call. A running one shrinks its own without a status that says so: the walk of its
 * thread tells. */
static bool may_move_stack(uint64_t status)
{
	const uint64_t plain = status & (SCAN_BIT - 1);

	return plain == GOROUTINE_COPYSTACK ||
	       (status & SCAN_BIT && plain != GOROUTINE_RUNNING &&
		plain != GOROUTINE_SYSCALL);
}

static struct goroutine parse_g(const struct layout *l, uint64_t addr, const uint8_t *g,
				size_t len)
{
#define GET(slot) layout_get(l, L_##slot, g, len)
	bool locked = layout_has(l, L_g_lockedm);
	const uint64_t status = GET(g_status);
	struct goroutine r = {
		.addr = addr,
		.id = GET(g_goid),
		.stack_low = GET(g_stack_lo),
		.stack_high = GET(g_stack_hi),
		.created_pc = GET(g_gopc),
		.start_pc = GET(g_startpc),
		.parent = GET(g_parent),
		.waiting_since = GET(g_waitsince),
		.machine = GET(g_m),
		.locked_machine = locked ? GET(g_lockedm) : 0,
		.stack = NO_STACK,
		.thread = -1,
		.status = (uint8_t)(status & (SCAN_BIT - 1)),
		.wait_reason = (uint8_t)GET(g_waitreason),
		.run_count = (uint8_t)GET(g_tracking_seq),
		.stack_moves = may_move_stack(status),
	};
	if (r.status == GOROUTINE_RUNNABLE && GET(g_tracking))
		r.runnable_since = GET(g_tracking_stamp);
	set_start(&r, GET(g_sched_pc), GET(g_sched_sp), GET(g_syscallpc),
		  GET(g_syscallsp));
	goroutine_set_frame_pointer(
		&r, layout_has(l, r.syscall ? L_g_syscallbp : L_g_sched_bp),
		r.syscall ? GET(g_syscallbp) : GET(g_sched_bp));
#undef GET
	return r;
}

/* If a page is unreadable, the goroutines listed in it are lost; their entries stay
 * zero. */
static bool read_array(struct runtime *rt, uint64_t addr, struct struct_scan_item *list,
		       size_t count, struct err *err)
{
	uint64_t words[BATCH];
	size_t missing = 0;

	for (size_t at = 0, n; at < count; at += n) {
		n = count - at < BATCH ? count - at : BATCH;
		if (!target_read(rt->target, addr + at * WORD, words, n * WORD, err)) {
			memset(words, 0, n * WORD);
			missing += n;
		}
		for (size_t i = 0; i < n; i++)
			list[at + i].addr = words[i];
	}
	if (missing && missing < count) {
		rt->goroutines_missed += missing;
		warnings_add(rt->warnings, "goroutines",
			     "%zu entries of allgs could not be read: %s", missing,
			     err->text);
	}
	return missing < count || count == 0;
}

/* The addresses in allgs, sorted and without duplicates: address order makes the large
 * reads that follow cheap. NULL: err. */
static struct struct_scan_item *read_addresses(struct runtime *rt, size_t *ret_n,
					       struct err *err)
{
	uint64_t header[2];
	size_t n = 0;

	if (!target_read(rt->target, rt->allgs, header, sizeof(header), err))
		return NULL;
	uint64_t count = header[1];
	const struct target_mapping *map = target_mapping_at(rt->target, header[0]);
	uint64_t room = map ? (map->end - header[0]) / WORD : 0;
	if (count > LIMIT_GOROUTINES || count > room) {
		warnings_add(rt->warnings, "goroutines",
			     "allgs claims %" PRIu64
			     " goroutines, memory holds at most %" PRIu64,
			     count, room);
		rt->goroutines_missed +=
			count - (room < LIMIT_GOROUTINES ? room : LIMIT_GOROUTINES);
		count = room < LIMIT_GOROUTINES ? room : LIMIT_GOROUTINES;
	}
	AUTO(xfree) struct struct_scan_item *list = xcalloc(count + 1, sizeof(*list));
	if (!read_array(rt, header[0], list, count, err))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (list[i].addr != 0 && list[i].addr % WORD == 0)
			list[n++] = list[i];
	n = struct_scan_distinct(list, n);
	if (n < count)
		warnings_add(rt->warnings, "goroutines",
			     "%" PRIu64
			     " entries of allgs are zero, duplicate or misaligned",
			     count - n);
	*ret_n = n;
	return TAKE(list);
}

static void take_g(struct runtime *rt, uint64_t addr, const uint8_t *bytes, size_t size)
{
	struct goroutine g = parse_g(&rt->layout, addr, bytes, size);

	GROW(rt->goroutines, rt->goroutine_count, rt->goroutine_cap);
	rt->goroutines[rt->goroutine_count++] = g;
	if (!is_dead(g.status))
		extra_note(&rt->extra_lists, &rt->layout, addr, bytes, size);
	waits_note(rt, &g, bytes, size);
}

struct g_reading {
	struct runtime *rt;
	size_t size; /* of a g struct, in bytes */
	size_t missing;
};

static void take_item(void *arg, const struct struct_scan_item *item,
		      const uint8_t *bytes)
{
	struct g_reading *r = arg;

	if (bytes)
		take_g(r->rt, item->addr, bytes, r->size);
	else
		r->missing++;
}

bool goroutines_read(struct runtime *rt, struct err *err)
{
	struct g_reading r = { rt, (size_t)rt->layout.slot[L_g_size].off, 0 };
	size_t n;
	AUTO(xfree) struct struct_scan_item *list = read_addresses(rt, &n, err);

	if (!list)
		return false;
	struct_scan(rt->target, list, n, r.size, take_item, &r);
	rt->goroutines_missed += r.missing;
	if (r.missing)
		warnings_add(rt->warnings, "goroutines", "%zu of %zu could not be read",
			     r.missing, n);
	return true;
}

uint64_t goroutines_expected(struct runtime *rt)
{
	uint64_t count = 0;
	struct err ignored;

	if (rt->allgs &&
	    target_read_uint(rt->target, rt->allgs + WORD, WORD, &count, &ignored) &&
	    count <= LIMIT_GOROUTINES)
		return count;
	return 0;
}

uint64_t goroutines_expected_bytes(struct runtime *rt)
{
	size_t size = (size_t)rt->layout.slot[L_g_size].off, sampled = 0;
	uint64_t header[2], sample[ALLGS_SAMPLE], used = 0;
	uint8_t bytes[LIMIT_STRUCT_BYTES];
	struct err ignored;

	if (!rt->allgs ||
	    !target_read(rt->target, rt->allgs, header, sizeof(header), &ignored) ||
	    header[1] == 0 || header[1] > LIMIT_GOROUTINES)
		return 0;
	const size_t n = allgs_sample(rt, header[0], header[1], sample);
	for (size_t i = 0; i < n; i++) {
		if (!sample[i] ||
		    !target_read(rt->target, sample[i], bytes, size, &ignored))
			continue;
		struct goroutine g = parse_g(&rt->layout, sample[i], bytes, size);
		sampled++;
		if (!is_dead(g.status) && g.sp >= g.stack_low && g.sp < g.stack_high &&
		    g.stack_high - g.sp < LIMIT_STACK_BYTES)
			used += g.stack_high - g.sp;
	}
	return sampled ? used / sampled * header[1] : 0;
}

static void compare_item(void *arg, const struct struct_scan_item *item,
			 const uint8_t *bytes)
{
	struct runtime *rt = arg;
	struct goroutine *was = &rt->goroutines[item->tag], now;
	size_t size = (size_t)rt->layout.slot[L_g_size].off;

	if (bytes)
		now = parse_g(&rt->layout, item->addr, bytes, size);
	was->changed = !bytes || now.id != was->id || now.status != was->status ||
		       now.pc != was->pc || now.sp != was->sp ||
		       now.stack_low != was->stack_low ||
		       now.waiting_since != was->waiting_since;
}

void goroutines_mark_changed(struct runtime *rt, struct target *source)
{
	size_t n = rt->goroutine_count;
	AUTO(xfree) struct struct_scan_item *items = xcalloc(n + 1, sizeof(*items));

	for (size_t i = 0; i < n; i++)
		items[i] = (struct struct_scan_item){ rt->goroutines[i].addr, i };
	if (n)
		struct_scan(source, items, n, (size_t)rt->layout.slot[L_g_size].off,
			    compare_item, rt);
}

void goroutines_mark_changeable(struct runtime *rt,
				bool (*is_of_running)(void *arg, uint64_t addr,
						      uint64_t len),
				void *arg)
{
	uint64_t size = (uint64_t)rt->layout.slot[L_g_size].off;

	for (size_t i = 0; i < rt->goroutine_count; i++) {
		struct goroutine *g = &rt->goroutines[i];
		uint64_t stack =
			g->stack_high > g->stack_low ? g->stack_high - g->stack_low : 0;
		g->changed = is_of_running(arg, g->addr, size) ||
			     (stack && is_of_running(arg, g->stack_low, stack));
	}
}

/* A system goroutine that currently runs a finalizer or cleanup of the program counts as
 * a user goroutine (isSystemGoroutine); its stack shows whether it does. */
static bool runs_user_code(struct runtime *rt, const struct goroutine *g)
{
	struct stack s = runtimes_stack(rt->shared, g->stack);

	for (uint32_t i = 0; i < s.count; i++) {
		const struct code *c =
			code_with_calls(rt->code, s.frames[i].pc,
					s.frames[i].flags & FRAME_AT_INSTRUCTION);
		const struct pclntab_call *call = c ? code_own_call(c) : NULL;
		if (call && call->named && strncmp(call->name, "runtime.", 8) != 0)
			return true;
	}
	return false;
}

/* Where the functions are unknown: only goroutines of the runtime wait for these (1.15 to 1.27). */
static bool waits_as_system(struct runtime *rt, const struct goroutine *g)
{
	static const char *const reasons[] = {
		"force gc (idle)",    "GC sweep wait",
		"GC scavenge wait",   "GC worker (idle)",
		"GC worker (active)", "finalizer wait",
		"cleanup wait",	      "GOMAXPROCS updater (idle)",
	};
	const char *reason = g->status == GOROUTINE_WAITING
				     ? runtime_wait_reason(rt, g->wait_reason)
				     : NULL;

	for (size_t i = 0; reason && i < ARRAY_SIZE(reasons); i++)
		if (strcmp(reason, reasons[i]) == 0)
			return true;
	return false;
}

/* runtime/traceback.go isSystemGoroutine: by its start function. */
static bool is_system(struct runtime *rt, const struct goroutine *g)
{
	const struct code *c = code_with_calls(rt->code, g->start_pc, true);

	if (!c && rt->modules && modules_is_unnamed(rt->modules, g->start_pc))
		return waits_as_system(rt, g);
	if (!c || strncmp(code_own_call(c)->name, "runtime.", 8) != 0)
		return false;
	switch ((int)c->special) {
	case SPECIAL_runtime_main:
	case SPECIAL_handle_async_event:
	case SPECIAL_corostart:
		return false;
	case SPECIAL_runfinq:
	case SPECIAL_run_finalizers:
	case SPECIAL_run_cleanups:
		return !runs_user_code(rt, g);
	default:
		return true;
	}
}

static int document_order(const void *a, const void *b, void *arg)
{
	const struct runtime *rt = arg;
	const struct goroutine *x = &rt->goroutines[*(const uint32_t *)a];
	const struct goroutine *y = &rt->goroutines[*(const uint32_t *)b];

	if (x->system != y->system)
		return x->system ? 1 : -1;
	if (is_dead(x->status) != is_dead(y->status))
		return is_dead(x->status) ? 1 : -1;
	return x->id != y->id ? (x->id > y->id) - (x->id < y->id)
			      : (x->addr > y->addr) - (x->addr < y->addr);
}

/* Ids are unique unless memory is damaged. Both sections of the order, user and system
 * goroutines, are sorted by id; dead goroutines do not keep theirs. */
static void mark_doubles(struct runtime *rt)
{
	struct goroutine *last[2] = { NULL, NULL }; /* in each section */
	size_t end[2], at[2];

	for (end[0] = 0; end[0] < rt->goroutine_count; end[0]++)
		if (rt->goroutines[rt->order[end[0]]].system)
			break;
	end[1] = rt->goroutine_count;
	at[0] = 0;
	at[1] = end[0];
	for (;;) {
		struct goroutine *next[2];
		for (int i = 0; i < 2; i++) {
			next[i] =
				at[i] < end[i] ? &rt->goroutines[rt->order[at[i]]] : NULL;
			if (next[i] && is_dead(next[i]->status))
				next[i] = NULL; /* dead ones come last */
		}
		if (!next[0] && !next[1])
			return;
		int i = !next[0] || (next[1] && next[1]->id < next[0]->id);
		for (int k = 0; k < 2; k++)
			if (last[k] && last[k]->id == next[i]->id)
				last[k]->same_id = next[i]->same_id = true;
		last[i] = next[i];
		at[i]++;
	}
}

/* The records stay in place: moving them would double the memory. */
void goroutines_sort(struct runtime *rt)
{
	rt->order = xcalloc(rt->goroutine_count + 1, sizeof(*rt->order));
	for (size_t i = 0; i < rt->goroutine_count; i++) {
		rt->goroutines[i].system = is_system(rt, &rt->goroutines[i]);
		rt->order[i] = (uint32_t)i;
	}
	if (rt->goroutine_count)
		qsort_r(rt->order, rt->goroutine_count, sizeof(*rt->order),
			document_order, rt);
	mark_doubles(rt);
}
