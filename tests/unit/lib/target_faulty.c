/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/lib/target_faulty.h"

#include <inttypes.h>

struct faulty {
	struct target *inner; /* borrowed */
	uint64_t reads, k;
	bool again;
};

static bool faulty_read(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	struct faulty *f = self;

	f->reads++;
	if (f->k && (f->again ? f->reads % f->k == 0 : f->reads == f->k))
		return err_set(err, ERR_FAULT,
			       "read %" PRIu64 " at 0x%" PRIx64 " was made to fail",
			       f->reads, addr);
	target_budget_unit(f->inner);
	return target_read(f->inner, addr, buf, len, err);
}

static const struct target_ops faulty_ops = {
	.name = "faulty",
	.read = faulty_read,
	.close = xfree,
};

struct target *target_faulty_new(struct target *inner)
{
	struct faulty *f = xcalloc(1, sizeof(*f));
	struct target *t =
		target_new(&faulty_ops, f, target_pid(inner), target_arch(inner));
	size_t n;
	const struct target_mapping *mappings = target_mappings(inner, &n);
	struct target_mapping *m = xcalloc(n, sizeof(*m));

	f->inner = inner;
	for (size_t i = 0; i < n; i++) {
		m[i] = mappings[i];
		m[i].path = xstrdup(mappings[i].path);
	}
	target_set_mappings(t, m, n);
	const struct target_thread *threads = target_threads(inner, &n);
	struct target_thread *th = xcalloc(n, sizeof(*th));
	for (size_t i = 0; i < n; i++) {
		th[i] = threads[i];
		if (threads[i].kernel_stack)
			th[i].kernel_stack = xstrdup(threads[i].kernel_stack);
	}
	target_set_threads(t, th, n);
	return t;
}

void target_faulty_set(struct target *t, uint64_t k, bool again)
{
	struct faulty *f = target_self(t, &faulty_ops);

	f->reads = 0;
	f->k = k;
	f->again = again;
}

uint64_t target_faulty_reads(const struct target *t)
{
	const struct faulty *f = target_self(t, &faulty_ops);

	return f->reads;
}
