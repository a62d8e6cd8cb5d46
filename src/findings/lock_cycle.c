/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that wait in a ring, each for a lock that the next one has: none of
 * them goes on. The finding is critical only if all holders are certain. */
#include <inttypes.h>

#include "src/findings/finding.h"

enum { TOLD = 4 /* goroutines of a cycle that are described */ };

struct cycle {
	uint32_t first;
	size_t count;
	uint64_t behind;
	bool certain;
};

static struct cycle measure(const struct chains *c, uint32_t first)
{
	struct cycle ret = { .first = first, .certain = true };
	uint32_t at = first;

	do {
		const struct partner *next = chain_next(c->waits, at);
		ret.count++;
		ret.behind += c->behind[at];
		ret.certain &= next->certainty == CERTAINTY_CERTAIN;
		at = next->goroutine;
	} while (at != first);
	return ret;
}

static uint64_t id_of(const struct finder *f, uint32_t goroutine)
{
	return finder_goroutine(f, goroutine).goroutine->id;
}

/* Adds "; goroutine 1 waits for mutex 0xc0 ..., which goroutine 2 locked ...". */
static void say_link(const struct finder *f, struct text *text, uint32_t at,
		     const struct partner *holder)
{
	text_add(text, "; goroutine %" PRIu64 " waits for ", id_of(f, at));
	say_object(text, wait_graph_of(f->about.waits, at));
	say_where(f, text, at);
	text_add(text, ", which goroutine %" PRIu64 " locked",
		 id_of(f, holder->goroutine));
	if (holder->passed)
		say_place(f, text, holder->goroutine, holder->passed_pc);
}

/* A goroutine that waits for a lock of its own may have handed the unlocking over to
 * another one. So it is a warning only once it has waited long. */
static enum severity severity_of(const struct finder *f, const struct cycle *cycle)
{
	if (cycle->certain)
		return SEVERITY_CRITICAL;
	return cycle->count > 1 || finder_waits_long(f, cycle->first) ? SEVERITY_WARNING
								      : SEVERITY_INFO;
}

static void tell(struct finder *f, const struct chains *c, const struct cycle *cycle)
{
	uint32_t at = cycle->first;
	struct finding *finding = finding_add(
		f, "lock_cycle", severity_of(f, cycle), cycle->count + cycle->behind,
		"Take these locks in the same order everywhere, or not one while another "
		"is held. Only a restart helps now.");
	struct text *text = &finding->text;

	text_add_counted(text, cycle->count, "goroutine");
	text_add(text, cycle->count == 1 ? " waits for itself" : " wait for each other");
	text_add(text, cycle->certain ? ": a deadlock" : ", it seems");
	for (size_t i = 0; i < cycle->count; i++) {
		const struct partner *holder = chain_next(c->waits, at);
		if (i < TOLD)
			say_link(f, text, at, holder);
		finding_shows_goroutine(f, finding, at);
		finding_shows_address(finding, wait_graph_of(f->about.waits, at)->addr);
		at = holder->goroutine;
	}
	if (cycle->behind) {
		text_add(text, "; ");
		text_add_counted(text, cycle->behind, "other");
		text_add(text,
			 cycle->behind == 1 ? " waits behind them" : " wait behind them");
	}
	text_add(text, ".");
}

void finding_lock_cycle(struct finder *f)
{
	const struct chains *c = &f->chains;
	AUTO(xfree) uint8_t *told = xcalloc(c->count + 1, 1);

	for (size_t i = 0; i < c->count; i++) {
		if (!c->in_cycle[i] || told[i])
			continue;
		struct cycle cycle = measure(c, (uint32_t)i);
		tell(f, c, &cycle);
		for (uint32_t at = (uint32_t)i; !told[at];) {
			told[at] = 1;
			at = chain_next(c->waits, at)->goroutine;
		}
	}
}
