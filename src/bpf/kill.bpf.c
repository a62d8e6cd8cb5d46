// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs in the kernel when the threads of a process that was killed exit. Nothing can stop it any more, but its
 * memory is still there (since Linux 6.16), so what goroutines and their stacks are made of is
 * copied: of each thread its registers, and by the last one the rest, when nothing of the process
 * runs any more. */
#include "src/bpf/kernel.h"
#include "src/bpf/kill.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

enum {
	PROGRAMS = 8192,
	PIDS = 4096,
	KILLERS = 1024,
	SIGKILL = 9,
	GOROUTINES = 1 << 22, /* more than there is time for */
	BLOCK = 4096,
	BLOCKS = 1024, /* of a range of data */
	STACK_MAX = 32 << 10,
	C_STACK = 8 << 10,
	FIRST_STACK = 64 << 10,
	TLS = 64,
	LARGEST = 64 << 10,
	WAKE_EACH = 256, /* pieces */
	SP = 19,	 /* of KILL_REGISTERS */
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24); /* the loader has the last word */
} events SEC(".maps");
/* Apart: pieces of memory may fill the other. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16);
} ends SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROGRAMS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct kill_file);
	__type(value, struct kill_program);
} programs SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PIDS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} pids SEC(".maps");

/* Who sent a SIGKILL, by the process that it was sent to. */
struct life {
	__u64 start;
	__u32 pid, padding;
};
struct killer {
	__u32 pid, uid, by_kernel, padding;
	char name[KILL_NAME];
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KILLERS);
	__type(key, struct life);
	__type(value, struct killer);
} killers SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KILLERS);
	__type(key, struct life);
	__type(value, __u32);
} victims SEC(".maps");

const volatile __u64 budget_ns = 0; /* of time for one process */

/* As in fault.bpf.c. */
struct kill_settings settings[2];
volatile __u32 in_force;

__u64 lost; /* records other than of memory, for which there was no room */

/* By find_file(), for user space. */
struct kill_file found;

struct work {
	struct kill_record record;
	const struct kill_program *program;
	__u64 bias, until, addr;
	__u64 array, count, cut, no_room, absent, pieces;
};

extern int bpf_probe_read_user_dynptr(struct bpf_dynptr *to, __u32 offset, __u32 size,
				      const void *from) __ksym;

static struct kill_record record_of(struct task_struct *task, enum kill_record_kind kind)
{
	return (struct kill_record){
		.kind = kind,
		.pid = BPF_CORE_READ(task, tgid),
		.start_boottime_ns = BPF_CORE_READ(task, group_leader, start_boottime),
	};
}

static __attribute__((noinline)) int copy(struct work *w, __u64 addr, __u32 len)
{
	struct kill_memory head = { .record = w->record, .addr = addr };
	struct bpf_dynptr to;

	if (!len || len > LARGEST)
		return 0;
	if (bpf_ringbuf_reserve_dynptr(&events, sizeof(head) + len, 0, &to)) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		w->no_room++;
		return 0;
	}
	bpf_dynptr_write(&to, 0, &head, sizeof(head), 0);
	if (bpf_probe_read_user_dynptr(&to, sizeof(head), len, (void *)addr)) {
		bpf_ringbuf_discard_dynptr(&to, 0);
		w->absent++;
		return 0;
	}
	/* To wake somebody takes longer than to copy. Without a branch, of which the verifier has enough. */
	bpf_ringbuf_submit_dynptr(&to, BPF_RB_NO_WAKEUP +
					       ((w->pieces++ % WAKE_EACH - 1) >> 63));
	return 1;
}

static __u64 word_at(__u64 addr)
{
	__u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)addr);
	return word;
}

/* From sp to the stack's end, if it is in it. */
static __attribute__((noinline)) int copy_stack(struct work *w, __u64 g, __u64 sp)
{
	const __u64 end = word_at(g + w->program->g_stack_hi);

	if (sp <= word_at(g + w->program->g_stack_lo) || sp > end)
		return 0;
	if (sp < end)
		copy(w, sp, end - sp < STACK_MAX ? end - sp : STACK_MAX);
	return 1;
}

static int copy_block(__u32 i, struct work **of)
{
	struct work *w = *of;

	copy(w, w->addr + (__u64)i * BLOCK, BLOCK);
	return 0;
}

/* Whole pages: of those that were never touched there is nothing, so none is missed. */
static __attribute__((noinline)) int copy_range(struct work *w, __u64 addr, __u64 size)
{
	const __u64 blocks = (addr % BLOCK + size + BLOCK - 1) / BLOCK;
	const __u64 absent = w->absent;

	w->addr = addr - addr % BLOCK;
	bpf_loop(blocks < BLOCKS ? blocks : BLOCKS, copy_block, &w, 0);
	w->absent = absent;
	return 0;
}

static int copy_goroutine(__u32 i, struct work **of)
{
	struct work *w = *of;
	const struct kill_program *p = w->program;

	if (bpf_ktime_get_ns() > w->until) {
		w->cut = w->count - i;
		return 1;
	}
	const __u64 g = word_at(w->array + (__u64)i * sizeof(__u64));
	if (!g || !copy(w, g, p->g_bytes))
		return 0;
	const __u64 in_call = word_at(g + p->g_syscallsp);
	copy_stack(w, g, in_call ? in_call : word_at(g + p->g_sched_sp));
	return 0;
}

/* What the runtime knows of a thread, and the stack that it is on. */
static __attribute__((noinline)) int copy_thread(struct work *w, __u64 fs_base, __u64 sp)
{
	const struct kill_program *p = w->program;
	const __u64 g = word_at(fs_base - sizeof(__u64)), m = word_at(g + p->g_m);
	const __u64 g0 = m ? word_at(m + p->m_g0) : 0;
	const __u64 gsignal = m ? word_at(m + p->m_gsignal) : 0;

	copy(w, fs_base - TLS, TLS);
	if (m) {
		copy(w, m, p->m_bytes);
		copy(w, g0, p->g_bytes);
		copy(w, gsignal, p->g_bytes);
	}
	if ((g && copy_stack(w, g, sp)) || (g0 && copy_stack(w, g0, sp)) ||
	    (gsignal && copy_stack(w, gsignal, sp)))
		return 0;
	if (!copy(w, sp, C_STACK))
		copy(w, sp, BLOCK - sp % BLOCK);
	return 0;
}

/* A task's number as it knows it itself. */
static __attribute__((noinline)) __u32 inside(struct pid *pid)
{
	const __u32 level = BPF_CORE_READ(pid, level);
	__u32 nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr),
			      (void *)&pid->numbers[0].nr +
				      level * bpf_core_type_size(struct upid));
	return nr;
}

static __attribute__((noinline)) int tell_thread(struct work *w, struct task_struct *task)
{
	const struct pt_regs *from = (void *)bpf_task_pt_regs(task);
	struct kill_thread *t = bpf_ringbuf_reserve(&events, sizeof(*t), 0);

	if (!t) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	_Static_assert(sizeof(t->registers) == sizeof(*from),
		       "one is copied to the other");
	t->record = w->record;
	t->record.kind = KILL_THREAD;
	t->tid = BPF_CORE_READ(task, pid);
	t->tid_inside = inside(BPF_CORE_READ(task, thread_pid));
	bpf_probe_read_kernel(t->registers, sizeof(t->registers), from);
	t->fs_base = BPF_CORE_READ(task, thread.fsbase);
	bpf_get_current_comm(t->name, sizeof(t->name));
	const __u64 fs_base = t->fs_base, sp = t->registers[SP];
	bpf_ringbuf_submit(t, 0);
	copy_thread(w, fs_base, sp);
	return 0;
}

static __attribute__((noinline)) int tell_sender(struct kill_end *e,
						 struct task_struct *task)
{
	const struct life life = { .pid = e->record.pid,
				   .start = e->record.start_boottime_ns };
	const struct killer *killer = bpf_map_lookup_elem(&killers, &life);

	e->by_oom = bpf_map_lookup_elem(&victims, &life) != NULL;
	e->by_kernel = !killer || killer->by_kernel;
	e->sender = killer ? killer->pid : 0;
	e->sender_uid = killer ? killer->uid : 0;
	__builtin_memset(e->sender_name, 0, sizeof(e->sender_name));
	if (killer)
		__builtin_memcpy(e->sender_name, killer->name, sizeof(killer->name));
	bpf_map_delete_elem(&killers, &life);
	bpf_map_delete_elem(&victims, &life);
	return 0;
}

static __attribute__((noinline)) int tell_end(struct work *w, struct task_struct *task,
					      __u64 begun)
{
	struct kill_end *e = bpf_ringbuf_reserve(&ends, sizeof(*e), 0);
	const __u64 user = bpf_get_current_uid_gid();

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	e->record = w->record;
	e->record.kind = KILL_END;
	e->program = w->program->id;
	e->uid = user;
	e->gid = user >> 32;
	e->parent = BPF_CORE_READ(task, group_leader, real_parent, tgid);
	e->pid_inside = inside(BPF_CORE_READ(task, signal, pids[PIDTYPE_TGID]));
	tell_sender(e, task);
	BPF_CORE_READ_STR_INTO(&e->name, task, group_leader, comm);
	e->goroutines = w->count;
	e->cut = w->cut;
	e->no_room = w->no_room;
	e->absent = w->absent;
	e->array = w->array;
	e->array_bytes =
		word_at(w->program->allgs + w->bias + 2 * sizeof(__u64)) * sizeof(__u64);
	e->bias = w->bias;
	bpf_probe_read_kernel(e->auxv, sizeof(e->auxv),
			      &BPF_CORE_READ(task, mm)->saved_auxv);
	e->at_ns = begun;
	e->took_ns = bpf_ktime_get_ns() - begun;
	bpf_ringbuf_submit(e, BPF_RB_FORCE_WAKEUP);
	return 0;
}

static __attribute__((noinline)) int copy_process(struct work *w,
						  struct task_struct *task)
{
	const struct kill_program *p = w->program;
	const __u64 begun = bpf_ktime_get_ns(), allgs = p->allgs + w->bias;
	const __u64 stack = BPF_CORE_READ(task, mm, start_stack),
		    strings = BPF_CORE_READ(task, mm, env_end);

	w->until = begun + budget_ns;
	w->array = word_at(allgs);
	w->count = word_at(allgs + sizeof(__u64));
	for (int i = 0; i < KILL_RANGES; i++)
		if (p->data[i].size)
			copy_range(w, p->data[i].addr + w->bias, p->data[i].size);
	copy_range(w, stack,
		   strings > stack && strings - stack < FIRST_STACK
			   ? strings - stack + 2 * sizeof(__u64)
			   : FIRST_STACK);
	copy_range(w, w->array, w->count * sizeof(__u64));
	bpf_loop(w->count < GOROUTINES ? w->count : GOROUTINES, copy_goroutine, &w, 0);
	return tell_end(w, task, begun);
}

static __attribute__((noinline)) int read_file(struct file *file, struct kill_file *ret)
{
	ret->inode = BPF_CORE_READ(file, f_inode, i_ino);
	ret->device = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	ret->padding = 0;
	return 0;
}

static __attribute__((noinline)) bool is_wanted(struct task_struct *task)
{
	const struct life life = {
		.pid = BPF_CORE_READ(task, tgid),
		.start = BPF_CORE_READ(task, group_leader, start_boottime),
	};

	const struct kill_settings *s = &settings[in_force & 1];

	if (!s->all_kills && !bpf_map_lookup_elem(&victims, &life))
		return false;
	if (s->only_pids && !bpf_map_lookup_elem(&pids, &life.pid))
		return false;
	return !s->cgroup_id ||
	       bpf_get_current_ancestor_cgroup_id(s->cgroup_level) == s->cgroup_id;
}

/* Arguments: the task, and whether it is the last of its process. */
SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kill_file file = { 0 };

	/* Of what is traced, tracers kill a lot: gosnap its copies of processes. */
	if (BPF_CORE_READ(task, signal, group_exit_code) != SIGKILL ||
	    BPF_CORE_READ(task, ptrace) || !BPF_CORE_READ(task, mm) || !is_wanted(task))
		return 0;
	read_file(BPF_CORE_READ(task, mm, exe_file), &file);
	const struct kill_program *program = bpf_map_lookup_elem(&programs, &file);
	if (!program)
		return 0;
	struct work w = {
		.record = record_of(task, KILL_MEMORY),
		.program = program,
		.bias = BPF_CORE_READ(task, mm, start_code) - program->code,
	};
	tell_thread(&w, task);
	if (ctx->args[1])
		copy_process(&w, task);
	return 0;
}

static struct life life_of(struct task_struct *task)
{
	return (struct life){
		.pid = BPF_CORE_READ(task, tgid),
		.start = BPF_CORE_READ(task, group_leader, start_boottime),
	};
}

/* Arguments: the signal, what is known of it, and the task that gets it. */
SEC("raw_tp/signal_generate")
int on_signal(struct bpf_raw_tracepoint_args *ctx)
{
	enum { BY_KERNEL = 1 }; /* SEND_SIG_PRIV, instead of a pointer */

	if (ctx->args[0] != SIGKILL)
		return 0;
	const struct life life = life_of((struct task_struct *)ctx->args[2]);
	struct killer killer = {
		.pid = bpf_get_current_pid_tgid() >> 32,
		.uid = bpf_get_current_uid_gid(),
		.by_kernel = ctx->args[1] == BY_KERNEL,
	};
	bpf_get_current_comm(killer.name, sizeof(killer.name));
	bpf_map_update_elem(&killers, &life, &killer, BPF_NOEXIST);
	return 0;
}

/* Argument: the task that is killed for want of memory. */
SEC("raw_tp/mark_victim")
int on_victim(struct bpf_raw_tracepoint_args *ctx)
{
	const struct life life = life_of((struct task_struct *)ctx->args[0]);
	const __u32 one = 1;

	bpf_map_update_elem(&victims, &life, &one, BPF_ANY);
	return 0;
}

/* By user space, in one of its threads: what is the kernel's name for the file with this descriptor? */
SEC("raw_tp/sched_process_exit")
int find_file(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct file **table = BPF_CORE_READ(task, files, fdt, fd), *file = NULL;

	bpf_probe_read_kernel(&file, sizeof(file), &table[ctx->args[0]]);
	return file ? read_file(file, &found) : -1;
}
