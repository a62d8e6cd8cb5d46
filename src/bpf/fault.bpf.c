// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs in the kernel when a Go process begins to die, or does what was asked for: tells it, and keeps the thread here, at the
 * instruction where it dies, until user space has the process in hand or a time is over (hold.h). Kernels that
 * cannot do that stop the process by a signal.
 *
 * No function may use 64 bytes of stack or more. From 6.13 on, the verifier gives such functions a private
 * stack for each CPU, as if programs of this type could not be preempted. Those that sleep can, and would
 * find values of another run in theirs. */
#include "src/bpf/fault.h"
#include "src/bpf/hold.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum {
	EVENT_BYTES = 1 << 20,
	LIVES = 8192,
	EXISTS = 17, /* EEXIST */
	PIDS = 4096,
	TURN_KEYS = 8192,
	STOP_SIGNAL = 19, /* SIGSTOP */
};

struct life {
	__u64 start;
	__u32 pid, padding;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, EVENT_BYTES);
} events SEC(".maps");
/* A process dies once, and passes several hooks as it does. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LIVES);
	__type(key, struct life);
	__type(value, __u32);
} seen SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PIDS);
	__type(key, __u32);
	__type(value, __u32);
} pids SEC(".maps");

/* Of what happens again and again, by cookie: when it was told last, and how often it happened. */
struct turn {
	__u64 told_ns, hits;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TURN_KEYS);
	__type(key, __u64);
	__type(value, struct turn);
} turns SEC(".maps");

/* Two, so that user space can write one while the other is in force. */
struct fault_settings settings[2];
volatile __u32 in_force;

__u64 numbers, lost, late;
/* By user space: the number of the event whose thread may go on. */
__u64 released[FAULT_SLOTS];
struct fault_stops stops;

static const struct fault_settings *settings_now(void)
{
	return &settings[in_force & 1];
}

/* The string that is the first argument. */
static __attribute__((noinline)) int read_text(struct pt_regs *ctx, struct fault_event *e,
					       bool on_stack)
{
	__u64 string[2] = { ctx->rax, ctx->rbx };

	if (on_stack && bpf_probe_read_user(string, sizeof(string),
					    (void *)(PT_REGS_SP(ctx) + sizeof(__u64))))
		return 0;
	__u32 len = string[1] < FAULT_TEXT ? string[1] : FAULT_TEXT - 1;
	if (!bpf_probe_read_user(e->text, len & (FAULT_TEXT - 1), (void *)string[0]))
		e->text_len = len;
	return 0;
}

static __attribute__((noinline)) bool is_first(struct task_struct *task, __u32 pid)
{
	struct life life = { .pid = pid,
			     .start = BPF_CORE_READ(task, group_leader, start_boottime) };
	__u32 one = 1;

	/* The map may also be busy, or have no room: rather twice than never. Before 6.4, what the kernel calls
	 * instead of this function is an int, with zeros above it. */
	return (int)bpf_map_update_elem(&seen, &life, &one, BPF_NOEXIST) != -EXISTS;
}

static __attribute__((noinline)) bool is_wanted(struct task_struct *task, __u32 pid)
{
	const struct fault_settings *s = settings_now();

	if (s->only_pids && !bpf_map_lookup_elem(&pids, &pid))
		return false;
	if (s->cgroup_id &&
	    bpf_get_current_ancestor_cgroup_id(s->cgroup_level) != s->cgroup_id)
		return false;
	if (!s->with_terminals && BPF_CORE_READ(task, signal, tty))
		return false;
	/* A debugger has it, or it is being killed. */
	return !BPF_CORE_READ(task, ptrace) &&
	       !(BPF_CORE_READ(task, signal, flags) & KERNEL_GROUP_EXIT);
}

/* exit() is assembly: its argument is on the stack in all releases. */
static __attribute__((noinline)) __u32 exit_status(struct pt_regs *ctx)
{
	__u32 status = 0;

	bpf_probe_read_user(&status, sizeof(status),
			    (void *)(PT_REGS_SP(ctx) + sizeof(__u64)));
	return status & (FAULT_STATUSES - 1);
}

static __attribute__((noinline)) __u64 first_argument(struct pt_regs *ctx, __u64 cookie)
{
	__u64 argument = ctx->rax;

	if (cookie & FAULT_COOKIE_STACK)
		bpf_probe_read_user(&argument, sizeof(argument),
				    (void *)(PT_REGS_SP(ctx) + sizeof(__u64)));
	return argument;
}

static __attribute__((noinline)) __u64 current_g(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 g = 0;

	bpf_probe_read_user(&g, sizeof(g),
			    (void *)(BPF_CORE_READ(task, thread.fsbase) - 8));
	return g;
}

/* As gorecover() decides: of the latest panic, whose first word is the frame that may recover it. */
static __attribute__((noinline)) bool is_recovering(struct pt_regs *ctx, __u64 cookie)
{
	const __u64 in_g = cookie >> FAULT_COOKIE_FUNCTION_SHIFT & FAULT_COOKIE_BYTE;
	const __u64 in_panic = cookie >> FAULT_COOKIE_RECOVERED_SHIFT & FAULT_COOKIE_BYTE;
	__u64 panic = 0, frame = 0;
	struct {
		__u8 recovered, aborted, goexit;
	} is = { .recovered = 1 };

	/* Where arguments are in registers, g is, too. */
	const __u64 g = cookie & FAULT_COOKIE_STACK ? current_g() : ctx->r14;
	bpf_probe_read_user(&panic, sizeof(panic), (void *)(g + in_g));
	if (!panic || bpf_probe_read_user(&frame, sizeof(frame), (void *)panic) ||
	    bpf_probe_read_user(&is, sizeof(is), (void *)(panic + in_panic)))
		return false;
	return frame == first_argument(ctx, cookie) && !is.recovered && !is.goexit;
}

/* Decided here, so that what happens often is as fast as before, but for the probe. */
static __attribute__((noinline)) bool is_due(__u64 cookie)
{
	const struct fault_settings *s = settings_now();
	const struct turn none = {};
	struct turn *turn = bpf_map_lookup_elem(&turns, &cookie);

	if (!turn) {
		bpf_map_update_elem(&turns, &cookie, &none, BPF_NOEXIST);
		turn = bpf_map_lookup_elem(&turns, &cookie);
	}
	if (!turn)
		return false;
	const __u64 hits = __sync_fetch_and_add(&turn->hits, 1);
	if ((cookie & FAULT_COOKIE_HOOK) != FAULT_HOOK_FUNCTION &&
	    hits % s->one_recovered_of)
		return false;
	const __u64 now = bpf_ktime_get_ns(), told = turn->told_ns;
	return (!told || now - told >= s->again_ns) &&
	       __sync_val_compare_and_swap(&turn->told_ns, told, now) == told;
}

static __attribute__((noinline)) bool is_told(struct pt_regs *ctx,
					      struct task_struct *task, __u32 pid)
{
	const __u64 cookie = bpf_get_attach_cookie(ctx);
	const __u32 hook = cookie & FAULT_COOKIE_HOOK;

	if (hook == FAULT_HOOK_EXIT && !settings_now()->exits[exit_status(ctx)])
		return false;
	if (!is_wanted(task, pid))
		return false;
	if (hook < FAULT_HOOK_AGAIN)
		return is_first(task, pid);
	if (hook == FAULT_HOOK_RECOVER && !is_recovering(ctx, cookie))
		return false;
	return is_due(cookie);
}

/* It takes effect before the thread is back in the program. */
static __attribute__((noinline)) int stop(const struct fault_event *e)
{
	struct fault_stop *s = &stops.list[e->number & (FAULT_SLOTS - 1)];
	struct task_struct *parent =
		BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), real_parent);
	const __u64 state = e->number << FAULT_STOP_SHIFT;

	if (__sync_val_compare_and_swap(&s->state, 0, state) != 0)
		return 0;
	s->at_ns = e->at_ns;
	s->start_boottime_ns = e->start_boottime_ns;
	s->pid = e->pid;
	s->parent = BPF_CORE_READ(parent, signal, flags) & KERNEL_STOPPED
			    ? 0
			    : BPF_CORE_READ(parent, tgid);
	s->parent_start_boottime_ns = BPF_CORE_READ(parent, group_leader, start_boottime);
	/* Whoever sets it looks into the list then. */
	const bool sent =
		!*(volatile __u32 *)&stops.none && !bpf_send_signal(STOP_SIGNAL);
	*(volatile __u64 *)&s->state = sent ? state | FAULT_STOP_SENT : 0;
	return 0;
}

/* Returns the number of the event; 0: there was no room for it, and so nobody would hear of a stop. */
static __attribute__((noinline)) __u64 tell(struct pt_regs *ctx, __u64 cookie,
					    bool stops_it)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fault_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	const __u64 id = bpf_get_current_pid_tgid();

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	e->kind = FAULT_EVENT_DYING;
	e->pid = id >> 32;
	e->tid = id;
	e->uid = bpf_get_current_uid_gid();
	e->at_ns = bpf_ktime_get_ns();
	e->start_boottime_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	e->hook = cookie & FAULT_COOKIE_HOOK;
	e->text_len = 0;
	e->status = exit_status(ctx);
	e->function = cookie >> FAULT_COOKIE_FUNCTION_SHIFT & FAULT_COOKIE_BYTE;
	e->program = cookie >> FAULT_COOKIE_PROGRAM_SHIFT;
	if (e->hook == FAULT_HOOK_THROW)
		read_text(ctx, e, cookie & FAULT_COOKIE_STACK);
	const __u64 number = __sync_fetch_and_add(&numbers, 1) + 1;
	e->number = number;
	if (stops_it)
		stop(e);
	bpf_ringbuf_submit(e, BPF_RB_FORCE_WAKEUP);
	return number;
}

/* One that is killed is not late. */
static __attribute__((noinline)) int keep(struct pt_regs *ctx, __u64 number)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct hold h = { .number = number,
			  .until = bpf_ktime_get_ns() + settings_now()->hold_ns,
			  .page = PT_REGS_SP(ctx),
			  .released = &released[number & (FAULT_SLOTS - 1)] };

	if (!hold(&h) && !(BPF_CORE_READ(task, signal, flags) & KERNEL_GROUP_EXIT))
		__sync_fetch_and_add(&late, 1);
	return 0;
}

SEC("uprobe.s")
int on_fault(struct pt_regs *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	const __u32 pid = bpf_get_current_pid_tgid() >> 32;

	if (!is_told(ctx, task, pid))
		return 0;
	const __u64 number = tell(ctx, bpf_get_attach_cookie(ctx), false);
	if (number)
		keep(ctx, number);
	return 0;
}

SEC("uprobe")
int on_fault_stop(struct pt_regs *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	const __u32 pid = bpf_get_current_pid_tgid() >> 32;

	if (is_told(ctx, task, pid))
		tell(ctx, bpf_get_attach_cookie(ctx), true);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int on_exec(void *ctx)
{
	struct fault_exec *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	e->kind = FAULT_EVENT_EXEC;
	e->pid = bpf_get_current_pid_tgid() >> 32;
	bpf_ringbuf_submit(e, 0);
	return 0;
}
