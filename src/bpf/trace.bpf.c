// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs in the kernel when a traced function is called: reports the call, with its registers, the
 * top of its stack, its callers, and what its arguments point to, as all of that is at this instant. It
 * waits for nothing, unless the process is to be stopped at this call. Where there is no room, it counts.
 *
 * No function may use 64 bytes of stack or more: see fault.bpf.c. */
#include "src/bpf/hold.h"
#include "src/bpf/trace.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum { RING_BYTES = 16 << 20, NS_PER_S = 1000000000, PAGE = 4096, STOP_BYTES = PAGE };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} hits SEC(".maps");
/* Of its own: whoever reads the other may be far behind. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, STOP_BYTES);
} stops SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries,
	       2 * TRACE_POINTS); /* those of returns behind those of calls */
	__type(key, __u32);
	__type(value, struct trace_plan);
} plans SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRACE_POINTS);
	__type(key, __u32);
	__type(value, struct trace_times);
} times SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* more if there are some */
	__type(key, __u32);
	__type(value, struct trace_conditions);
} conditions SEC(".maps");
/* A call is that of a goroutine, however it moves, at a depth of its stack, wherever that is. One that ends
 * by a panic stays here, until there is another at the same place. */
struct place {
	__u64 goroutine, depth;
	__u32 pid, point;
};
struct begun {
	__u64 at_ns, number;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* more if returns are probed */
	__type(key, struct place);
	__type(value, struct begun);
} begun SEC(".maps");

const volatile __u32 only_pid = 0; /* 0: any */
const volatile __u32 goid_offset = 0, stack_low_offset = 0, stack_high_offset = 0;
const volatile __u32 labels_offset = 0; /* 0: none are wanted */
const volatile bool has_g = false;	/* in r14 */
const volatile __u64 rate = 0;		/* a second; 0: as many as there are */
const volatile bool with_returns = false;
const volatile bool conditional = false;
const volatile __u64 hold_ns = 0;  /* 0: no call stops the process */
const volatile __u64 max_told = 0; /* those beyond do not; 0: all do */

__u64 met, sent, lost, passed, excluded;
__u64 returns_met, returns_sent, returns_lost, returns_passed;
__u64 second, in_second;
/* By user space: from when on a call stops the process. There is one such call until it is set again. */
__u64 stop_after_ns;
__u64 stop_released; /* by user space: the number of the stop whose thread may go on */
__u64 stop_missed;   /* of the last whose thread went on by itself */
__u64 stop_numbers, unstopped;

struct copying {
	struct trace_hit *hit;
	const struct trace_plan *plan;
};

/* If not all of it is there, up to the end of the page. Returns how much was read. */
static __always_inline __u64 read_some(__u8 *to, __u64 n, __u64 addr)
{
	n &= 2 * TRACE_STEP_MAX - 1;
	if (n > TRACE_STEP_MAX)
		n = TRACE_STEP_MAX;
	if (!n || !bpf_probe_read_user(to, n, (void *)addr))
		return n;
	__u64 rest = -addr & (PAGE - 1);
	if (!rest || rest >= n)
		return 0;
	rest &= TRACE_STEP_MAX - 1;
	return bpf_probe_read_user(to, rest, (void *)addr) ? 0 : rest;
}

static int step(__u32 i, struct copying *c)
{
	struct trace_hit *hit = c->hit;

	if (i >= TRACE_STEPS || i >= c->plan->count)
		return 1;
	const struct trace_step *s = &c->plan->step[i & (TRACE_STEPS - 1)];
	const __u64 addr = *(__u64 *)(hit->record + (s->addr_at & (TRACE_OFFSETS - 8)));
	__u64 n = s->max;

	if (s->length_at != TRACE_NO_LENGTH) {
		const __u64 count =
			*(__u64 *)(hit->record + (s->length_at & (TRACE_OFFSETS - 8)));
		if (count < n)
			n = count * s->size;
	}
	if (n > s->max)
		n = s->max;
	n = read_some(hit->record + (s->to & (TRACE_OFFSETS - 1)), n, addr);
	hit->copied[i & (TRACE_STEPS - 1)] = n;
	return 0;
}

static int climb(__u32 i, struct trace_hit **of)
{
	struct trace_hit *hit = *of;
	__u64 at = hit->ip; /* of the next pair, until the end */
	__u64 *pair = hit->pair[i & (TRACE_PAIRS - 1)];

	if (!at || bpf_probe_read_user(pair, sizeof(hit->pair[0]), (void *)at))
		return 1;
	hit->pairs = i + 1;
	hit->ip = pair[0] > at ? pair[0] : 0;
	return 0;
}

static __attribute__((noinline)) int walk(struct pt_regs *ctx, struct trace_hit *hit)
{
	hit->pairs = 0;
	hit->ip = PT_REGS_FP(ctx);
	bpf_loop(TRACE_PAIRS, climb, &hit, 0);
	hit->ip = PT_REGS_IP(ctx);
	return 0;
}

/* In the order of DWARF. */
static __attribute__((noinline)) int save_registers(struct pt_regs *ctx,
						    struct trace_hit *hit)
{
	__u64 *to = (__u64 *)hit->record;

	to[0] = ctx->rax, to[1] = ctx->rdx, to[2] = ctx->rcx, to[3] = ctx->rbx;
	to[4] = ctx->rsi, to[5] = ctx->rdi, to[6] = ctx->rbp, to[7] = ctx->rsp;
	to[8] = ctx->r8, to[9] = ctx->r9, to[10] = ctx->r10, to[11] = ctx->r11;
	to[12] = ctx->r12, to[13] = ctx->r13, to[14] = ctx->r14, to[15] = ctx->r15;
	hit->stack = read_some(hit->record + TRACE_REGISTERS * sizeof(__u64), TRACE_STACK,
			       PT_REGS_SP(ctx));
	return 0;
}

struct stack_of {
	__u64 g, goid, low, high;
};

static __attribute__((noinline)) bool read_g(struct stack_of *ret, __u64 g, __u64 sp)
{
	ret->g = g;
	return !bpf_probe_read_user(&ret->low, 8, (void *)(g + stack_low_offset)) &&
	       !bpf_probe_read_user(&ret->high, 8, (void *)(g + stack_high_offset)) &&
	       !bpf_probe_read_user(&ret->goid, 8, (void *)(g + goid_offset)) &&
	       sp >= ret->low && sp < ret->high;
}

/* Whose stack it is: that of r14 in functions of Go, else that of the thread. */
static __attribute__((noinline)) int find_g(struct pt_regs *ctx, struct stack_of *ret)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 g = 0;

	if (has_g && read_g(ret, ctx->r14, PT_REGS_SP(ctx)))
		return 0;
	bpf_probe_read_user(&g, sizeof(g),
			    (void *)(BPF_CORE_READ(task, thread.fsbase) - 8));
	if (!read_g(ret, g, PT_REGS_SP(ctx)))
		ret->g = 0;
	return 0;
}

static __always_inline void place_of(struct pt_regs *ctx, const struct stack_of *stack,
				     __u32 point, struct place *ret)
{
	ret->goroutine = stack->goid ?: stack->g;
	ret->depth = stack->high - PT_REGS_SP(ctx);
	ret->pid = bpf_get_current_pid_tgid() >> 32;
	ret->point = point;
}

static __attribute__((noinline)) int
begin_call(struct pt_regs *ctx, const struct stack_of *stack, __u32 point, __u64 number)
{
	struct place at = {};
	struct begun call = { bpf_ktime_get_ns(), number };

	place_of(ctx, stack, point, &at);
	bpf_map_update_elem(&begun, &at, &call, BPF_ANY);
	return 0;
}

/* The number of digits of ns / 2^TRACE_FIRST, in base 2. */
static __always_inline __u64 bucket_of(__u64 ns)
{
	__u64 n = 0, rest = ns >> TRACE_FIRST;

	if (rest >> (TRACE_BUCKETS - 1))
		return TRACE_BUCKETS - 1;
	for (int width = TRACE_BUCKETS / 2; width; width /= 2) {
		const bool more = rest >> width;
		n += more ? width : 0;
		rest = more ? rest >> width : rest;
	}
	return n + rest;
}

static __attribute__((noinline)) int count_time(__u32 point, __u64 ns, bool matched)
{
	struct trace_times *t = bpf_map_lookup_elem(&times, &point);

	if (!t)
		return 0;
	if (!matched) {
		__sync_fetch_and_add(&t->unmatched, 1);
		return 0;
	}
	__sync_fetch_and_add(&t->bucket[bucket_of(ns) & (TRACE_BUCKETS - 1)], 1);
	__sync_fetch_and_add(&t->total_ns, ns);
	return 0;
}

/* Returns the number of the call that ends. */
static __attribute__((noinline)) __u64
end_call(struct pt_regs *ctx, const struct stack_of *stack, __u32 point, __u64 *took)
{
	struct place at = {};

	place_of(ctx, stack, point, &at);
	const struct begun *call = bpf_map_lookup_elem(&begun, &at);
	const __u64 number = call ? call->number : 0;
	*took = call ? bpf_ktime_get_ns() - call->at_ns : 0;
	if (call)
		bpf_map_delete_elem(&begun, &at);
	count_time(point, *took, number != 0);
	return number;
}

static __attribute__((noinline)) bool is_too_many(void)
{
	const __u64 now = bpf_ktime_get_ns() / NS_PER_S;

	if (second != now) {
		second = now;
		in_second = 0;
	}
	return __sync_fetch_and_add(&in_second, 1) >= rate;
}

static __attribute__((noinline)) int copy(struct trace_hit *hit, __u32 plan)
{
	struct copying c = { .hit = hit, .plan = bpf_map_lookup_elem(&plans, &plan) };

	if (c.plan)
		bpf_loop(TRACE_STEPS, step, &c, 0);
	return 0;
}

static __attribute__((noinline)) int read_labels(struct trace_hit *hit)
{
	__u64 *to = (__u64 *)(hit->record + TRACE_LABELS_AT);

	*to = 0;
	if (labels_offset && hit->g)
		bpf_probe_read_user(to, sizeof(*to), (void *)(hit->g + labels_offset));
	return 0;
}

static __attribute__((noinline)) int fill(struct pt_regs *ctx, struct trace_hit *hit,
					  const struct stack_of *stack, __u64 cookie)
{
	const __u64 id = bpf_get_current_pid_tgid();

	hit->point = cookie & TRACE_COOKIE_POINT;
	hit->is_return = cookie >> TRACE_COOKIE_SHIFT;
	hit->pid = id >> 32;
	hit->tid = id;
	hit->at_ns = bpf_ktime_get_ns();
	hit->g = stack->g;
	hit->goid = stack->goid;
	hit->stack_low = stack->low;
	hit->stack_high = stack->high;
	save_registers(ctx, hit);
	walk(ctx, hit);
	read_labels(hit);
	copy(hit, hit->point + (hit->is_return ? TRACE_POINTS : 0));
	return 0;
}

struct judging {
	struct trace_hit *hit;
	const struct trace_conditions *all;
	bool fulfilled;
};

static __always_inline bool was_copied(const struct trace_hit *hit, __u16 step,
				       __u64 need)
{
	return step == TRACE_NO_STEP || hit->copied[step & (TRACE_STEPS - 1)] >= need;
}

static __always_inline bool has_text(const struct trace_hit *hit,
				     const struct trace_condition *c)
{
	const __u8 *at = hit->record + (c->text_at & (TRACE_OFFSETS - 1));
	__u64 other = 0;

	for (int i = 0; i < TRACE_TEXT_WORDS; i++)
		other |= (((const __u64 *)at)[i] ^ c->text[i]) & c->mask[i];
	return !other && (!c->value || was_copied(hit, c->text_step, c->value));
}

static __always_inline __u64 load(const struct trace_hit *hit,
				  const struct trace_condition *c)
{
	const __u64 word = *(const __u64 *)(hit->record + (c->at & (TRACE_OFFSETS - 1)));
	const __u32 shift = (64 - 8 * c->size) & 63;

	return c->is_signed ? (__u64)((__s64)(word << shift) >> shift)
			    : word << shift >> shift;
}

/* By the difference from what is wanted: signed numbers are moved to compare as the others. */
static __always_inline bool compares(const struct trace_condition *c, __u64 have)
{
	const __u64 move = c->is_signed ? 1ULL << 63 : 0;
	const __u64 one = have + move, other = c->value + move;

	switch (c->comparison) {
	case TRACE_EQUAL:
		return one == other;
	case TRACE_UNEQUAL:
		return one != other;
	case TRACE_LESS:
		return one < other;
	case TRACE_LESS_OR_EQUAL:
		return one <= other;
	case TRACE_GREATER:
		return one > other;
	default:
		return one >= other;
	}
}

/* As Go has it: of a map or channel that is nil, the length is 0. */
static __always_inline bool is_nil(const struct trace_hit *hit,
				   const struct trace_condition *c)
{
	return c->nil_at != TRACE_NO_NIL && was_copied(hit, c->nil_step, c->nil_need) &&
	       !*(const __u64 *)(hit->record + (c->nil_at & (TRACE_OFFSETS - 1)));
}

static int judge(__u32 i, struct judging *j)
{
	if (i >= TRACE_CONDITIONS || i >= j->all->count)
		return 1;
	const struct trace_condition *c = &j->all->list[i & (TRACE_CONDITIONS - 1)];
	bool yes = was_copied(j->hit, c->step, c->need);

	if (is_nil(j->hit, c))
		yes = compares(c, 0);
	else if (yes && c->is_text)
		yes = (load(j->hit, c) == c->value && has_text(j->hit, c)) ==
		      (c->comparison == TRACE_EQUAL);
	else if (yes)
		yes = compares(c, load(j->hit, c));
	j->fulfilled = yes;
	return !yes;
}

static __attribute__((noinline)) bool is_meant(struct trace_hit *hit, __u32 point)
{
	struct judging j = { .hit = hit,
			     .all = bpf_map_lookup_elem(&conditions, &point) };

	if (!j.all)
		return false;
	j.fulfilled = true;
	bpf_loop(TRACE_CONDITIONS, judge, &j, 0);
	return j.fulfilled;
}

/* A call that is not told has no return. */
static __attribute__((noinline)) int forget(struct pt_regs *ctx,
					    const struct stack_of *stack, __u32 point)
{
	struct place at = {};

	place_of(ctx, stack, point, &at);
	bpf_map_delete_elem(&begun, &at);
	return 0;
}

/* Counts a hit that is not told. */
static __always_inline int leave_out(bool is_return, __u64 *calls, __u64 *returns)
{
	__sync_fetch_and_add(is_return ? returns : calls, 1);
	return 0;
}

/* Gives the room of a hit back. It is only free again when user space has passed it, so that is woken before
 * there is none left: seldom, as most calls may end here. */
static __attribute__((noinline)) int discard(struct trace_hit *hit)
{
	const bool waits = bpf_ringbuf_query(&hits, BPF_RB_AVAIL_DATA) > RING_BYTES / 4;

	bpf_ringbuf_discard(hit, waits ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	return 0;
}

static __attribute__((noinline)) bool is_stop_due(__u64 now)
{
	const __u64 after = stop_after_ns;

	return now >= after && (!max_told || sent < max_told) &&
	       __sync_val_compare_and_swap(&stop_after_ns, after, ~0ULL) == after;
}

/* Returns its number; 0: the process is not stopped. */
static __attribute__((noinline)) __u64 stop(struct trace_hit *hit)
{
	struct trace_stop *s = NULL;

	if (is_stop_due(hit->at_ns))
		s = bpf_ringbuf_reserve(&stops, sizeof(*s), 0);
	if (!s) {
		__sync_fetch_and_add(&unstopped, 1);
		return 0;
	}
	const __u64 number = __sync_fetch_and_add(&stop_numbers, 1) + 1;
	s->number = number;
	s->call = hit->number;
	s->at_ns = hit->at_ns;
	s->point = hit->point;
	s->pid = hit->pid;
	s->tid = hit->tid;
	bpf_ringbuf_submit(s, BPF_RB_FORCE_WAKEUP);
	return number;
}

/* Returns the number of the stop; 0: the process goes on. */
static __attribute__((noinline)) __u64
tell(struct pt_regs *ctx, const struct stack_of *stack, __u64 number, __u64 took)
{
	const __u64 cookie = bpf_get_attach_cookie(ctx);
	const __u32 point = cookie & TRACE_COOKIE_POINT;
	const bool is_return = cookie >> TRACE_COOKIE_SHIFT;
	const bool judged = conditional && !is_return;

	if (rate && !judged && is_too_many())
		return leave_out(is_return, &passed, &returns_passed);
	struct trace_hit *hit = bpf_ringbuf_reserve(&hits, sizeof(*hit), 0);
	if (!hit) {
		if (judged && with_returns)
			forget(ctx, stack, point);
		return leave_out(is_return, &lost, &returns_lost);
	}
	fill(ctx, hit, stack, cookie);
	hit->number = number;
	hit->took_ns = took;
	if (judged && !is_meant(hit, point)) {
		discard(hit);
		if (with_returns)
			forget(ctx, stack, point);
		return leave_out(false, &excluded, &excluded);
	}
	if (rate && judged && is_too_many()) {
		discard(hit);
		return leave_out(false, &passed, &passed);
	}
	const __u64 stopped = hold_ns && !is_return ? stop(hit) : 0;
	/* By itself the kernel wakes only who has passed all before, also what was discarded. */
	bpf_ringbuf_submit(hit, conditional ? BPF_RB_FORCE_WAKEUP : 0);
	__sync_fetch_and_add(is_return ? &returns_sent : &sent, 1);
	return stopped;
}

/* Of a call that is not told, there is nothing to tell. */
static __attribute__((noinline)) __u64
on_return(struct pt_regs *ctx, const struct stack_of *stack, __u32 point)
{
	__u64 took = 0;
	const __u64 number = end_call(ctx, stack, point, &took);

	if (conditional && !number)
		return 0;
	__sync_fetch_and_add(&returns_met, 1);
	return tell(ctx, stack, number, took);
}

static __always_inline __u64 on_hit(struct pt_regs *ctx)
{
	const __u64 cookie = bpf_get_attach_cookie(ctx);
	const __u32 point = cookie & TRACE_COOKIE_POINT;
	struct stack_of stack = {};

	if (only_pid && bpf_get_current_pid_tgid() >> 32 != only_pid)
		return 0;
	find_g(ctx, &stack);
	if (cookie >> TRACE_COOKIE_SHIFT)
		return on_return(ctx, &stack, point);
	const __u64 number = __sync_fetch_and_add(&met, 1) + 1;
	if (with_returns)
		begin_call(ctx, &stack, point, number);
	return tell(ctx, &stack, number, 0);
}

SEC("uprobe")
int on_call(struct pt_regs *ctx)
{
	on_hit(ctx);
	return 0;
}

/* Instead, if calls are to stop the process. */
SEC("uprobe.s")
int on_call_held(struct pt_regs *ctx)
{
	const __u64 number = on_hit(ctx);
	struct hold h = { .number = number,
			  .until = bpf_ktime_get_ns() + hold_ns,
			  .page = PT_REGS_SP(ctx),
			  .released = &stop_released };

	if (number && !hold(&h))
		stop_missed = number;
	return 0;
}
