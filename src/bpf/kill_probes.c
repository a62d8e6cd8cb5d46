/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "src/bpf/kill_probes.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "src/bpf/kill.skel.h"
#include "src/bpf/uprobes.h"

struct kill_probes {
	struct kill_bpf *skeleton;
	struct ring_buffer *ring, *ends;
	int epoll;	    /* of both */
	kill_record_fn *fn; /* while records are read */
	void *arg;
};

/* The tracepoint was moved to where memory is still there when it got its second argument: commit "exit: move
 * and extend sched_process_exit() tracepoint". The kernel's description has one argument more. */
static bool comes_in_time(void)
{
	enum { ARGUMENTS = 3 };
	struct btf *btf = btf__load_vmlinux_btf();
	const int id = btf ? btf__find_by_name_kind(btf, "btf_trace_sched_process_exit",
						    BTF_KIND_TYPEDEF)
			   : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	const bool ret = t && btf_is_func_proto(t) && btf_vlen(t) == ARGUMENTS;
	btf__free(btf);
	return ret;
}

static bool load(struct kill_probes *p, const struct kill_probes_options *options)
{
	p->skeleton = kill_bpf__open();
	if (!p->skeleton)
		return false;
	p->skeleton->bss->settings[0] = options->settings;
	p->skeleton->rodata->budget_ns = options->budget_ns;
	return bpf_map__set_max_entries(p->skeleton->maps.events,
					options->budget_bytes) == 0 &&
	       kill_bpf__load(p->skeleton) == 0;
}

static bool attach(struct kill_probes *p)
{
	struct kill_bpf *s = p->skeleton;

	s->links.on_exit = bpf_program__attach(s->progs.on_exit);
	s->links.on_signal = bpf_program__attach(s->progs.on_signal);
	s->links.on_victim = bpf_program__attach(s->progs.on_victim);
	return s->links.on_exit && s->links.on_signal && s->links.on_victim;
}

static size_t least(uint32_t kind)
{
	switch (kind) {
	case KILL_MEMORY:
		return sizeof(struct kill_memory);
	case KILL_THREAD:
		return sizeof(struct kill_thread);
	case KILL_END:
		return sizeof(struct kill_end);
	default:
		return SIZE_MAX;
	}
}

static int take_record(void *arg, void *data, size_t len)
{
	const struct kill_probes *p = arg;
	const struct kill_record *record = data;

	if (len >= sizeof(*record) && len >= least(record->kind))
		p->fn(p->arg, record, len);
	return 0;
}

static bool join(struct kill_probes *p)
{
	struct epoll_event event = { .events = EPOLLIN };

	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	return p->epoll >= 0 &&
	       epoll_ctl(p->epoll, EPOLL_CTL_ADD, ring_buffer__epoll_fd(p->ring),
			 &event) == 0 &&
	       epoll_ctl(p->epoll, EPOLL_CTL_ADD, ring_buffer__epoll_fd(p->ends),
			 &event) == 0;
}

/* After all that came before it. */
static int take_end(void *arg, void *data, size_t len)
{
	const struct kill_probes *p = arg;

	ring_buffer__consume(p->ring);
	return take_record(arg, data, len);
}

struct kill_probes *kill_probes_open(const struct kill_probes_options *options,
				     struct err *err)
{
	AUTO(kill_probes_close) struct kill_probes *p = xcalloc(1, sizeof(*p));

	p->epoll = -1;
	bpf_say_nothing();
	if (!comes_in_time()) {
		err_set(err, ERR_UNSUPPORTED,
			"processes that are killed leave nothing to be read: that takes "
			"Linux 6.16");
		return NULL;
	}
	if (!load(p, options) || !attach(p)) {
		err_sys(err, "the kernel does not run the program that reads processes "
			     "that are killed");
		return NULL;
	}
	p->ring = ring_buffer__new(bpf_map__fd(p->skeleton->maps.events), take_record, p,
				   NULL);
	p->ends =
		ring_buffer__new(bpf_map__fd(p->skeleton->maps.ends), take_end, p, NULL);
	if (!p->ring || !p->ends || !join(p)) {
		err_sys(err, "cannot allocate memory");
		return NULL;
	}
	return TAKE(p);
}

void kill_probes_close(struct kill_probes *p)
{
	if (!p)
		return;
	if (p->epoll >= 0)
		close(p->epoll);
	ring_buffer__free(p->ring);
	ring_buffer__free(p->ends);
	kill_bpf__destroy(p->skeleton);
	xfree(p);
}

void kill_probes_set(struct kill_probes *p, const struct kill_settings *settings)
{
	struct kill_bpf__bss *bss = p->skeleton->bss;
	const uint32_t other = !bss->in_force;

	bss->settings[other] = *settings;
	__atomic_store_n(&bss->in_force, other, __ATOMIC_RELEASE);
}

bool kill_probes_add_pid(struct kill_probes *p, pid_t pid, struct err *err)
{
	const uint32_t key = (uint32_t)pid, yes = 1;

	return bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.pids), &key, &yes,
				   BPF_ANY) == 0 ||
	       err_sys(err, "cannot watch process %d", (int)pid);
}

void kill_probes_remove_pid(struct kill_probes *p, pid_t pid)
{
	const uint32_t key = (uint32_t)pid;

	bpf_map_delete_elem(bpf_map__fd(p->skeleton->maps.pids), &key);
}

/* The program in the kernel looks into our table of descriptors. */
static bool find_file(struct kill_probes *p, int file, struct kill_file *ret)
{
	uint64_t arguments[] = { (uint64_t)file };
	LIBBPF_OPTS(bpf_test_run_opts, how, .ctx_in = arguments,
		    .ctx_size_in = sizeof(arguments));

	if (bpf_prog_test_run_opts(bpf_program__fd(p->skeleton->progs.find_file), &how) !=
		    0 ||
	    how.retval != 0)
		return false;
	*ret = p->skeleton->bss->found;
	return true;
}

bool kill_probes_add(struct kill_probes *p, int file, const struct kill_program *program,
		     struct err *err)
{
	struct kill_file key;

	return (find_file(p, file, &key) &&
		bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.programs), &key,
				    program, BPF_ANY) == 0) ||
	       err_sys(err, "cannot tell the kernel where goroutines are");
}

void kill_probes_remove(struct kill_probes *p, int file)
{
	struct kill_file key;

	if (find_file(p, file, &key))
		bpf_map_delete_elem(bpf_map__fd(p->skeleton->maps.programs), &key);
}

int kill_probes_fd(const struct kill_probes *p)
{
	return p->epoll;
}

void kill_probes_read(struct kill_probes *p, kill_record_fn *fn, void *arg)
{
	p->fn = fn;
	p->arg = arg;
	ring_buffer__consume(p->ring);
	ring_buffer__consume(p->ends);
}

uint64_t kill_probes_lost(const struct kill_probes *p)
{
	return p->skeleton->bss->lost;
}
