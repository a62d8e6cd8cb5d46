/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/tui/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/lookup/objects.h"
#include "src/viewer/panes/browse.h"

#define STEP_NS (UINT64_C(10) * 1000 * 1000)

struct job {
	bool (*passes)(struct job *job, struct browse *b, uint32_t row);
	char word[24];	       /* of a pointer: as documents write it */
	int64_t except;	       /* goroutine that is none of them; -1: none */
	const char *why;       /* before what is found is told */
	struct filter *filter; /* NULL: none */
	uint32_t next;
	struct narrowing found;
	size_t cap;
};

static struct job *job_new(char *words)
{
	struct job *job = xcalloc(1, sizeof(*job));

	job->why = "";
	job->found = (struct narrowing){ .kind = NARROW_ROWS, .words = words };
	return job;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	filter_free(job->filter);
	narrowing_done(&job->found);
	xfree(job);
}

/* Most have no such word, and are not parsed. */
static bool may_have(const struct job *job, struct browse *b, struct model_place place)
{
	AUTO(xfree) char *text = model_written(b->model, place);

	return text && strstr(text, job->word);
}

static bool has_pointer(struct job *job, struct browse *b, uint32_t row)
{
	size_t count;
	const struct model_goroutine *g = &model_goroutines(b->model, &count)[row];

	if (!g->has_values || g->id == job->except || !may_have(job, b, g->place))
		return false;
	const struct reader_node *frames =
		model_open_member(b->model, g->place, "frames");
	const bool has = objects_mention(frames, job->found.address);
	node_drop(frames);
	return has;
}

struct job *job_new_pointer(uint64_t address, const char *why, int64_t except)
{
	struct job *job =
		job_new(xasprintf("with 0x%" PRIx64 " in their variables", address));

	job->passes = has_pointer;
	job->found.address = address;
	job->why = why;
	job->except = except;
	snprintf(job->word, sizeof(job->word), "\"0x%" PRIx64 "\"", address);
	return job;
}

static bool passes_filter(struct job *job, struct browse *b, uint32_t row)
{
	(void)b;
	return filter_passes(job->filter, row);
}

struct job *job_new_filter(struct browse *b, struct filter *filter, const char *words)
{
	struct job *job = job_new(xstrdup(words));

	job->passes = passes_filter;
	job->filter = filter;
	filter_begin(filter, b->model);
	return job;
}

static void say_none(const struct job *job, struct browse *b)
{
	if (job->filter)
		browse_say(b, "no goroutine passes %s", job->found.words);
	else
		browse_say(b, "%sthere are none %s", job->why, job->found.words);
}

static void finish(struct job *job, struct browse *b)
{
	if (!job->found.count) {
		say_none(job, b);
		return;
	}
	browse_say(b, "%s%zu found", job->why, job->found.count);
	browse_list(b, job->found);
	job->found = (struct narrowing){ .kind = NARROW_NOT };
}

bool job_step(struct job *job, struct browse *b)
{
	const uint64_t until = monotonic_ns() + STEP_NS;
	size_t count;

	model_goroutines(b->model, &count);
	for (; job->next < count; job->next++) {
		if (monotonic_ns() >= until) {
			browse_say(b, "looking: %zu %%, %zu found",
				   (size_t)job->next * 100 / count, job->found.count);
			return false;
		}
		if (!job->passes(job, b, job->next))
			continue;
		GROW(job->found.rows, job->found.count, job->cap);
		job->found.rows[job->found.count++] = job->next;
	}
	finish(job, b);
	return true;
}
