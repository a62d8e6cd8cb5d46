/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/analysis/second_look.h"

#include <time.h>

#include "src/capture/sandboxed.h"

enum { LOOKED_AT_MAX = 4096 }; /* goroutines */
/* Between two looks. The time varies, so that what happens at intervals is not missed each time. */
#define PAUSE_MIN_NS (UINT64_C(40) * 1000 * 1000)
#define PAUSE_VARIES_NS (UINT64_C(80) * 1000 * 1000)

struct watched {
	uint32_t goroutine;
	bool stays;
	struct goroutine_look first;
};

struct watching {
	const struct capture *c;
	struct watched *list;
	size_t count, left;
	uint64_t begun_ns,
		seen_ns; /* the first look had ended; the last one had not begun */
	/* Of a release that does not count, all goroutines stay as long as no thread of the process
	 * runs. */
	bool all_counted, has_clock;
	clockid_t clock; /* of the processor time of the process */
	uint64_t used_ns, idle_since_ns;
};

bool second_look_can(const struct capture *c)
{
	return !c->options->core.path && c->live && !c->held && c->frozen &&
	       !c->options->stands && !c->options->ended &&
	       !conditions_stand_still(&c->conditions);
}

static bool look_at(const struct watching *w, uint32_t goroutine,
		    struct goroutine_look *ret)
{
	const struct goroutine_of it = runtimes_goroutine(w->c->runtimes, goroutine);

	return runtime_goroutine_look(it.runtime, w->c->live, it.goroutine, ret);
}

static void note_idle(struct watching *w)
{
	struct timespec time = { .tv_sec = 0 };
	const bool known = w->has_clock && clock_gettime(w->clock, &time) == 0;
	const uint64_t used = (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;

	if (known && used == w->used_ns)
		return;
	w->used_ns = used;
	w->idle_since_ns = monotonic_ns();
	w->has_clock = known;
}

static void begin(struct watching *w, const uint8_t *wanted, size_t n)
{
	w->list = xcalloc(n + 1, sizeof(*w->list));
	w->all_counted = true;
	for (size_t i = 0; i < n && w->count < LOOKED_AT_MAX; i++) {
		struct watched *one = &w->list[w->count];
		one->goroutine = (uint32_t)i;
		one->stays = true;
		if (!wanted[i] || !look_at(w, one->goroutine, &one->first))
			continue;
		w->all_counted &= one->first.is_counted;
		w->count++;
	}
	w->left = w->count;
	w->has_clock = !w->all_counted &&
		       clock_getcpuclockid(w->c->options->pid, &w->clock) == 0;
	w->begun_ns = w->seen_ns = monotonic_ns();
	note_idle(w);
}

static void look_again(struct watching *w)
{
	struct goroutine_look look;
	const uint64_t now = monotonic_ns();

	note_idle(w);
	w->left = 0;
	for (size_t i = 0; i < w->count; i++) {
		struct watched *one = &w->list[i];
		one->stays = one->stays && look_at(w, one->goroutine, &look) &&
			     look.count == one->first.count;
		w->left += one->stays;
	}
	w->seen_ns = now;
}

static void rest(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	const uint64_t ns = PAUSE_MIN_NS + (*random >> 32) % PAUSE_VARIES_NS;
	const struct timespec time = { .tv_nsec = (long)ns };

	nanosleep(&time, NULL);
}

/* How long those that are counted have stayed, or those that are not. */
static uint64_t stayed(const struct watching *w, bool is_counted)
{
	if (is_counted)
		return w->seen_ns - w->begun_ns;
	return w->has_clock && w->seen_ns > w->idle_since_ns
		       ? w->seen_ns - w->idle_since_ns
		       : 0;
}

/* After the process was stopped its threads run for an instant: it is given time to be idle. */
static bool is_over(const struct watching *w, uint64_t for_ns)
{
	const uint64_t so_far = stayed(w, true);

	return !w->left ||
	       (so_far >= for_ns && (w->all_counted || stayed(w, false) >= for_ns ||
				     so_far >= for_ns + for_ns / 4));
}

/* A process that somebody has stopped meanwhile has not waited. */
static bool ran_meanwhile(const struct capture *c)
{
	struct conditions now = { .pid = 0 };

	sandboxed_conditions(c->options->pid, &now);
	return now.exists && !conditions_stand_still(&now);
}

static void keep(struct second_look *ret, const struct watching *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct watched *one = &w->list[i];
		const uint64_t ns = stayed(w, one->first.is_counted);
		if (!one->stays || ns < ret->for_ns)
			continue;
		ret->ns[one->goroutine] = ns;
		ret->stayed++;
	}
}

void second_look_take(struct second_look *ret, const struct capture *c,
		      const uint8_t *wanted, uint64_t for_ns)
{
	const size_t n = runtimes_goroutine_count(c->runtimes);
	struct watching w = { .c = c };
	uint64_t random = monotonic_ns();

	*ret = (struct second_look){ .ns = xcalloc(n + 1, sizeof(*ret->ns)),
				     .for_ns = for_ns };
	begin(&w, wanted, n);
	while (!is_over(&w, for_ns)) {
		rest(&random);
		look_again(&w);
	}
	ret->goroutines = w.count;
	ret->observed_ns = stayed(&w, true);
	if (w.left && ran_meanwhile(c))
		keep(ret, &w);
	xfree(w.list);
}

void second_look_done(struct second_look *look)
{
	xfree(look->ns);
	*look = (struct second_look){ .ns = NULL };
}
