/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/target_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/ptrace/live_priv.h"
#include "lib/sandbox/sandbox.h"

enum {
	SMAPS_A_MAPPING = 1024, /* bytes of text, on average */
};

/* Memory that the copy lacks, or does not have as of its instant. */
struct foreign {
	uint64_t start, end;
	bool shared; /* can be read through the copy nevertheless */
};

struct copy {
	struct live proc; /* only for live_proc.c */
	int mem_fd;
	struct target *live;
	struct foreign *foreign; /* sorted, disjoint */
	size_t foreign_count, foreign_cap;
	_Atomic uint64_t *foreign_bytes; /* shared with our forks */
	uint8_t window[LIVE_WINDOW];
};

/* Finds the end, up to `end`, of the run of uniform memory that starts at addr. Returns
 * its foreign memory, or NULL. */
static const struct foreign *run_at(const struct copy *c, uint64_t addr, uint64_t *end)
{
	size_t low = LOWER_BOUND(i, c->foreign_count, c->foreign[i].end <= addr);

	if (low == c->foreign_count)
		return NULL;
	const struct foreign *f = &c->foreign[low];
	uint64_t border = f->start > addr ? f->start : f->end;
	if (border < *end)
		*end = border;
	return f->start <= addr ? f : NULL;
}

/* With pread: process_vm_readv would pin the pages, and the kernel really copies a
 * copy-on-write page to pin it. */
static bool read_own(const struct copy *c, uint64_t addr, uint8_t *buf, size_t len,
		     struct err *err)
{
	for (size_t done = 0; done < len;) {
		ssize_t n =
			pread(c->mem_fd, buf + done, len - done, (off_t)(addr + done));
		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			return err_set(err, ERR_MISSED, "the copy was killed");
		else if (errno != EINTR)
			return err_set(err, ERR_FAULT, "no readable memory at 0x%" PRIx64,
				       addr + done);
	}
	return true;
}

static bool copy_read(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	struct copy *c = self;
	uint8_t *to = buf;
	uint64_t last = addr + len;

	if (last < addr)
		return err_set(err, ERR_FAULT, "0x%" PRIx64 " is not a valid address",
			       addr);
	for (uint64_t end; addr < last; to += end - addr, addr = end) {
		end = last;
		const struct foreign *f = run_at(c, addr, &end);
		size_t n = (size_t)(end - addr);
		if (f)
			*c->foreign_bytes += n;
		if (f && !f->shared ? !target_read(c->live, addr, to, n, err)
				    : !read_own(c, addr, to, n, err))
			return false;
	}
	return true;
}

/* False: some of it cannot be read, or not in this
 * way. */
static bool read_window(struct copy *c, uint64_t start, uint64_t end,
			struct target_span *spans, size_t n)
{
	uint64_t apart = end;
	struct err why;

	if (run_at(c, start, &apart) || apart < end ||
	    !read_own(c, start, c->window, (size_t)(end - start), &why))
		return false;
	live_take_near(spans, n, c->window, start);
	return true;
}

static void copy_read_many(void *self, struct target_span *spans, size_t n)
{
	uint64_t start, end;
	struct err why;

	for (size_t near; n; spans += near, n -= near) {
		near = live_count_near(spans, n, &start, &end);
		if (near > 1 && read_window(self, start, end, spans, near))
			continue;
		near = near ? near : 1;
		for (size_t i = 0; i < near; i++)
			spans[i].done = copy_read(self, spans[i].addr, spans[i].buf,
						  spans[i].len, &why);
	}
}

static void copy_close(void *self)
{
	struct copy *c = self;

	if (c->mem_fd >= 0)
		close(c->mem_fd);
	if (c->proc.proc_fd >= 0)
		close(c->proc.proc_fd);
	if (!sandbox_is_closed())
		munmap(c->foreign_bytes, sizeof(*c->foreign_bytes));
	xfree(c->foreign);
	xfree(c);
}

static const struct target_ops copy_ops = {
	.name = "copy",
	.read = copy_read,
	.read_many = copy_read_many,
	.close = copy_close,
};

static void add_foreign(struct copy *c, uint64_t start, uint64_t end, bool shared)
{
	GROW(c->foreign, c->foreign_count, c->foreign_cap);
	c->foreign[c->foreign_count++] = (struct foreign){ start, end, shared };
}

/* VmFlags is the last line of each mapping in smaps; "wf" is MADV_WIPEONFORK. */
static void find_wiped(struct copy *c, size_t mappings)
{
	AUTO(xfree)
	char *text = live_slurp(&c->proc, (mappings + 1) * SMAPS_A_MAPPING * 2, NULL,
				"task/%d/smaps", c->proc.pid);
	uint64_t start = 0, end = 0, a, b;

	for (char *line = text, *eol; line && (eol = strchr(line, '\n'));
	     line = eol + 1) {
		*eol = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &a, &b) == 2) {
			start = a;
			end = b;
		} else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " wf")) {
			add_foreign(c, start, end, false);
		}
	}
}

static bool overlaps(const struct target_mapping *list, size_t n,
		     const struct target_mapping *m)
{
	size_t low = LOWER_BOUND(i, n, list[i].end <= m->start);

	return low < n && list[low].start < m->end;
}

/* Mappings of the process that the copy lacks are MADV_DONTFORK, or newer: list them
 * too. */
static void join_mappings(struct copy *c, struct target_mapping **own, size_t *own_n)
{
	size_t n, count = *own_n, cap = *own_n;
	const struct target_mapping *live = target_mappings(c->live, &n);
	struct target_mapping *list = *own;

	for (size_t i = 0; i < count; i++)
		if (list[i].shared && list[i].writable)
			add_foreign(c, list[i].start, list[i].end, true);
	for (size_t i = 0; i < n; i++) {
		if (overlaps(list, *own_n, &live[i]))
			continue;
		GROW(list, count, cap);
		list[count] = live[i];
		list[count++].path = xstrdup(live[i].path);
		add_foreign(c, live[i].start, live[i].end, false);
	}
	*own = list;
	*own_n = count;
}

static int by_start(const void *a, const void *b)
{
	const struct foreign *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool open_proc(struct copy *c, pid_t pid, struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	c->proc.pid = c->proc.reader = pid;
	c->proc.proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	c->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	return c->mem_fd >= 0 ||
	       err_set(err, ERR_CANNOT, "cannot read the copy: %s", strerror(errno));
}

static _Atomic uint64_t *shared_number(void)
{
	_Atomic uint64_t *number = sandbox_shared_number();

	if (!sandbox_is_closed())
		number = mmap(NULL, sizeof(*number), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (number == MAP_FAILED)
		out_of_memory();
	*number = 0;
	return number;
}

struct target *target_copy_open(pid_t pid, struct target *live, struct err *err)
{
	struct copy *c = xcalloc(1, sizeof(*c));
	struct target_mapping *mappings;
	size_t n;

	c->live = live;
	c->foreign_bytes = shared_number();
	c->proc.mem_fd = -1;
	AUTO(target_close)
	struct target *t = target_new(&copy_ops, c, target_pid(live), target_arch(live));
	if (!open_proc(c, pid, err) || !live_mappings(&c->proc, &mappings, &n, err))
		return NULL;
	find_wiped(c, n);
	join_mappings(c, &mappings, &n);
	if (c->foreign_count)
		qsort(c->foreign, c->foreign_count, sizeof(*c->foreign), by_start);
	target_set_lists(t, live);
	target_set_mappings(t, mappings, n);
	return TAKE(t);
}

bool target_copy_is_foreign(void *self, uint64_t addr, uint64_t len)
{
	const struct copy *c = target_self(self, &copy_ops);
	uint64_t end = addr + len;

	return run_at(c, addr, &end) || end < addr + len;
}

/* Any address would do. */
bool target_copy_is_gone(const struct target *t)
{
	const struct copy *c = target_self(t, &copy_ops);
	size_t n;
	const struct target_mapping *mappings = target_mappings(t, &n);
	uint8_t byte;

	return c && n && pread(c->mem_fd, &byte, 1, (off_t)mappings[0].start) == 0;
}

uint64_t target_copy_foreign_bytes(const struct target *t)
{
	const struct copy *c = target_self(t, &copy_ops);

	return c ? *c->foreign_bytes : 0;
}
