/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/search.h"

#include <stdio.h>
#include <sys/mman.h>

#include "src/capture/sandboxed.h"
#include "src/viewer/terminal/nearest.h"

/* To find what is in one file. */
#define LIMIT_FILE_NS (UINT64_C(20) * 1000 * 1000 * 1000)

/* What the sandbox tells, in memory shared with it. */
struct told {
	struct found found;
	struct err why;	    /* not found */
	struct err missing; /* ERR_NONE: no function is */
};

struct work {
	int file;
	const char *name;
	const struct probe_wanted *calls;
	struct told *told;
	bool goroutines; /* are wanted, too */
};

enum { FOUND, NOT_FOUND };

bool points_have_function(const struct probe_points *points, size_t i)
{
	for (size_t k = 0; k < points->count; k++)
		if (points->list[k].kind == PROBE_FUNCTION &&
		    points->list[k].function == i)
			return true;
	return false;
}

/* Kept, since names do not last. */
struct guess {
	struct nearest nearest;
	char name[256];
};

static bool guess(void *arg, const char *name)
{
	struct guess *g = arg;
	const char *before = g->nearest.best;

	nearest_try(&g->nearest, name);
	if (g->nearest.best != before) {
		snprintf(g->name, sizeof(g->name), "%s", name);
		g->nearest.best = g->name;
	}
	return true;
}

static void say_missing(const struct work *w, const char *function)
{
	struct guess g = { .nearest.word = function };

	probe_points_each_name(w->file, guess, &g);
	if (*g.name)
		err_set(&w->told->missing, ERR_NOT_FOUND,
			"%.200s has no function %.100s: did you mean %.100s?", w->name,
			function, g.name);
	else
		err_set(&w->told->missing, ERR_NOT_FOUND,
			"%.200s has no function %.100s: names are as in stacks, and "
			"what is inlined everywhere is no function any more",
			w->name, function);
}

static int find(void *arg)
{
	const struct work *w = arg;
	struct found *found = &w->told->found;
	struct err ignored; /* there is no snapshot of those that are killed then */
	size_t i = 0;

	if (!probe_points_find(w->file, w->name, w->calls, &found->points, &w->told->why))
		return NOT_FOUND;
	found->has_goroutines =
		w->goroutines &&
		goroutine_list_find(w->file, w->name, &found->goroutines, &ignored);
	while (i < w->calls->function_count && points_have_function(&found->points, i))
		i++;
	if (i < w->calls->function_count)
		say_missing(w, w->calls->functions[i]);
	return FOUND;
}

static void take_err(const struct err *err, struct err *ret)
{
	*ret = *err;
	ret->text[sizeof(ret->text) - 1] = '\0';
}

static bool are_wanted(const struct probe_points *points,
		       const struct probe_wanted *calls)
{
	for (size_t i = 0; i < points->count; i++)
		if (points->list[i].kind == PROBE_FUNCTION &&
		    points->list[i].function >= calls->function_count)
			return false;
	return true;
}

/* Checked: it may have been taken over. */
static bool take_over(const struct search *how, const struct told *told,
		      struct found *ret, struct err *err)
{
	*ret = told->found;
	if (ret->points.count > PROBE_POINTS || !are_wanted(&ret->points, &how->calls) ||
	    ret->goroutines.segment_count > GOROUTINE_LIST_SEGMENTS)
		return err_set(err, ERR_BAD_DATA, "its functions were not found");
	take_err(&told->missing, err);
	return true;
}

bool search(const struct search *how, int file, const char *name, struct found *ret,
	    struct err *err)
{
	const struct sandbox sandbox = { .keep = { file },
					 .keep_count = 1,
					 .max_ns = LIMIT_FILE_NS };
	struct work w = { file, name, &how->calls, NULL, how->goroutines };
	int status;

	w.told = xshared(sizeof(*w.told));
	bool ok = sandboxed_run(how->no_sandbox, &sandbox, find, &w, &status, err);
	if (ok && status == FOUND) {
		ok = take_over(how, w.told, ret, err);
	} else if (ok) {
		take_err(&w.told->why, err);
		ok = false;
	}
	munmap(w.told, sizeof(*w.told));
	return ok;
}
