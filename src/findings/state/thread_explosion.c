/* SPDX-License-Identifier: Apache-2.0 */
/* Finds too many threads in system calls and in C. Each goroutine that blocks there takes
 * a thread, beside those that GOMAXPROCS counts. Go makes as many threads as are needed,
 * never gives them back, and ends the program when there are too many
 * (debug.SetMaxThreads). Threads that wait for work are used again, so they do not
 * count. */
#include <inttypes.h>

#include "src/findings/crowd.h"
#include "src/findings/state/state.h"

enum {
	MANY = 1000,  /* threads */
	TIMES = 20,   /* GOMAXPROCS */
	PERCENT = 90, /* of the threads allowed */
};

static bool is_in_call(const struct finder *f, uint32_t i)
{
	const struct goroutine *g = finder_goroutine(f, i).goroutine;

	return g->status == GOROUTINE_SYSCALL && g->thread >= 0;
}

static uint64_t in_calls(const struct finder *f, size_t runtime)
{
	const size_t n = runtimes_goroutine_count(f->about.all);
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += runtimes_goroutine(f->about.all, i).number == runtime &&
			 is_in_call(f, (uint32_t)i);
	return count;
}

static const struct crowd *largest(const struct crowds *crowds)
{
	const struct crowd *ret = NULL;

	for (size_t i = 0; i < crowds->count; i++)
		if (!ret || crowds->list[i].count > ret->count)
			ret = &crowds->list[i];
	return ret;
}

static void tell(struct finder *f, const struct scheduler_state *s, uint64_t count,
		 bool is_at_end)
{
	struct crowds crowds;
	struct finding *finding =
		finding_add(f, "thread_explosion",
			    is_at_end ? SEVERITY_CRITICAL : SEVERITY_WARNING, count,
			    "Let only so many goroutines at a time make calls that "
			    "block, and see why "
			    "these do not return.");
	struct text *text = &finding->text;

	crowds_find(&crowds, f, is_in_call);
	text_add_counted(text, count, "thread");
	text_add(text, " %s in system calls or in C", count == 1 ? "is" : "are");
	const struct crowd *crowd = largest(&crowds);
	if (crowd) {
		text_add(text, ", %" PRIu64 " of them", crowd->count);
		say_where(f, text, crowd->first);
		say_created(f, text, crowd->first);
		crowd_shows(crowd, finding);
	}
	if (is_at_end)
		text_add(text, "; with more than %" PRIu64 " Go ends the program",
			 s->most_machines.value);
	else
		text_add(text, "; GOMAXPROCS is %" PRIu64, s->gomaxprocs.value);
	text_add(text, ".");
	crowds_done(&crowds);
}

void finding_thread_explosion(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n; i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(f->about.all, i));
		const uint64_t count = s ? in_calls(f, i) : 0;
		if (!count || !s->scheduler.gomaxprocs.known)
			continue;
		const struct state_number most = s->scheduler.most_machines;
		const bool is_at_end =
			most.known && count >= most.value / 100 * PERCENT +
						       most.value % 100 * PERCENT / 100;
		if (is_at_end ||
		    (count >= MANY && count >= TIMES * s->scheduler.gomaxprocs.value))
			tell(f, &s->scheduler, count, is_at_end);
	}
}
