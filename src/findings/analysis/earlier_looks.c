/* SPDX-License-Identifier: Apache-2.0 */
/* A goroutine shows that it has run by a counter of one byte (goruntime/sched/stays.h):
 * between two looks, it may have run 256 times and seem to have stayed. So several looks
 * are taken around each snapshot, at varying intervals, to notice goroutines that run so
 * often. Looks that are far apart prove nothing. */
#include "src/findings/analysis/earlier_looks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "src/capture/sandboxed.h"

enum { REMEMBERED_MAX = 20000, LOOKS = 5 };
#define STAYS_NS (UINT64_C(2) * SECOND_NS)
#define FAR_APART_NS (UINT64_C(60) * SECOND_NS)
#define PAUSE_MIN_NS (UINT64_C(40) * 1000 * 1000)
#define PAUSE_VARIES_NS (UINT64_C(80) * 1000 * 1000)

struct remembered {
	uint64_t addr, id, pc;
	uint64_t since_ns; /* monotonic: the first snapshot that saw it so */
	uint32_t runtime;
	uint8_t status, wait_reason, run_count;
};

struct earlier_looks {
	uint64_t seen_ns; /* monotonic: the last look */
	size_t count;
	struct remembered list[REMEMBERED_MAX]; /* by addr */
};

struct earlier_looks *earlier_looks_new(void)
{
	return xshared(sizeof(struct earlier_looks));
}

void earlier_looks_free(struct earlier_looks *e)
{
	if (e)
		munmap(e, sizeof(*e));
}

void earlier_looks_forget(struct earlier_looks *e)
{
	e->count = 0;
}

static struct goroutine goroutine_of_remembered(const struct remembered *r)
{
	return (struct goroutine){
		.addr = r->addr,
		.id = r->id,
		.pc = r->pc,
		.status = r->status,
		.wait_reason = r->wait_reason,
		.run_count = r->run_count,
	};
}

static void look_at_all(struct earlier_looks *e, const struct capture *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct remembered *r = &e->list[i];
		const struct goroutine g = goroutine_of_remembered(r);
		if (r->runtime < runtimes_count(c->runtimes) &&
		    runtime_goroutine_stay(runtimes_get(c->runtimes, r->runtime), c->live,
					   &g) == GOROUTINE_STAYED)
			e->list[kept++] = *r;
	}
	e->count = kept;
	e->seen_ns = monotonic_ns();
}

/* In a process that was stopped, goroutines could not run: that they stayed proves
 * nothing. */
static bool process_goes_on(const struct capture *c)
{
	struct conditions now = { .pid = 0 };

	sandboxed_conditions(c->options->pid, &now);
	return now.exists && !conditions_stand_still(&now);
}

void earlier_looks_go_on(struct earlier_looks *e, const struct capture *c,
			 uint64_t most_ns)
{
	const uint64_t begun = monotonic_ns();
	uint64_t random = begun;

	if (e->count && begun - e->seen_ns > FAR_APART_NS)
		earlier_looks_forget(e);
	for (int i = 0; i < LOOKS && e->count; i++) {
		look_at_all(e, c);
		random = random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
		const uint64_t ns = PAUSE_MIN_NS + (random >> 32) % PAUSE_VARIES_NS;
		if (e->seen_ns + ns - begun > most_ns)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
	}
	if (e->count && !process_goes_on(c))
		earlier_looks_forget(e);
}

static int by_addr(const void *a, const void *b)
{
	const struct remembered *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Returns the goroutine as it is remembered. NULL: it is not, or has run since. */
static const struct remembered *find_remembered(const struct earlier_looks *e,
						const struct goroutine_of *it)
{
	const struct goroutine *g = it->goroutine;
	const struct remembered key = { .addr = g->addr };
	const struct remembered *r =
		bsearch(&key, e->list, e->count, sizeof(key), by_addr);

	return r && r->id == g->id && r->pc == g->pc && r->status == g->status &&
			       r->wait_reason == g->wait_reason &&
			       r->run_count == g->run_count && r->runtime == it->number
		       ? r
		       : NULL;
}

static bool is_usable(const struct earlier_looks *e, const struct capture *c)
{
	return e->count && !conditions_stand_still(&c->conditions) &&
	       c->monotonic_ns - e->seen_ns <= FAR_APART_NS;
}

void earlier_looks_tell(const struct earlier_looks *e, const struct capture *c,
			struct second_look *ret)
{
	const size_t n = runtimes_goroutine_count(c->runtimes);

	if (!is_usable(e, c))
		return;
	ret->ns = xcalloc(n + 1, sizeof(*ret->ns));
	ret->goroutines = ret->wanted = e->count;
	for (size_t i = 0; i < n; i++) {
		const struct goroutine_of it = runtimes_goroutine(c->runtimes, i);
		const struct remembered *r = find_remembered(e, &it);
		const uint64_t ns = r ? c->monotonic_ns - r->since_ns : 0;
		if (ns < STAYS_NS)
			continue;
		ret->ns[i] = ns;
		ret->stayed++;
		ret->observed_ns = ns > ret->observed_ns ? ns : ret->observed_ns;
	}
	if (!ret->stayed)
		second_look_done(ret);
}

void earlier_looks_keep(struct earlier_looks *e, const struct capture *c,
			const uint8_t *wanted)
{
	const size_t n = runtimes_goroutine_count(c->runtimes);
	AUTO(xfree) struct remembered *list = xcalloc(REMEMBERED_MAX, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < n && count < REMEMBERED_MAX; i++) {
		const struct goroutine_of it = runtimes_goroutine(c->runtimes, i);
		const struct goroutine *g = it.goroutine;
		const struct remembered *r =
			is_usable(e, c) ? find_remembered(e, &it) : NULL;
		if (r)
			list[count++] = *r;
		else if (wanted[i])
			list[count++] = (struct remembered){
				.addr = g->addr,
				.id = g->id,
				.pc = g->pc,
				.since_ns = c->monotonic_ns,
				.runtime = (uint32_t)it.number,
				.status = g->status,
				.wait_reason = g->wait_reason,
				.run_count = g->run_count,
			};
	}
	qsort(list, count, sizeof(*list), by_addr);
	memcpy(e->list, list, count * sizeof(*list));
	e->count = count;
	e->seen_ns = c->monotonic_ns;
}
