/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines in a system call or in C that does not return. Such a wait is normal,
 * so only two cases are reported. One is a goroutine with a lock that others wait for.
 * The other is a thread that cannot be woken: it hangs at a disk, a network file system,
 * or a fault of the kernel.
 * The runtime does not note when a call began, but the kernel notes since when a thread
 * sleeps. A second look does not see whether a goroutine stays in a call, unless the
 * process is idle. But it sees whether the goroutines that wait for the lock stay: an
 * unlock would wake one of them. */
#include <inttypes.h>
#include <string.h>

#include "lib/procfs/sockets.h"
#include "src/findings/holder.h"
#include "src/findings/state/state.h"

/* System calls that wait, by their numbers on amd64. */
static const struct {
	int64_t number;
	const char *name;
	bool of_descriptor; /* its first argument is one */
} calls[] = {
	{ 0, "read", true },	      { 1, "write", true },
	{ 2, "open", false },	      { 4, "stat", false },
	{ 5, "fstat", true },	      { 6, "lstat", false },
	{ 7, "poll", false },	      { 16, "ioctl", true },
	{ 17, "pread", true },	      { 18, "pwrite", true },
	{ 19, "readv", true },	      { 20, "writev", true },
	{ 23, "select", false },      { 34, "pause", false },
	{ 35, "nanosleep", false },   { 42, "connect", true },
	{ 43, "accept", true },	      { 44, "sendto", true },
	{ 45, "recvfrom", true },     { 46, "sendmsg", true },
	{ 47, "recvmsg", true },      { 56, "clone", false },
	{ 61, "wait4", false },	      { 72, "fcntl", true },
	{ 73, "flock", true },	      { 74, "fsync", true },
	{ 75, "fdatasync", true },    { 87, "unlink", false },
	{ 162, "sync", false },	      { 202, "futex", false },
	{ 217, "getdents", true },    { 232, "epoll_wait", true },
	{ 247, "waitid", false },     { 257, "openat", false },
	{ 262, "newfstatat", false }, { 288, "accept4", true },
};

static const struct target_thread *thread_of(const struct finder *f,
					     const struct goroutine *g)
{
	return g->thread >= 0 && (size_t)g->thread < f->about.thread_count
		       ? &f->about.threads[g->thread]
		       : NULL;
}

/* Names of files may be secret; host and port are not. */
static void say_descriptor(const struct finder *f, struct text *text, uint64_t fd)
{
	const struct descriptor *d =
		f->about.sockets ? sockets_look(f->about.sockets, (int64_t)fd) : NULL;

	text_add(text, " of descriptor %" PRIu64, fd);
	if (d && d->protocol && *d->remote && strcmp(d->protocol, "unix") != 0)
		text_add(text, " (%s, %s)", d->remote, d->protocol);
	else if (d && d->link && strncmp(d->link, "pipe:", 5) == 0)
		text_add(text, " (a pipe)");
}

static void say_system_call(const struct finder *f, struct text *text,
			    const struct target_thread *th)
{
	for (size_t i = 0; th && th->in_syscall && i < ARRAY_SIZE(calls); i++) {
		if (calls[i].number != th->syscall_number)
			continue;
		text_add(text, "is in the system call %s", calls[i].name);
		if (calls[i].of_descriptor)
			say_descriptor(f, text, th->syscall_args[0]);
		return;
	}
	text_add(text, "is in a system call");
}

struct c_search {
	bool is_in_c;
	const char *innermost;
};

static void note_cgo(void *arg, const struct code_frame *frame)
{
	struct c_search *s = arg;

	s->is_in_c |= frame->function && strcmp(frame->function, "runtime.cgocall") == 0;
}

static void note_c(void *arg, const struct code_frame *frame)
{
	struct c_search *s = arg;

	if (frame->c && frame->function && !s->innermost)
		s->innermost = frame->function;
}

/* The frames of C are on the thread's stack, not on the goroutine's. */
static struct c_search look_for_c(const struct finder *f, const struct goroutine *g)
{
	struct c_search ret = { 0 };

	runtimes_each_frame(f->about.all, g->stack, note_cgo, &ret);
	if (ret.is_in_c && thread_of(f, g)) {
		const uint32_t stack =
			runtimes_thread(f->about.all, (size_t)g->thread)->stack;
		if (stack != NO_STACK)
			runtimes_each_frame(f->about.all, stack, note_c, &ret);
	}
	return ret;
}

static void say_call(const struct finder *f, struct text *text, uint32_t goroutine)
{
	const struct goroutine *g = finder_goroutine(f, goroutine).goroutine;
	const struct c_search c = look_for_c(f, g);

	if (!c.is_in_c)
		say_system_call(f, text, thread_of(f, g));
	else if (c.innermost)
		text_add(text, "is in C, in %s, called", c.innermost);
	else
		text_add(text, "is in C, called");
	say_where(f, text, goroutine);
}

static void tell_holder(struct finder *f, uint32_t holder, uint64_t age, uint64_t waits)
{
	struct finding *finding = holder_finding(
		f, "stuck_call", holder,
		"Look at what it calls: the other end of the pipe or connection, the "
		"device, the library. A call that may take long belongs outside of the "
		"lock.");

	if (!finding)
		return;
	if (age < STATE_LONG_NS && waits < STATE_LONG_NS)
		finding->severity = SEVERITY_WARNING;
	struct text *text = &finding->text;
	say_call(f, text, holder);
	say_age_or_wait(text, age, waits);
	text_add(text, ".");
}

static void tell_hanging(struct finder *f, uint32_t goroutine,
			 const struct target_thread *th, uint64_t age)
{
	struct finding *finding = finding_add(
		f, "stuck_call", SEVERITY_WARNING, 1,
		"See what the kernel says (dmesg), and whether disks and network file "
		"systems answer. Not even a signal ends such a call.");
	struct text *text = &finding->text;

	text_add(text, "Goroutine %" PRIu64 " hangs in the kernel: it ",
		 finder_goroutine(f, goroutine).goroutine->id);
	say_call(f, text, goroutine);
	text_add(text, ", and nothing has been able to wake its thread");
	if (th->wchan[0])
		text_add(text, " (in %s)", th->wchan);
	say_age(text, age);
	text_add(text, ".");
	finding_shows_goroutine(f, finding, goroutine);
}

/* Returns how long the lock was seen to be held: none of the goroutines that wait for it
 * has run in that time. 0: not known. A holder that reads does not count, as it may have
 * given back its share. */
static uint64_t held_for(const struct finder *f, uint32_t holder)
{
	const struct wait_graph *w = f->about.waits;
	const struct partner *as = NULL;
	const struct wait_object *o = holder_lock(f, holder, &as);
	uint64_t ret = UINT64_MAX;
	bool all = o && o->waiter_count && as->operation != OPERATION_READ_UNLOCK;

	for (uint32_t i = 0; all && i < o->waiter_count; i++) {
		const uint32_t g = w->waiters[o->first_waiter + i].goroutine;
		const uint64_t age = finder_waits_long(f, g) ? finder_age(f, g) : 0;
		ret = age < ret ? age : ret;
	}
	return all ? ret : 0;
}

/* waits: the longest wait of the goroutines that wait for a lock of this one. */
static void look_at(struct finder *f, uint32_t i, uint64_t waits)
{
	const struct goroutine *g = finder_goroutine(f, i).goroutine;
	const struct target_thread *th = thread_of(f, g);
	const uint64_t asleep = state_asleep(f, g->thread);

	if (f->chains.behind[i] && !f->chains.in_cycle[i] &&
	    g->status == GOROUTINE_SYSCALL) {
		const uint64_t noted = finder_age(f, i);
		const uint64_t age = noted > asleep ? noted : asleep;
		const bool is_long = age >= STATE_LONG_NS || waits >= STATE_LONG_NS;
		const uint64_t held = is_long ? 0 : held_for(f, i);
		if (is_long || held || finder_waits_long(f, i))
			tell_holder(f, i, age > held ? age : held, waits);
	} else if (th && th->state == 'D' && asleep >= STATE_LONG_NS) {
		tell_hanging(f, i, th, asleep);
	}
}

void finding_stuck_call(struct finder *f)
{
	AUTO(xfree) uint64_t *longest = state_longest_waits(f);

	for (size_t i = 0; i < f->chains.count; i++)
		look_at(f, (uint32_t)i, longest[i]);
}
