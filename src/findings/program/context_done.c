/* SPDX-License-Identifier: Apache-2.0 */
/* Goroutines that work on, or wait for something else, long after the deadline of a context that they still
 * have in a variable. Only a deadline says since when, and only if nobody cancelled it before: who is
 * done in time cancels. A variable that is not used any more is none: stack maps say so. */
#include "src/findings/crowd.h"

#include <string.h>

#include "src/findings/program/program.h"

enum {
	SAMPLED = 4, /* goroutines of a group */
	LOOKED_AT_MAX = 4000,
};
#define LATE_NS (UINT64_C(10) * 1000 * 1000 * 1000)

struct search {
	struct finder f; /* first: the crowd is asked by it */
	uint64_t *late;	 /* by goroutine: for how long; 0: not */
	uint64_t found;	 /* of the one that is looked at */
	bool ends;
};

static uint64_t passed_since(const struct finder *f, const struct time_value *t)
{
	const bool monotonic = t->monotonic_ns && f->about.now_ns;
	const uint64_t now = monotonic ? f->about.now_ns : f->about.now_realtime_ns;
	const uint64_t then = monotonic ? t->monotonic_ns
			      : t->seconds > 0
				      ? (uint64_t)t->seconds * 1000 * 1000 * 1000 + t->ns
				      : UINT64_MAX;

	return now > then ? now - then : 0;
}

static bool note_context(void *arg, const struct context *c)
{
	struct search *s = arg;
	uint64_t ns;

	/* What is around these may be over without them. */
	if (c->kind == CONTEXT_WITHOUT_CANCEL || c->kind == CONTEXT_OTHER)
		return false;
	if (c->kind != CONTEXT_DEADLINE || !c->has_deadline || !c->error.type ||
	    !strstr(type_name(c->error.type), "deadlineExceededError"))
		return true;
	ns = passed_since(&s->f, &c->deadline);
	s->found = ns > s->found ? ns : s->found;
	return false;
}

static void note_variable(void *arg, struct runtime *rt, const struct variable *v)
{
	if (v->name && !v->unreadable && !v->dead && !v->may_be_unset && !v->shadowed &&
	    !v->captured && runtime_is_context(v->value.type))
		runtime_each_context(rt, &v->value, note_context, arg);
}

static void note_frame(void *arg, const struct code_frame *frame)
{
	static const char *const ends[] = { "runtime.deferreturn", "runtime.gopanic",
					    "runtime.Goexit", "runtime.rundefer" };
	struct search *s = arg;

	for (size_t i = 0; frame->function && i < ARRAY_SIZE(ends); i++)
		s->ends |= strncmp(frame->function, ends[i], strlen(ends[i])) == 0;
	if (!frame->variables)
		return;
	frame_each_variable(frame->variables, true, note_variable, s);
	frame_each_variable(frame->variables, false, note_variable, s);
}

static bool look_at(struct search *s, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(&s->f, goroutine);

	s->found = 0;
	s->ends = false;
	runtime_budget_unit(it.runtime);
	runtimes_each_frame_of(s->f.about.all, it.goroutine, VARIABLES_OF_ALL, note_frame,
			       s);
	if (s->ends || s->found < LATE_NS)
		return false;
	s->late[goroutine] = s->found;
	return true;
}

/* Of goroutines with the same stack, mostly all or none have a context. */
static void look_at_group(struct search *s, const struct group *group, size_t *looked_at)
{
	const uint32_t *members = s->f.about.groups->members + group->first;
	bool any = false;

	if (finder_goroutine(&s->f, members[0]).goroutine->system)
		return;
	for (uint32_t m = 0; m < group->count && *looked_at < LOOKED_AT_MAX; m++) {
		if (m == SAMPLED && !any)
			return;
		any |= look_at(s, members[m]);
		++*looked_at;
	}
}

static bool is_late(const struct finder *f, uint32_t goroutine)
{
	return ((const struct search *)f)->late[goroutine] != 0;
}

static void tell(struct search *s, struct finder *f, const struct crowd *crowd)
{
	struct finding *finding = finding_add(
		f, "context_done", SEVERITY_WARNING, crowd->count,
		"Give the context to what it calls, or wait for its Done() as well.");
	const bool one = crowd->count == 1;

	text_add_counted(&finding->text, crowd->count, "goroutine");
	text_add(&finding->text,
		 one ? " goes on though the deadline of its context passed "
		     : " go on though the deadline of their context passed ");
	text_add_duration(&finding->text, (int64_t)s->late[crowd->first]);
	text_add(&finding->text, one ? " ago. It " : " ago. One of them ");
	say_state(f, &finding->text, crowd->first);
	text_add(&finding->text, ".");
	crowd_shows(crowd, finding);
}

void finding_context_done(struct finder *f)
{
	const struct groups *groups = f->about.groups;
	AUTO(xfree)
	uint64_t *late =
		xcalloc(runtimes_goroutine_count(f->about.all) + 1, sizeof(*late));
	struct search s = { .f = *f, .late = late };
	struct crowds crowds;
	size_t looked_at = 0;

	if (!f->about.has_memory)
		return;
	for (size_t g = groups->count; g-- > 0;)
		look_at_group(&s, &groups->list[g], &looked_at);
	crowds_find(&crowds, &s.f, is_late);
	for (size_t i = 0; i < crowds.count; i++)
		tell(&s, f, &crowds.list[i]);
	crowds_done(&crowds);
}
