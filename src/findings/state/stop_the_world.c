/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a stop of the world that one P does not follow, so that everything else stands
 * still. Each collection stops the world for an instant, so only a stop that lasts is
 * reported. Since Go 1.23 the runtime notes when a stop began. In earlier releases, its
 * age is how long the P that does not stop has run one goroutine. */
#include <inttypes.h>

#include "src/findings/state/state.h"

struct stop {
	const struct processor_state *stopper, *runs; /* NULL: not found */
	uint64_t age;
};

static struct stop stop_of(const struct finder *f, const struct runtime_state *s)
{
	struct stop ret = { 0 };
	uint64_t longest = 0;

	for (size_t i = 0; i < s->processor_count; i++) {
		const struct processor_state *p = &s->processors[i];
		const uint64_t age = state_unchanged(f, p);
		if (p->status.value == PROCESSOR_STOPPED && p->machine.known)
			ret.stopper = p;
		if (p->status.value != PROCESSOR_RUNNING || (ret.runs && age <= longest))
			continue;
		ret.runs = p;
		longest = age;
	}
	ret.age = ret.stopper && ret.stopper->stopped.known
			  ? state_age(f, ret.stopper->stopped)
			  : longest;
	return ret;
}

static uint64_t all_but_one(const struct finder *f, size_t runtime)
{
	const size_t n = runtimes_goroutine_count(f->about.all);
	uint64_t ret = 0;

	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(f->about.all, i);
		ret += it.number == runtime && !it.goroutine->system &&
		       goroutine_has_stack(it.goroutine);
	}
	return ret ? ret - 1 : 0;
}

static void say_who(const struct finder *f, struct text *text, uint32_t goroutine)
{
	text_add(text, "goroutine %" PRIu64,
		 finder_goroutine(f, goroutine).goroutine->id);
}

static void tell(struct finder *f, size_t runtime, const struct stop *stop)
{
	const uint32_t runs = state_goroutine_on(f, runtime, stop->runs),
		       stopper = stop->stopper
					 ? state_goroutine_on(f, runtime, stop->stopper)
					 : NO_GOROUTINE;
	struct finding *finding = finding_add(
		f, "stop_the_world", SEVERITY_CRITICAL, all_but_one(f, runtime),
		"Go cannot interrupt a loop without calls if GODEBUG=asyncpreemptoff=1 "
		"is "
		"set, a raw system call, a thread that waits for a page of memory or was "
		"stopped by somebody else.");
	struct text *text = &finding->text;

	text_add(text, "The whole program stands still: ");
	if (stopper != NO_GOROUTINE) {
		say_who(f, text, stopper);
		text_add(text, " stops the world");
		say_where(f, text, stopper);
	} else {
		text_add(text, "the world is being stopped");
	}
	text_add(text, ", but ");
	if (runs != NO_GOROUTINE) {
		say_who(f, text, runs);
		text_add(text, " runs on");
		say_where(f, text, runs);
		finding_shows_goroutine(f, finding, runs);
	} else {
		text_add(text, "P %" PRIu64 " does not stop", stop->runs->id.value);
	}
	say_age(text, stop->age);
	text_add(text, ".");
	if (stopper != NO_GOROUTINE)
		finding_shows_goroutine(f, finding, stopper);
}

/* Has the thread of the P that does not stop run since the stop began, but for its first
 * half second? If not, the kernel may have let it wait, on a busy machine. */
static bool has_run_since(const struct finder *f, size_t runtime, const struct stop *stop)
{
	const uint32_t runs = state_goroutine_on(f, runtime, stop->runs);
	const int32_t thread =
		runs == NO_GOROUTINE ? -1 : finder_goroutine(f, runs).goroutine->thread;

	if (thread < 0 || (size_t)thread >= f->about.thread_count)
		return false;
	const struct target_thread *th = &f->about.threads[thread];
	return th->ran_ns && th->ran_ns + stop->age - SECOND_NS / 2 > f->about.now_ns;
}

static bool lasts(const struct finder *f, size_t runtime, const struct stop *stop)
{
	return stop->age >= STATE_LONG_NS ||
	       (stop->age >= SECOND_NS && has_run_since(f, runtime, stop));
}

void finding_stop_the_world(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n && !state_is_suspended(f); i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(f->about.all, i));
		if (!s || !state_is_stopping(s))
			continue;
		const struct stop stop = stop_of(f, s);
		if (stop.runs && lasts(f, i, &stop))
			tell(f, i, &stop);
	}
}
