/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/target/target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/target/memory_set.h"

enum { AUXV_PAIRS = 64 }; /* kernels provide some twenty */

struct target {
	const struct target_ops *ops;
	void *self; /* owned */
	pid_t pid;
	const struct arch *arch;
	struct target_mapping *mappings; /* owned, sorted */
	size_t mapping_count;
	struct target_thread *threads; /* owned */
	size_t thread_count;
	uint64_t auxv[AUXV_PAIRS][2];
	size_t auxv_count;
	uint64_t spent_run, spent_unit;
	uint64_t missed;
	struct target_record record;
	bool searching;
};

struct target *target_new(const struct target_ops *ops, void *self, pid_t pid,
			  const struct arch *arch)
{
	struct target *t = xcalloc(1, sizeof(*t));

	t->ops = ops;
	t->self = self;
	t->pid = pid;
	t->arch = arch;
	return t;
}

void target_close(struct target *t)
{
	if (!t)
		return;
	t->ops->close(t->self);
	target_set_mappings(t, NULL, 0);
	target_set_threads(t, NULL, 0);
	xfree(t);
}

static int by_start(const void *a, const void *b)
{
	const struct target_mapping *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void target_set_mappings(struct target *t, struct target_mapping *mappings, size_t n)
{
	for (size_t i = 0; i < t->mapping_count; i++)
		xfree((void *)t->mappings[i].path);
	xfree(t->mappings);
	if (n)
		qsort(mappings, n, sizeof(*mappings), by_start);
	t->mappings = mappings;
	t->mapping_count = n;
}

void target_set_threads(struct target *t, struct target_thread *threads, size_t n)
{
	for (size_t i = 0; i < t->thread_count; i++)
		xfree(t->threads[i].kernel_stack);
	xfree(t->threads);
	t->threads = threads;
	t->thread_count = n;
}

void target_set_lists(struct target *to, const struct target *from)
{
	size_t n;
	const struct target_mapping *mappings = target_mappings(from, &n);
	struct target_mapping *m = xcalloc(n, sizeof(*m));

	for (size_t i = 0; i < n; i++) {
		m[i] = mappings[i];
		m[i].path = xstrdup(mappings[i].path);
	}
	target_set_mappings(to, m, n);
	const struct target_thread *threads = target_threads(from, &n);
	struct target_thread *th = xcalloc(n, sizeof(*th));
	for (size_t i = 0; i < n; i++) {
		th[i] = threads[i];
		if (threads[i].kernel_stack)
			th[i].kernel_stack = xstrdup(threads[i].kernel_stack);
	}
	target_set_threads(to, th, n);
	target_set_auxv(to, from->auxv[0], from->auxv_count);
}

void target_set_auxv(struct target *t, const uint64_t *pairs, size_t n)
{
	t->auxv_count = n < AUXV_PAIRS ? n : AUXV_PAIRS;
	memcpy(t->auxv, pairs, t->auxv_count * sizeof(t->auxv[0]));
}

pid_t target_pid(const struct target *t)
{
	return t->pid;
}

const struct arch *target_arch(const struct target *t)
{
	return t->arch;
}

void *target_self(const struct target *t, const struct target_ops *ops)
{
	return t->ops == ops ? t->self : NULL;
}

static bool read_for(struct target *t, struct memory_set *record, uint64_t addr,
		     void *buf, size_t len, struct err *err)
{
	if (!target_spend(t, 1, err))
		return false;
	if (len > LIMIT_READ_BYTES)
		return err_set(err, ERR_LIMIT, "a read of %zu bytes is too large", len);
	if (len == 0)
		return true;
	if (addr + (len - 1) < addr)
		return err_set(err, ERR_FAULT, "0x%" PRIx64 " is not a valid address",
			       addr);
	if (t->ops->read(t->self, addr, buf, len, err)) {
		if (record)
			memory_set_add(record, addr, len);
		return true;
	}
	if (!err_is(err, ERR_FAULT))
		t->missed++;
	else if (!target_may_name(t, addr))
		err_set(err, ERR_FAULT, "no readable memory there");
	return false;
}

bool target_read(struct target *t, uint64_t addr, void *buf, size_t len, struct err *err)
{
	return read_for(t, t->searching ? t->record.searched : t->record.read, addr, buf,
			len, err);
}

bool target_search(struct target *t, uint64_t addr, void *buf, size_t len,
		   struct err *err)
{
	return read_for(t, t->record.searched, addr, buf, len, err);
}

struct target_record target_record(struct target *t, struct target_record record)
{
	const struct target_record before = t->record;

	t->record = record;
	return before;
}

bool target_is_recorded(const struct target *t)
{
	return t->record.read != NULL;
}

bool target_set_searching(struct target *t, bool searching)
{
	const bool before = t->searching;

	t->searching = searching;
	return before;
}

void target_found(struct target *t, uint64_t addr, size_t len)
{
	if (t->record.read)
		memory_set_add(t->record.read, addr, len);
}

void target_found_words(struct target *t, uint64_t addr, size_t len)
{
	if (t->record.words)
		memory_set_add(t->record.words, addr, len);
}

void target_found_in(struct target *t, uint64_t addr, size_t len)
{
	uint8_t bytes[PAGE_BYTES];
	struct err ignored;

	for (size_t done = 0, n; t->record.searched && done < len; done += n) {
		n = PAGE_BYTES - (addr + done) % PAGE_BYTES;
		if (n > len - done)
			n = len - done;
		/* The same reads are allowed whether somebody records them or not. */
		if (!t->ops->read(t->self, addr + done, bytes, n, &ignored))
			return;
		memory_set_add(t->record.searched, addr + done, n);
	}
}

uint64_t target_missed(const struct target *t)
{
	return t->missed;
}

void target_forget_missed(struct target *t, uint64_t before)
{
	t->missed = before;
}

bool target_read_uint(struct target *t, uint64_t addr, size_t size, uint64_t *ret,
		      struct err *err)
{
	uint8_t bytes[sizeof(*ret)];
	uint64_t value = 0;

	if (size < 1 || size > sizeof(bytes))
		return err_set(err, ERR_UNSUPPORTED, "unsupported word size of %zu bytes",
			       size);
	if (!target_read(t, addr, bytes, size, err))
		return false;
	for (size_t i = size; i-- > 0;)
		value = value << 8 | bytes[i];
	*ret = value;
	return true;
}

uint64_t target_scan_end(uint64_t start, uint64_t end)
{
	const uint64_t last = UINT64_MAX - LIMIT_READ_BYTES;

	if (end > last)
		end = last;
	return end > start && end - start > LIMIT_SCAN_BYTES ? start + LIMIT_SCAN_BYTES
							     : end;
}

static void record_spans(struct target *t, const struct target_span *spans, size_t n)
{
	struct memory_set *set = t->searching ? t->record.searched : t->record.read;

	for (size_t i = 0; set && i < n; i++)
		if (spans[i].done)
			memory_set_add(set, spans[i].addr, spans[i].len);
}

void target_read_many(struct target *t, struct target_span *spans, size_t n)
{
	struct err why;

	for (size_t i = 0; i < n; i++)
		spans[i].done = false;
	if (t->ops->read_many && target_spend(t, n, &why)) {
		t->ops->read_many(t->self, spans, n);
		record_spans(t, spans, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		spans[i].done =
			target_read(t, spans[i].addr, spans[i].buf, spans[i].len, &why);
}

const struct target_mapping *target_mappings(const struct target *t, size_t *ret_n)
{
	*ret_n = t->mapping_count;
	return t->mappings;
}

const struct target_mapping *target_mapping_at(const struct target *t, uint64_t addr)
{
	size_t low = LOWER_BOUND(i, t->mapping_count, t->mappings[i].end <= addr);

	if (low == t->mapping_count || t->mappings[low].start > addr)
		return NULL;
	return &t->mappings[low];
}

bool target_may_name(const struct target *t, uint64_t addr)
{
	return is_common_word(addr) || target_mapping_at(t, addr);
}

const struct target_thread *target_threads(const struct target *t, size_t *ret_n)
{
	*ret_n = t->thread_count;
	return t->threads;
}

const uint64_t *target_auxv_pairs(const struct target *t, size_t *ret_n)
{
	*ret_n = t->auxv_count;
	return t->auxv[0];
}

bool target_auxv(const struct target *t, uint64_t type, uint64_t *ret)
{
	for (size_t i = 0; i < t->auxv_count; i++) {
		if (t->auxv[i][0] == type) {
			*ret = t->auxv[i][1];
			return true;
		}
	}
	return false;
}

void target_budget_unit(struct target *t)
{
	t->spent_unit = 0;
}

bool target_spend(struct target *t, uint64_t steps, struct err *err)
{
	if (steps > LIMIT_BUDGET_RUN - t->spent_run) {
		t->spent_run = LIMIT_BUDGET_RUN;
		return err_set(err, ERR_LIMIT,
			       "the work budget of this run (%" PRIu64
			       " steps) is exhausted",
			       LIMIT_BUDGET_RUN);
	}
	t->spent_run += steps;
	if (steps > LIMIT_BUDGET_UNIT - t->spent_unit) {
		t->spent_unit = LIMIT_BUDGET_UNIT;
		return err_set(err, ERR_LIMIT,
			       "its work budget (%" PRIu64 " steps) is exhausted",
			       LIMIT_BUDGET_UNIT);
	}
	t->spent_unit += steps;
	return true;
}
