/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "src/bpf/fault_probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "src/bpf/fault.skel.h"
#include "src/bpf/uprobes.h"

struct fault_probes {
	struct fault_bpf *skeleton;
	struct ring_buffer *ring;
	const struct fault_handlers *handlers; /* while events are read */
	enum fault_hold hold_by;
	bool multi;
};

static struct bpf_program *program_of(const struct fault_bpf *skeleton,
				      enum fault_hold hold_by)
{
	return hold_by == FAULT_HOLD_STOP ? skeleton->progs.on_fault_stop
					  : skeleton->progs.on_fault;
}

static struct fault_bpf *load(const struct fault_probes_options *options,
			      enum fault_hold hold_by, bool multi)
{
	struct fault_bpf *skeleton = fault_bpf__open();

	if (!skeleton)
		return NULL;
	skeleton->bss->settings[0] = options->settings;
	bpf_program__set_autoload(skeleton->progs.on_fault, hold_by == FAULT_HOLD_SPIN);
	bpf_program__set_autoload(skeleton->progs.on_fault_stop,
				  hold_by == FAULT_HOLD_STOP);
	if (multi)
		uprobes_set_multi(program_of(skeleton, hold_by));
	if (fault_bpf__load(skeleton) == 0)
		return skeleton;
	const int saved = errno;
	fault_bpf__destroy(skeleton);
	errno = saved;
	return NULL;
}

static bool open_by(struct fault_probes *p, const struct fault_probes_options *options,
		    enum fault_hold hold_by)
{
	p->hold_by = hold_by;
	p->multi = !options->perf_events;
	p->skeleton = p->multi ? load(options, hold_by, true) : NULL;
	if (p->skeleton && uprobes_has_multi(program_of(p->skeleton, hold_by)))
		return true;
	fault_bpf__destroy(p->skeleton);
	p->multi = false;
	p->skeleton = load(options, hold_by, false);
	return p->skeleton != NULL;
}

static bool open_skeleton(struct fault_probes *p,
			  const struct fault_probes_options *options)
{
	if (options->hold_by != FAULT_HOLD_ABLE)
		return open_by(p, options, options->hold_by);
	return open_by(p, options, FAULT_HOLD_SPIN) ||
	       open_by(p, options, FAULT_HOLD_STOP);
}

static int take_event(void *arg, void *data, size_t len)
{
	const struct fault_probes *p = arg;
	const struct fault_handlers *h = p->handlers;
	const struct fault_exec *exec = data;

	if (len >= sizeof(struct fault_event) && exec->kind == FAULT_EVENT_DYING)
		h->fault(h->arg, data);
	else if (len >= sizeof(*exec) && exec->kind == FAULT_EVENT_EXEC)
		h->exec(h->arg, (pid_t)exec->pid);
	return 0;
}

struct fault_probes *fault_probes_open(const struct fault_probes_options *options,
				       struct err *err)
{
	AUTO(fault_probes_close) struct fault_probes *p = xcalloc(1, sizeof(*p));

	const char *needed = options->hold_by == FAULT_HOLD_SPIN ? "6.1" : "5.15";

	bpf_say_nothing();
	if (!open_skeleton(p, options)) {
		bpf_refused(errno, needed, err);
		return NULL;
	}
	p->skeleton->links.on_exec = bpf_program__attach(p->skeleton->progs.on_exec);
	p->ring = ring_buffer__new(bpf_map__fd(p->skeleton->maps.events), take_event, p,
				   NULL);
	if (!p->skeleton->links.on_exec || !p->ring) {
		bpf_refused(errno, needed, err);
		return NULL;
	}
	return TAKE(p);
}

void fault_probes_close(struct fault_probes *p)
{
	if (!p)
		return;
	ring_buffer__free(p->ring);
	fault_bpf__destroy(p->skeleton);
	xfree(p);
}

void fault_probes_set(struct fault_probes *p, const struct fault_settings *settings)
{
	struct fault_bpf__bss *bss = p->skeleton->bss;
	const uint32_t other = !bss->in_force;

	bss->settings[other] = *settings;
	__atomic_store_n(&bss->in_force, other, __ATOMIC_RELEASE);
}

bool fault_probes_add_pid(struct fault_probes *p, pid_t pid, struct err *err)
{
	const uint32_t key = (uint32_t)pid, yes = 1;

	return bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.pids), &key, &yes,
				   BPF_ANY) == 0 ||
	       err_sys(err, "cannot watch process %d", (int)pid);
}

void fault_probes_remove_pid(struct fault_probes *p, pid_t pid)
{
	const uint32_t key = (uint32_t)pid;

	bpf_map_delete_elem(bpf_map__fd(p->skeleton->maps.pids), &key);
}

static uint64_t cookie_of(uint32_t program, const struct fault_point *point)
{
	uint64_t cookie = (uint64_t)point->hook | (uint64_t)program
							  << FAULT_COOKIE_PROGRAM_SHIFT;

	if (point->stack_arguments)
		cookie |= FAULT_COOKIE_STACK;
	if (point->hook == FAULT_HOOK_FUNCTION)
		cookie |= (uint64_t)point->function << FAULT_COOKIE_FUNCTION_SHIFT;
	if (point->hook == FAULT_HOOK_RECOVER)
		cookie |= (uint64_t)point->panic_offset << FAULT_COOKIE_FUNCTION_SHIFT |
			  (uint64_t)point->recovered_offset
				  << FAULT_COOKIE_RECOVERED_SHIFT;
	return cookie;
}

struct uprobe_links *fault_probes_attach(struct fault_probes *p, int file,
					 uint32_t program,
					 const struct fault_point *points, size_t n,
					 struct err *err)
{
	AUTO(xfree) uint64_t *offsets = xcalloc(n, sizeof(*offsets));
	AUTO(xfree) uint64_t *cookies = xcalloc(n, sizeof(*cookies));

	for (size_t i = 0; i < n; i++) {
		offsets[i] = points[i].offset;
		cookies[i] = cookie_of(program, &points[i]);
	}
	return uprobes_attach(program_of(p->skeleton, p->hold_by), p->multi, file,
			      offsets, cookies, n, err);
}

int fault_probes_fd(const struct fault_probes *p)
{
	return ring_buffer__epoll_fd(p->ring);
}

void fault_probes_read(struct fault_probes *p, const struct fault_handlers *handlers)
{
	p->handlers = handlers;
	ring_buffer__consume(p->ring);
	p->handlers = NULL;
}

struct fault_stops *fault_probes_stops(const struct fault_probes *p)
{
	return p->hold_by == FAULT_HOLD_STOP ? &p->skeleton->bss->stops : NULL;
}

uint64_t fault_probes_hold_ns(const struct fault_probes *p)
{
	const struct fault_bpf__bss *bss = p->skeleton->bss;

	return bss->settings[bss->in_force & 1].hold_ns;
}

void fault_probes_release(struct fault_probes *p, const struct fault_event *event)
{
	__atomic_store_n(&p->skeleton->bss->released[event->number % FAULT_SLOTS],
			 event->number, __ATOMIC_RELEASE);
}

struct fault_counts fault_probes_counts(const struct fault_probes *p)
{
	const struct fault_bpf__bss *bss = p->skeleton->bss;

	return (struct fault_counts){ .faults = bss->numbers,
				      .lost = bss->lost,
				      .late = bss->late };
}
