/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/thresholds.h"

#include <stdlib.h>
#include <time.h>

#include "lib/procfs/proc_file.h"
#include "src/record/sample.h"

enum { NS_PER_MS = 1000000 };
#define LOOK_NS (UINT64_C(1000) * NS_PER_MS)
/* Or less often, so that looking takes no more than a thousandth of a processor. */
#define LOOK_PART 1000
/* To count goroutines takes as long as a small snapshot. */
#define COUNT_NS (UINT64_C(10000) * NS_PER_MS)

struct followed {
	uint64_t start; /* of the process, in ticks */
	struct sampler sampler;
	uint64_t met_ns;   /* since when; 0: it is not */
	uint64_t quiet_ns; /* until then */
	bool looked;	   /* this time */
};

struct thresholds {
	struct thresholds_options options;
	struct condition outside; /* without goroutines */
	struct followed *list;
	size_t count, cap;
	uint64_t look_ns, used_ns; /* CPU time, before they were looked at */
};

void thresholds_change(struct thresholds *t, const struct thresholds_options *options)
{
	const struct condition *all = options->condition;

	t->options = *options;
	t->outside = (struct condition){ .text = all->text };
	for (size_t i = 0; i < all->count; i++)
		if (all->terms[i].quantity != QUANTITY_GOROUTINES)
			t->outside.terms[t->outside.count++] = all->terms[i];
}

struct thresholds *thresholds_new(const struct thresholds_options *options)
{
	struct thresholds *t = xcalloc(1, sizeof(*t));

	thresholds_change(t, options);
	return t;
}

void thresholds_free(struct thresholds *t)
{
	if (!t)
		return;
	xfree(t->list);
	xfree(t);
}

/* Of ours. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 * NS_PER_MS + (uint64_t)ts.tv_nsec;
}

int thresholds_wait(struct thresholds *t)
{
	const uint64_t now = monotonic_ns();

	if (now < t->look_ns)
		return (int)((t->look_ns - now) / NS_PER_MS) + 1;
	t->used_ns = cpu_ns();
	return 0;
}

static struct followed *find(const struct thresholds *t, pid_t pid)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->list[i].sampler.pid == pid)
			return &t->list[i];
	return NULL;
}

static struct followed *follow(struct thresholds *t, pid_t pid)
{
	struct followed *f = find(t, pid);
	const uint64_t start = proc_started(pid);

	if (!start)
		return NULL;
	if (f && f->start == start)
		return f;
	if (!f) {
		GROW(t->list, t->count, t->cap);
		f = &t->list[t->count++];
	}
	*f = (struct followed){ .start = start, .sampler.pid = pid };
	return f;
}

bool thresholds_look(struct thresholds *t, pid_t pid, struct trigger *ret)
{
	struct followed *f = follow(t, pid);
	const uint64_t now = monotonic_ns();

	if (!f)
		return false;
	f->looked = true;
	if (!sampler_meets(&f->sampler, &t->outside, ret))
		f->met_ns = 0;
	else if (!f->met_ns)
		f->met_ns = now;
	if (!f->met_ns || now - f->met_ns < t->options.for_ns || now < f->quiet_ns)
		return false;
	f->quiet_ns = now + t->options.again_ns;
	return true;
}

void thresholds_looked(struct thresholds *t)
{
	const uint64_t now = monotonic_ns(), most = (cpu_ns() - t->used_ns) * LOOK_PART;
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!t->list[i].looked)
			continue;
		t->list[n] = t->list[i];
		t->list[n++].looked = false;
	}
	t->count = n;
	t->look_ns = now + (most > LOOK_NS ? most : LOOK_NS);
}

void thresholds_not_taken(struct thresholds *t, pid_t pid)
{
	struct followed *f = find(t, pid);

	if (f)
		f->quiet_ns = monotonic_ns() + COUNT_NS;
}
