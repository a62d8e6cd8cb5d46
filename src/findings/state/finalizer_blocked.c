/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a goroutine that runs finalizers or cleanups and waits in one. One goroutine runs
 * all finalizers, and up to Go 1.24 all cleanups; since then, a few goroutines run the
 * cleanups. While it waits, no other object that has one is freed. */
#include <inttypes.h>
#include <string.h>

#include "src/findings/state/state.h"

enum kind { NONE, FINALIZERS, CLEANUPS };

/* Returns the kind of a goroutine. While it runs none of the program's code, it counts as
 * the runtime's, and has no kind. */
static enum kind kind_of(const struct goroutine_of *it)
{
	struct code_frame code;

	if (it->goroutine->system ||
	    !runtime_code_at(it->runtime, it->goroutine->start_pc, &code) ||
	    !code.function)
		return NONE;
	if (strcmp(code.function, "runtime.runfinq") == 0 ||
	    strcmp(code.function, "runtime.runFinalizers") == 0)
		return FINALIZERS;
	return strcmp(code.function, "runtime.runCleanups") == 0 ? CLEANUPS : NONE;
}

static void tell(struct finder *f, uint32_t i, enum kind kind, uint64_t queued,
		 uint64_t age)
{
	const char *what = kind == FINALIZERS ? "finalizers" : "cleanups";
	struct finding *finding = finding_add(
		f, "finalizer_blocked", SEVERITY_WARNING, 0,
		"A finalizer or a cleanup must not wait: it should start a goroutine for "
		"what may take long.");
	struct text *text = &finding->text;

	text_add(text, "Goroutine %" PRIu64 ", which runs %s, ",
		 finder_goroutine(f, i).goroutine->id, what);
	say_state(f, text, i);
	if (finder_age(f, i) < age)
		say_age(text, age);
	text_add(text, "; %" PRIu64 " %s have not been run, and their objects stay.",
		 queued, what);
	finding_shows_goroutine(f, finding, i);
}

void finding_finalizer_blocked(struct finder *f)
{
	const size_t n = runtimes_goroutine_count(f->about.all);

	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(f->about.all, i);
		const enum kind kind = kind_of(&it);
		const struct runtime_state *s = runtime_state(it.runtime);
		if (kind == NONE || !s)
			continue;
		const struct state_number queued =
			kind == FINALIZERS ? s->gc.finalizers : s->gc.cleanups;
		const uint64_t waits = finder_age(f, (uint32_t)i),
			       asleep = it.goroutine->status == GOROUTINE_SYSCALL
						? state_asleep(f, it.goroutine->thread)
						: 0;
		const uint64_t age = waits > asleep ? waits : asleep;
		/* The number includes the one that it runs. */
		if (queued.known && queued.value > 1 &&
		    (age >= STATE_LONG_NS || finder_waits_long(f, (uint32_t)i)))
			tell(f, (uint32_t)i, kind, queued.value, age);
	}
}
