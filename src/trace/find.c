/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/find.h"

#include <string.h>
#include <sys/mman.h>

#include "src/capture/sandboxed.h"
#include "src/trace/match.h"
#include "src/viewer/terminal/nearest.h"

/* To find what is in one file. */
#define LIMIT_FILE_NS (UINT64_C(120) * 1000 * 1000 * 1000)

/* What the sandbox tells, in memory shared with it. */
struct found {
	struct trace_functions functions;
	struct err why;
};

struct candidate {
	const char *name; /* borrowed from the tables */
	uint64_t entry, end;
};

struct finding {
	const struct trace_search *search;
	struct found *found;
	struct calls *calls;
	struct candidate *list;
	size_t count, cap, word;
	bool any; /* of the word */
	struct nearest nearest;
	const char *same_end; /* a name that ends as the word does */
};

static bool take_name(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	struct finding *f = arg;
	const char *word = f->search->words[f->word];

	if (!trace_matches(word, name)) {
		const size_t n = strlen(name), len = strlen(word);
		nearest_try(&f->nearest, name);
		if (!f->same_end && n > len && name[n - len - 1] == '.' &&
		    strcmp(name + n - len, word) == 0)
			f->same_end = name;
		return true;
	}
	f->any = true;
	if (f->count > TRACE_POINTS)
		return false;
	GROW(f->list, f->count, f->cap);
	f->list[f->count++] = (struct candidate){ name, entry, end };
	return true;
}

static bool find_word(struct finding *f)
{
	const struct trace_search *s = f->search;
	const char *word = s->words[f->word];

	f->any = false;
	f->nearest = (struct nearest){ .word = word };
	f->same_end = NULL;
	calls_each_function(f->calls, take_name, f);
	const char *best = f->nearest.best ? f->nearest.best : f->same_end;
	if (f->any)
		return true;
	if (best)
		return err_set(&f->found->why, ERR_CANNOT,
			       "%.100s has no function %.100s: is it %.100s?", s->name,
			       word, best);
	return err_set(
		&f->found->why, ERR_CANNOT,
		"%.100s has no function %.100s: it may be unused, or every call of "
		"it inlined",
		s->name, word);
}

/* Assembly and what calls it from Go have one name; so has what two words mean. */
static bool is_covered(const struct finding *f, size_t i, const struct call_point *point)
{
	for (size_t k = 0; k < f->count; k++) {
		if (k == i || (k > i && f->list[k].entry == f->list[i].entry))
			continue;
		if (f->list[k].entry == f->list[i].entry ||
		    (point->wrapper && strcmp(f->list[k].name, f->list[i].name) == 0))
			return true;
	}
	return false;
}

/* False: the function cannot be judged. */
static bool add(struct finding *f, size_t i)
{
	struct trace_functions *ret = &f->found->functions;
	struct trace_function *to = &ret->list[ret->count];

	if (!calls_point(f->calls, f->list[i].entry, f->list[i].end, &to->point) ||
	    is_covered(f, i, &to->point))
		return true;
	calls_plan(f->calls, f->list[i].entry, &to->plan);
	if (f->search->returns) {
		calls_returns(f->calls, f->list[i].entry, f->list[i].end, &to->returns);
		calls_plan_results(f->calls, f->list[i].entry, &to->results);
		ret->elsewhere += to->returns.others;
	}
	snprintf(to->name, sizeof(to->name), "%s", f->list[i].name);
	ret->repeated += to->point.repeated;
	ret->count++;
	return !f->search->when ||
	       when_compile(f->search->when, f->calls, to->point.entry, &to->plan,
			    &to->conditions, &f->found->why);
}

static bool find_all(struct finding *f)
{
	struct err *why = &f->found->why;

	for (f->word = 0; f->word < f->search->count; f->word++)
		if (!find_word(f))
			return false;
	if (f->count > TRACE_POINTS)
		return err_set(why, ERR_LIMIT,
			       "these are more than %d functions: use patterns that "
			       "match fewer",
			       TRACE_POINTS);
	for (size_t i = 0; i < f->count; i++)
		if (!add(f, i))
			return false;
	if (!f->found->functions.count)
		return err_set(why, ERR_CANNOT, "the code of %.200s cannot be read",
			       f->search->name);
	f->found->functions.facts = calls_facts(f->calls);
	return true;
}

enum { FOUND, NOT_FOUND };

static int find(void *arg)
{
	struct finding *f = arg;
	AUTO(warnings_free) struct warnings *warnings = warnings_new();

	f->calls =
		calls_open(f->search->file, f->search->name, 0, warnings, &f->found->why);
	const bool ok = f->calls && find_all(f);
	xfree(f->list);
	calls_close(f->calls);
	return ok ? FOUND : NOT_FOUND;
}

static bool is_in_bounds(const struct call_plan *plan)
{
	if (plan->count > CALL_STEPS)
		return false;
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct call_step *s = &plan->step[i];
		if (s->addr_at > CALL_OFFSETS - WORD || s->to >= CALL_OFFSETS ||
		    s->max > CALL_STEP_MAX)
			return false;
	}
	return true;
}

/* Checked: it may have been taken over. */
static bool take_over(const struct found *found, struct trace_functions *ret,
		      struct err *err)
{
	*ret = found->functions;
	for (size_t i = 0; i < ret->count && ret->count <= TRACE_POINTS; i++) {
		ret->list[i].name[TRACE_NAME - 1] = '\0';
		if (!is_in_bounds(&ret->list[i].plan) ||
		    !is_in_bounds(&ret->list[i].results) ||
		    ret->list[i].returns.count > CALL_RETURNS ||
		    ret->list[i].conditions.count > TRACE_CONDITIONS)
			ret->count = 0;
	}
	if (ret->count && ret->count <= TRACE_POINTS)
		return true;
	return err_set(err, ERR_BAD_DATA, "its functions were not found");
}

static bool run(const struct trace_search *s, struct found *found,
		struct trace_functions *ret, struct err *err)
{
	const struct sandbox sandbox = { .keep = { s->file },
					 .keep_count = 1,
					 .programs = true,
					 .max_ns = LIMIT_FILE_NS };
	struct finding f = { .search = s, .found = found };
	int status;

	if (!sandboxed_run(s->no_sandbox, &sandbox, find, &f, &status, err))
		return false;
	if (status == FOUND)
		return take_over(found, ret, err);
	*err = found->why;
	err->text[sizeof(err->text) - 1] = '\0';
	return false;
}

struct trace_functions *trace_find(const struct trace_search *search, struct err *err)
{
	AUTO(trace_functions_free) struct trace_functions *ret = xcalloc(1, sizeof(*ret));
	struct found *found = xshared(sizeof(*found));
	const bool ok = run(search, found, ret, err);
	munmap(found, sizeof(*found));
	return ok ? TAKE(ret) : NULL;
}

void trace_functions_free(struct trace_functions *functions)
{
	xfree(functions);
}
