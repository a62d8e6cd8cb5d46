/* SPDX-License-Identifier: Apache-2.0 */
/* If the runtime counts how often a goroutine runs, its count is compared with the
 * captured one: it has stayed since the capture. If the runtime does not count that, a
 * goroutine is known to stay only while no thread of the process runs, that is, while the
 * process uses no processor time. Threads run for an instant after the process was
 * stopped, so this time begins later. */
#include "src/findings/analysis/second_look.h"

#include <time.h>

#include "src/capture/sandboxed.h"

enum { LOOKED_AT_MAX = 20000 /* goroutines */ };
/* The pause between two looks. It varies, so that a goroutine that runs at intervals is
 * not missed each time. */
#define PAUSE_MIN_NS (UINT64_C(40) * 1000 * 1000)
#define PAUSE_VARIES_NS (UINT64_C(80) * 1000 * 1000)

struct watched {
	uint32_t goroutine;
	enum goroutine_stay stay;
};

struct watching {
	const struct capture *c;
	struct watched *list;
	size_t count, left;
	uint64_t begun_ns;
	uint64_t seen_ns; /* when the last look began */
	bool all_counted, runs;
	bool has_clock;
	clockid_t clock; /* of the processor time of the process */
	uint64_t used_ns, idle_since_ns;
};

bool second_look_can(const struct capture *c)
{
	return !c->options->core.path && c->live && !c->held && c->frozen &&
	       !c->options->stands && !c->options->ended &&
	       !conditions_stand_still(&c->conditions);
}

static enum goroutine_stay look_at(const struct watching *w, uint32_t goroutine)
{
	const struct goroutine_of it = runtimes_goroutine(w->c->runtimes, goroutine);

	return runtime_goroutine_stay(it.runtime, w->c->live, it.goroutine);
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

/* In a process that was stopped, goroutines could not run: that they stayed proves
 * nothing. A process that has ended may still be a zombie. */
static bool process_runs(const struct capture *c)
{
	struct conditions now = { .pid = 0 };

	sandboxed_conditions(c->options->pid, &now);
	return now.exists && !target_live_gone(c->live) && !conditions_stand_still(&now);
}

static void begin(struct watching *w, struct second_look *look, const uint8_t *wanted,
		  size_t n)
{
	w->list = xcalloc(n + 1, sizeof(*w->list));
	w->runs = w->all_counted = true;
	for (size_t i = 0; i < n; i++) {
		look->wanted += wanted[i];
		if (!wanted[i] || look->goroutines == LOOKED_AT_MAX)
			continue;
		look->goroutines++;
		struct watched *one = &w->list[w->count];
		*one = (struct watched){ (uint32_t)i, look_at(w, (uint32_t)i) };
		w->count += one->stay != GOROUTINE_RAN;
		w->all_counted &= one->stay != GOROUTINE_IS_THERE;
	}
	w->left = w->count;
	w->has_clock = !w->all_counted &&
		       clock_getcpuclockid(w->c->options->pid, &w->clock) == 0;
	w->begun_ns = w->seen_ns = monotonic_ns();
	note_idle(w);
}

static void look_again(struct watching *w)
{
	const uint64_t now = monotonic_ns();

	note_idle(w);
	w->runs = process_runs(w->c);
	w->left = 0;
	for (size_t i = 0; i < w->count && w->runs; i++) {
		struct watched *one = &w->list[i];
		if (one->stay != GOROUTINE_RAN)
			one->stay = look_at(w, one->goroutine);
		w->left += one->stay != GOROUTINE_RAN;
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

/* Returns how long goroutines have stayed: since the capture if their runs are counted,
 * else as long as the process was idle. */
static uint64_t stayed(const struct watching *w, enum goroutine_stay how)
{
	if (how == GOROUTINE_STAYED)
		return w->seen_ns - w->c->monotonic_ns;
	return w->has_clock && w->seen_ns > w->idle_since_ns
		       ? w->seen_ns - w->idle_since_ns
		       : 0;
}

/* If not all goroutines are counted, the process gets a quarter of the time more to be
 * idle. */
static bool is_over(const struct watching *w, uint64_t for_ns)
{
	const uint64_t so_far = w->seen_ns - w->begun_ns;

	return !w->left || !w->runs ||
	       (so_far >= for_ns &&
		(w->all_counted || stayed(w, GOROUTINE_IS_THERE) >= for_ns ||
		 so_far >= for_ns + for_ns / 4));
}

static void keep(struct second_look *look, const struct watching *w, uint64_t for_ns)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct watched *one = &w->list[i];
		const uint64_t ns = stayed(w, one->stay);
		look->untold += one->stay != GOROUTINE_RAN && ns < for_ns;
		if (one->stay == GOROUTINE_RAN || ns < for_ns)
			continue;
		look->ns[one->goroutine] = ns;
		look->stayed++;
	}
}

void second_look_take(struct second_look *look, const struct capture *c,
		      const uint8_t *wanted, uint64_t for_ns)
{
	const size_t n = runtimes_goroutine_count(c->runtimes);
	struct watching w = { .c = c };
	uint64_t random = monotonic_ns();

	if (!look->ns)
		look->ns = xcalloc(n + 1, sizeof(*look->ns));
	begin(&w, look, wanted, n);
	while (!is_over(&w, for_ns)) {
		rest(&random);
		look_again(&w);
	}
	look->observed_ns = w.seen_ns - c->monotonic_ns;
	/* Only a process that still runs is known to have run until the last look. */
	if (w.runs && process_runs(c))
		keep(look, &w, for_ns);
	else
		look->was_cut = true;
	xfree(w.list);
}

void second_look_done(struct second_look *look)
{
	xfree(look->ns);
	*look = (struct second_look){ .ns = NULL };
}
