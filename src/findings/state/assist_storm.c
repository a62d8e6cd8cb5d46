/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that allocate faster than the collector marks: each has to help, and
 * waits in the assist queue while there is nothing that it could mark. A few always wait
 * there; many for each P are worth knowing. It is a warning only if the collector also
 * takes more time than the program, or the memory limit is too low: a burst is over
 * soon. */
#include <inttypes.h>
#include <string.h>

#include "src/findings/crowd.h"
#include "src/findings/state/collector.h"

enum { MANY = 64 /* goroutines */, FOR_EACH_P = 16 };

struct search {
	struct finder f; /* must be first: crowds_find() passes it on */
	size_t runtime;
};

static bool waits_for_collector(const struct finder *f, uint32_t goroutine)
{
	const struct goroutine_of it = finder_goroutine(f, goroutine);
	const char *reason =
		it.goroutine->status == GOROUTINE_WAITING
			? runtime_wait_reason(it.runtime, it.goroutine->wait_reason)
			: NULL;

	return reason && it.number == ((const struct search *)f)->runtime &&
	       strcmp(reason, "GC assist wait") == 0;
}

static void tell(struct finder *f, const struct runtime_state *s, uint64_t count,
		 const struct crowd *most)
{
	const bool lasts =
		collector_is_overloaded(f, s) || collector_is_at_limit(f, &s->gc);
	struct finding *finding = finding_add(
		f, "assist_storm", lasts ? SEVERITY_WARNING : SEVERITY_INFO, count,
		"See what allocates so much (gosnap profile-export --kind=heap), or "
		"raise "
		"GOGC, so that collections begin with more room.");
	struct text *text = &finding->text;

	text_add_counted(text, count, "goroutine");
	text_add(text,
		 " that allocate wait for the garbage collector, with GOMAXPROCS "
		 "%" PRIu64 ": ",
		 s->scheduler.gomaxprocs.value);
	text_add_count(text, most->count);
	say_where(f, text, most->first);
	say_created(f, text, most->first);
	text_add(text, ".");
	crowd_shows(most, finding);
}

static void look_at(struct finder *f, size_t runtime, const struct runtime_state *s)
{
	const struct search search = { *f, runtime };
	const struct crowd *most = NULL;
	struct crowds crowds;
	uint64_t count = 0;

	crowds_find(&crowds, &search.f, waits_for_collector);
	for (size_t i = 0; i < crowds.count; i++) {
		count += crowds.list[i].count;
		if (!most || crowds.list[i].count > most->count)
			most = &crowds.list[i];
	}
	if (count >= MANY && count / FOR_EACH_P >= s->scheduler.gomaxprocs.value)
		tell(f, s, count, most);
	crowds_done(&crowds);
}

void finding_assist_storm(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n; i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(f->about.all, i));
		if (s && s->gc.phase.value && s->scheduler.gomaxprocs.value)
			look_at(f, i, s);
	}
}
