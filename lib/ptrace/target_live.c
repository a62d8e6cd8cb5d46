/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/live_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/access_check.h"

enum {
	BATCH_MIN = 16,
	BATCH_MAX = UIO_MAXIOV,
	PATIENCE_NS = 50 * 1000 * 1000, /* longer than a page fault takes */
	LOOK_NS = 100 * 1000 * 1000,	/* between two looks for a thread that lives */
};

static bool open_mem(struct live *l)
{
	char path[64];

	if (l->mem_fd >= 0)
		close(l->mem_fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/task/%d/mem", l->proc_fd,
		 l->reader);
	l->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	return l->mem_fd >= 0;
}

static ssize_t read_some(struct live *l, uint64_t addr, void *buf, size_t len)
{
	struct iovec local = { buf, len };
	struct iovec remote = { (void *)(uintptr_t)addr, len };

	if (l->mem_fd < 0) {
		ssize_t n = process_vm_readv(l->reader, &local, 1, &remote, 1, 0);
		/* Some containers forbid the call but not the file. */
		if (n >= 0 || (errno != ENOSYS && errno != EPERM) || !open_mem(l))
			return n;
	}
	return pread(l->mem_fd, buf, len, (off_t)addr);
}

/* Chooses another thread, as the reader has exited. False: none is alive. */
static bool change_reader(struct live *l)
{
	struct err why;
	size_t n = 0;
	AUTO(xfree) pid_t *tids = live_tasks(l, &n, &why);

	for (size_t i = 0; tids && i < n; i++) {
		if (tids[i] == l->reader || !live_is_alive(l, tids[i]))
			continue;
		l->reader = tids[i];
		return l->mem_fd < 0 || open_mem(l);
	}
	l->dead_until = monotonic_ns() + LOOK_NS;
	return false;
}

/*
 * A process that is killed can leave a hundred thousand reads to be done. If each looked
 * for a thread, the broker would open a file for each thread each time.
 */
static bool is_dead(const struct live *l)
{
	return l->dead_until && monotonic_ns() < l->dead_until;
}

/* number: the errno of the read; 0: there was nothing to read. */
static bool read_failed(struct live *l, int number, uint64_t addr, struct err *err)
{
	if (number && number != ESRCH && number != EPERM)
		return err_set(err, ERR_FAULT, "no readable memory at 0x%" PRIx64, addr);
	if (number == EPERM)
		return err_set(err, ERR_PERMISSION,
			       "not permitted to read the memory of process %d", l->pid);
	return err_set(err, ERR_GONE, "process %d has exited", l->pid);
}

static bool hold_is_over(const struct live *l)
{
	return l->only_until && monotonic_ns() >= atomic_load(l->only_until);
}

static bool live_read(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	struct live *l = self;
	size_t done = 0;
	bool changed = false;

	if (is_dead(l))
		return read_failed(l, ESRCH, addr, err);
	while (done < len) {
		ssize_t n = read_some(l, addr + done, (char *)buf + done, len - done);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		const int number = n < 0 ? errno : 0;
		if (number == EINTR)
			continue;
		if ((!number || number == ESRCH) && !changed && change_reader(l)) {
			changed = true;
			continue;
		}
		return read_failed(l, number, addr + done, err);
	}
	return !hold_is_over(l) ||
	       err_set(err, ERR_MISSED,
		       "process %d had to be resumed before this was read", l->pid);
}

/* Returns how many of the spans were processed, at least one. */
static size_t read_batch(struct live *l, struct target_span *spans, size_t n)
{
	struct iovec local[BATCH_MAX], remote[BATCH_MAX];
	struct err why;
	size_t i = 0;

	local[0] = remote[0] = (struct iovec){ 0 }; /* silences a gcc 12 warning */
	for (; i < n; i++) {
		local[i] = (struct iovec){ spans[i].buf, spans[i].len };
		remote[i] =
			(struct iovec){ (void *)(uintptr_t)spans[i].addr, spans[i].len };
	}
	ssize_t got = process_vm_readv(l->reader, local, n, remote, n, 0);
	size_t left = got > 0 ? (size_t)got : 0;
	for (i = 0; i < n && spans[i].len <= left; i++) {
		left -= spans[i].len;
		spans[i].done = true;
	}
	/* The first incomplete span may be bad, or exceed what one call transfers. */
	if (i < n) {
		spans[i].done =
			live_read(l, spans[i].addr, spans[i].buf, spans[i].len, &why);
		i++;
	}
	return i;
}

size_t live_count_near(const struct target_span *spans, size_t n, uint64_t *ret_start,
		       uint64_t *ret_end)
{
	uint64_t start = spans[0].addr & ~(uint64_t)(PAGE_BYTES - 1), end = spans[0].addr;
	size_t i = 0;

	for (; i < n; i++) {
		uint64_t addr = spans[i].addr, len = spans[i].len;
		if (addr < end || addr - end > PAGE_BYTES ||
		    addr > UINT64_MAX - LIVE_WINDOW || len > LIVE_WINDOW ||
		    addr + len - start > LIVE_WINDOW)
			break;
		end = addr + len;
	}
	*ret_start = start;
	*ret_end = end;
	return i;
}

void live_take_near(struct target_span *spans, size_t n, const uint8_t *window,
		    uint64_t start)
{
	for (size_t i = 0; i < n; i++) {
		memcpy(spans[i].buf, window + (spans[i].addr - start), spans[i].len);
		spans[i].done = true;
	}
}

/* Returns how many of the spans were processed, at least one. */
static size_t read_near(struct live *l, struct target_span *spans, size_t n)
{
	uint64_t start, end;
	struct err why;
	const size_t near = live_count_near(spans, n, &start, &end);

	if (!l->window)
		l->window = xmalloc(LIVE_WINDOW);
	if (near > 1 && pread(l->mem_fd, l->window, end - start, (off_t)start) ==
				(ssize_t)(end - start)) {
		live_take_near(spans, near, l->window, start);
		return near;
	}
	spans[0].done = live_read(l, spans[0].addr, spans[0].buf, spans[0].len, &why);
	return 1;
}

static void live_read_many(void *self, struct target_span *spans, size_t n)
{
	struct live *l = self;
	size_t batch = BATCH_MAX;

	for (size_t i = 0; i < n;) {
		if (l->mem_fd >= 0) {
			i += read_near(l, spans + i, n - i);
			continue;
		}
		size_t want = n - i < batch ? n - i : batch;
		size_t did = read_batch(l, spans + i, want);
		/* Many bad spans must not each cost a full vector. */
		if (did < want && batch > BATCH_MIN)
			batch /= 2;
		else if (did == want && batch < BATCH_MAX)
			batch *= 2;
		i += did;
	}
	/* It is unknown which of them were read in time. */
	for (size_t i = 0; i < n && hold_is_over(l); i++)
		spans[i].done = false;
}

static void live_close(void *self)
{
	struct live *l = self;

	live_release(l);
	if (l->mem_fd >= 0)
		close(l->mem_fd);
	if (l->proc_fd >= 0)
		close(l->proc_fd);
	for (size_t i = 0; i < l->thread_count; i++)
		xfree(l->threads[i].info.kernel_stack);
	xfree(l->threads);
	xfree(l->window);
	xfree(l->born);
	xfree(l);
}

const struct target_ops live_ops = {
	.name = "live",
	.read = live_read,
	.read_many = live_read_many,
	.close = live_close,
};

static bool take_mappings(struct target *t, struct live *l, struct err *err)
{
	struct target_mapping *mappings;
	size_t n;

	if (!live_mappings(l, &mappings, &n, err))
		return false;
	target_set_mappings(t, mappings, n);
	return true;
}

/* Without it, the executable is identified by its mappings. */
static void take_auxv(struct target *t, struct live *l)
{
	enum { AUXV_BYTES = 4096 };
	size_t len = 0;
	AUTO(xfree)
	char *bytes = live_slurp(l, AUXV_BYTES, &len, "task/%d/auxv", l->reader);

	if (bytes)
		target_set_auxv(t, (const uint64_t *)bytes, len / (2 * sizeof(uint64_t)));
}

static struct target *open_once(pid_t pid, bool to_stop, struct err *err)
{
	struct access_check_facts facts;
	char path[32];

	access_check_collect(pid, &facts);
	if (!to_stop)
		facts.tracer = 0;
	if (!access_check_judge(&facts, err))
		return NULL;
	struct live *l = xcalloc(1, sizeof(*l));
	l->pid = l->reader = pid;
	l->mem_fd = -1;
	l->patience_ns = PATIENCE_NS;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	l->proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO(target_close) struct target *t = target_new(&live_ops, l, pid, &arch_amd64);
	if (l->proc_fd < 0) {
		err_set(err, ERR_GONE, "process %d has exited", pid);
		return NULL;
	}
	if (live_state(l, pid) == 'Z')
		change_reader(l);
	if (!take_mappings(t, l, err))
		return NULL;
	take_auxv(t, l);
	return TAKE(t);
}

/* During an execve by another thread, the leader looks as if it had exited. */
static struct target *open_patiently(pid_t pid, bool to_stop, struct err *err)
{
	enum { TRIES = 4, NAP_NS = 1000 * 1000 };

	for (int i = 1;; i++) {
		struct target *t = open_once(pid, to_stop, err);
		if (t || i == TRIES ||
		    (!err_is(err, ERR_GONE) && !err_is(err, ERR_CANNOT)))
			return t;
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	}
}

struct target *target_live_open(pid_t pid, struct err *err)
{
	return open_patiently(pid, true, err);
}

struct target *target_live_open_to_read(pid_t pid, struct err *err)
{
	return open_patiently(pid, false, err);
}

static void publish_threads(struct target *t, struct live *l)
{
	struct target_thread *threads = xcalloc(l->thread_count, sizeof(*threads));

	for (size_t i = 0; i < l->thread_count; i++) {
		threads[i] = l->threads[i].info;
		l->threads[i].info.kernel_stack = NULL; /* now owned by the target */
	}
	target_set_threads(t, threads, l->thread_count);
}

/* During an execve, a process can briefly look as if it had exited. */
static bool has_ended(const struct live *l)
{
	struct access_check_facts facts;

	access_check_collect(l->pid, &facts);
	return !facts.exists || facts.zombie || facts.dead;
}

bool live_hold(struct live *l, struct err *err)
{
	if (live_stop(l, err))
		return true;
	live_release(l);
	if (err_is(err, ERR_GONE) && !has_ended(l))
		live_execed(l, err);
	return false;
}

bool target_live_stop(struct target *t, struct err *err)
{
	struct live *l = target_self(t, &live_ops);

	if (!l || l->first_stop)
		return err_set(err, ERR_UNSUPPORTED, "this target cannot be stopped");
	if (!live_hold(l, err))
		return false;
	if (!take_mappings(t, l, err)) {
		live_release(l);
		return false;
	}
	publish_threads(t, l);
	return true;
}

bool target_live_list(struct target *t, struct err *err)
{
	struct live *l = target_self(t, &live_ops);
	size_t ignored;

	if (!live_scan(l, LIVE_FULL, &ignored, err) || !take_mappings(t, l, err))
		return false;
	for (size_t i = 0; i < l->thread_count; i++)
		live_thread_syscall(l, &l->threads[i].info);
	publish_threads(t, l);
	return true;
}

void target_live_unlist(struct target *t)
{
	struct live *l = target_self(t, &live_ops);

	l->thread_count = 0;
	target_set_threads(t, NULL, 0);
}

void target_live_release(struct target *t)
{
	struct live *l = target_self(t, &live_ops);

	if (l)
		live_release(l);
}

struct live_pause target_live_pause(const struct target *t)
{
	const struct live *l = target_self(t, &live_ops);
	struct live_pause pause = { 0 };

	if (!l || !l->first_stop)
		return pause;
	uint64_t end = l->last_release ? l->last_release : monotonic_ns();
	if (!l->all_stopped) { /* not all were stopped in time */
		pause.pause_ns = pause.stopping_ns = end - l->first_stop;
		return pause;
	}
	uint64_t busy_end = l->running_release ? l->running_release : end;
	pause.pause_ns = end - l->first_stop;
	pause.stopping_ns = l->all_stopped - l->first_stop;
	pause.copying_ns = end - l->all_stopped;
	pause.busy_thread_ns = busy_end - l->running_stop;
	pause.realtime_ns = l->all_stopped_realtime;
	pause.monotonic_ns = l->all_stopped;
	return pause;
}

bool target_live_refresh(struct target *t, struct err *err)
{
	return take_mappings(t, target_self(t, &live_ops), err);
}

void target_live_only_until(struct target *t, const _Atomic uint64_t *until)
{
	struct live *l = target_self(t, &live_ops);

	l->only_until = until;
}

bool target_live_gone(const struct target *t)
{
	struct live *l = target_self(t, &live_ops);
	struct err why;
	size_t n = 0;

	if (!l)
		return false;
	AUTO(xfree) pid_t *tids = live_tasks(l, &n, &why);
	for (size_t i = 0; tids && i < n; i++)
		if (live_is_alive(l, tids[i]))
			return false;
	return true;
}

size_t target_live_for_sandbox(struct target *t, int ret[static TARGET_LIVE_DESCRIPTORS])
{
	struct live *l = target_self(t, &live_ops);
	size_t n = 0;

	ret[n++] = l->proc_fd;
	if (l->mem_fd >= 0 || open_mem(l))
		ret[n++] = l->mem_fd;
	return n;
}

bool target_live_has_thread(const struct target *t, pid_t tid)
{
	const struct live *l = target_self(t, &live_ops);

	return tid > 0 && live_state(l, tid) != 0;
}
