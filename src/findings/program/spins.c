/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that spin. A loop that never waits and has no way out never ends: it
 * is empty, or receives from a closed channel. Nor does a loop that receives from a
 * closed channel and has a way out only for values other than zero. A loop that polls
 * memory, or tries to send or to receive, until another goroutine lets it go on may end
 * at once. One snapshot cannot tell, so that is information. */
#include <inttypes.h>

#include "src/findings/crowd.h"
#include "src/findings/program/program.h"

enum {
	SAMPLED = 4, /* goroutines of a group */
	LOOKED_AT_MAX = 1000,
};

struct search {
	struct finder f;	/* must be first: crowds_find() passes it on */
	struct operations **of; /* by runtime */
	struct spin *spins;	/* by goroutine */
	enum spin_kind kind;	/* that is reported at the moment */
	size_t looked_at;
};

static const struct {
	enum spin_kind kind;
	enum severity severity;
	const char *one, *many, *why, *advice;
} told_as[] = {
	{ SPIN_CLOSED, SEVERITY_WARNING, "spins", "spin",
	  " is closed and empty, so that receiving from it never waits, and the loop has "
	  "no way out",
	  "Leave the loop once the channel is closed (v, ok := <-c), or set the variable "
	  "to nil in a select." },
	{ SPIN_ZERO, SEVERITY_WARNING, "spins", "spin",
	  " is closed and empty, so that receiving from it never waits, and for the zero "
	  "that it gives the loop only receives again",
	  "Leave the loop once the channel is closed (v, ok := <-c), or set the variable "
	  "to nil in a select." },
	{ SPIN_EMPTY, SEVERITY_WARNING, "spins", "spin",
	  "the loop does nothing, and has no way out",
	  "To wait for ever, use an empty select, which takes no processor." },
	{ SPIN_TRIES, SEVERITY_INFO, "runs", "run",
	  "a loop that tries to send or to receive, and does not wait: a select with a "
	  "default",
	  "If a second snapshot shows the same: without the default it would wait, and "
	  "take no processor." },
	{ SPIN_LOOKS, SEVERITY_INFO, "runs", "run",
	  "a loop that waits for somebody to change what it looks at, without giving its "
	  "processor away",
	  "If a second snapshot shows the same: wait for a channel or a condition "
	  "variable instead." },
};

static bool may_spin(const struct goroutine *g)
{
	return !g->system &&
	       (g->status == GOROUTINE_RUNNING || g->status == GOROUTINE_RUNNABLE);
}

static void look_at(struct search *s, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(&s->f, goroutine);

	if (!s->of[it.number])
		s->of[it.number] = operations_new(it.runtime);
	s->spins[goroutine] = operations_spin(s->of[it.number], it.goroutine);
}

/* Looks at a sample of a group, and at all if any of it spins: goroutines with the same
 * stack are in the same loop, mostly with the same channels. */
static void look_at_group(struct search *s, const struct group *group)
{
	const uint32_t *members = s->f.about.groups->members + group->first;
	bool any = false;

	for (uint32_t m = 0, sampled = 0; m < group->count; m++) {
		if (sampled == SAMPLED && !any)
			return;
		if (!may_spin(finder_goroutine(&s->f, members[m]).goroutine))
			continue;
		if (s->looked_at == LOOKED_AT_MAX) {
			s->f.findings->is_partial = true;
			return;
		}
		look_at(s, members[m]);
		any |= s->spins[members[m]].kind != SPIN_NONE;
		sampled++;
		s->looked_at++;
	}
}

static bool spins(const struct finder *f, uint32_t goroutine)
{
	const struct search *s = (const struct search *)f;

	return s->spins[goroutine].kind == s->kind;
}

static void tell(struct search *s, struct finder *f, size_t as, const struct crowd *crowd)
{
	const uint64_t channel = s->spins[crowd->first].channel;
	struct finding *finding = finding_add(f, "spins", told_as[as].severity,
					      crowd->count, told_as[as].advice);
	struct text *text = &finding->text;

	text_add_counted(text, crowd->count, "goroutine");
	text_add(text, " %s", crowd->count == 1 ? told_as[as].one : told_as[as].many);
	say_where(f, text, crowd->first);
	say_created(f, text, crowd->first);
	text_add(text, ": ");
	if (channel) {
		text_add(text, "channel 0x%" PRIx64, channel);
		finding_shows_address(finding, channel);
	}
	text_add(text, "%s.", told_as[as].why);
	crowd_shows(crowd, finding);
}

void finding_spins(struct finder *f)
{
	const struct groups *groups = f->about.groups;
	const size_t n = runtimes_count(f->about.all);
	AUTO(xfree)
	struct operations **of = xcalloc(n + 1, sizeof(*of));
	AUTO(xfree)
	struct spin *found =
		xcalloc(runtimes_goroutine_count(f->about.all) + 1, sizeof(*found));
	struct search s = { .f = *f, .of = of, .spins = found };

	for (size_t g = 0; g < groups->count; g++)
		look_at_group(&s, &groups->list[g]);
	for (size_t as = 0; as < ARRAY_SIZE(told_as); as++) {
		struct crowds crowds;
		s.kind = told_as[as].kind;
		crowds_find(&crowds, &s.f, spins);
		for (size_t i = 0; i < crowds.count; i++)
			tell(&s, f, as, &crowds.list[i]);
		crowds_done(&crowds);
	}
	for (size_t i = 0; i < n; i++)
		operations_free(of[i]);
}
