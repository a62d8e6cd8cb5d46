/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that run, or wait for something else, long after a context that they
 * work for was done. In a healthy process no deadline has passed long ago; all other
 * cases are information. */
#include "src/findings/crowd.h"
#include "src/findings/program/held_context.h"

enum {
	SAMPLED = 4,	/* goroutines of a group */
	HANDLERS = 100, /* of a group that handles requests: each has its own client */
	LOOKED_AT_MAX = 4000,
};

struct search {
	struct finder f; /* must be first: crowds_find() passes it on */
	struct own_code own;
	struct held_context *held; /* by goroutine */
	enum held_form form;	   /* that is looked for */
	size_t looked_at;
};

/* The texts of a finding about one goroutine, and about several. */
static const struct form {
	enum held_form form;
	enum severity severity;
	const char *one, *many;
	bool names_holder;
	const char *since; /* followed by a duration; NULL: say_state() says it */
	const char *end;
	const char *advice;
} forms[] = {
	{ HELD_DEADLINE, SEVERITY_WARNING, " goes on though the deadline of its context",
	  " go on though the deadline of their context", false, " passed ", " ago",
	  "Pass the context to the calls that it makes, or also wait for its Done()." },
	{ HELD_CLIENT_GONE, SEVERITY_INFO,
	  " handles an HTTP request whose client has gone",
	  " handle HTTP requests whose clients have gone", false, NULL, "",
	  "Pass the context of the request to the calls that the handler makes, or also "
	  "wait for its Done()." },
	{ HELD_CANCELLED, SEVERITY_INFO, " goes on though its context",
	  " go on though their context", false, " was cancelled at least ", " ago",
	  "Pass the context to the calls that it makes, or also wait for its Done()." },
	{ HELD_DEADLINE_IN_STRUCT, SEVERITY_INFO,
	  " goes on though the deadline of the context in its ",
	  " go on though the deadline of the context in their ", true, " passed ", " ago",
	  "If it works for that context, give it to what it calls, or wait for its "
	  "Done() as "
	  "well." },
	{ HELD_CANCELLED_IN_STRUCT, SEVERITY_INFO, " goes on though the context in its ",
	  " go on though the context in their ", true, " was cancelled at least ", " ago",
	  "If it works for that context, give it to what it calls, or wait for its "
	  "Done() as "
	  "well." },
};

static const struct held_context *look_at(struct search *s, uint32_t goroutine)
{
	struct held_context *ret = &s->held[goroutine];

	held_context_of(&s->f, &s->own, goroutine, ret);
	s->looked_at++;
	return ret;
}

/* Looks at a sample of a group, and at all if any of it has a context: of goroutines with
 * the same stack, mostly all or none have one. */
static void look_at_group(struct search *s, const struct group *group)
{
	const uint32_t *members = s->f.about.groups->members + group->first;
	uint32_t sampled = SAMPLED;
	bool any = false;

	if (finder_goroutine(&s->f, members[0]).goroutine->system)
		return;
	for (uint32_t m = 0; m < group->count; m++) {
		if (m == sampled && !any)
			return;
		if (s->looked_at == LOOKED_AT_MAX) {
			s->f.findings->is_partial = true;
			return;
		}
		const struct held_context *held = look_at(s, members[m]);
		any |= held->form != HELD_NONE;
		if (held->handles)
			sampled = HANDLERS;
	}
}

static bool is_of_form(const struct finder *f, uint32_t goroutine)
{
	const struct search *s = (const struct search *)f;
	const struct held_context *held = &s->held[goroutine];

	return held->form == s->form && held->ns;
}

/* Returns how long the process was looked at; 0: the finding does not depend on it. */
static uint64_t observed(const struct search *s, const struct crowd *crowd)
{
	const struct held_context *held = &s->held[crowd->first];

	if (held->form == HELD_DEADLINE || held->form == HELD_DEADLINE_IN_STRUCT)
		return 0;
	return held->form == HELD_CLIENT_GONE ? finder_observed(&s->f, crowd->first)
					      : held->ns;
}

static void tell(struct search *s, struct finder *f, const struct form *form,
		 const struct crowd *crowd)
{
	const bool one = crowd->count == 1;
	const struct held_context *held = &s->held[crowd->first];
	struct finding *finding = finding_add(f, "context_done", form->severity,
					      crowd->count, form->advice);
	struct text *text = &finding->text;

	text_add_counted(text, crowd->count, "goroutine");
	text_add(text, "%s%s", one ? form->one : form->many,
		 form->names_holder ? held->holder : "");
	if (form->since) {
		text_add(text, "%s", form->since);
		text_add_duration(text, (int64_t)held->ns);
	}
	text_add(text, "%s%s", form->end, one ? ". It " : ". One of them ");
	say_state(f, text, crowd->first);
	text_add(text, ".");
	crowd_shows(crowd, finding);
	finding->observed_ns = observed(s, crowd);
}

static void tell_form(struct search *s, struct finder *f, const struct form *form)
{
	struct crowds crowds;

	s->form = form->form;
	crowds_find(&crowds, &s->f, is_of_form);
	for (size_t i = 0; i < crowds.count; i++)
		tell(s, f, form, &crowds.list[i]);
	crowds_done(&crowds);
}

void finding_context_done(struct finder *f)
{
	const struct groups *groups = f->about.groups;

	if (!f->about.has_memory)
		return;
	AUTO(xfree)
	struct held_context *held =
		xcalloc(runtimes_goroutine_count(f->about.all) + 1, sizeof(*held));
	AUTO(xfree) struct search *s = xcalloc(1, sizeof(*s));
	s->f = *f;
	s->held = held;
	own_code_find(&s->own, &f->about);
	for (size_t g = groups->count; g-- > 0;)
		look_at_group(s, &groups->list[g]);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		tell_form(s, f, &forms[i]);
}
