/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - looks through the variables of all goroutines. A key is answered meanwhile, so each step is short. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/lookup/objects.h"
#include "src/viewer/tui/tui_priv.h"

#define STEP_NS (UINT64_C(10) * 1000 * 1000)

struct job {
	uint64_t address;
	char word[24]; /* as documents write it */
	size_t next;
	struct narrowing found;
	size_t cap;
};

struct job *job_new(struct browse *b, uint64_t address)
{
	struct job *job = xcalloc(1, sizeof(*job));

	(void)b;
	job->address = address;
	snprintf(job->word, sizeof(job->word), "\"0x%" PRIx64 "\"", address);
	job->found = (struct narrowing){ .kind = NARROW_ROWS, .address = address };
	job->found.words = xasprintf("with 0x%" PRIx64 " in their variables", address);
	return job;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	narrowing_done(&job->found);
	xfree(job);
}

/* Most have no such word, and are not parsed. */
static bool may_have(const struct job *job, struct browse *b, struct model_place place)
{
	AUTO(xfree) char *text = model_read(b->model, place);

	return text && strstr(text, job->word);
}

static void look_in(struct job *job, struct browse *b, const struct model_goroutine *g)
{
	if (!g->has_values || !may_have(job, b, g->place))
		return;
	const struct reader_node *frames =
		model_open_member(b->model, g->place, "frames");
	const bool found = objects_mention(frames, job->address);
	node_drop(frames);
	if (!found)
		return;
	GROW(job->found.rows, job->found.count, job->cap);
	job->found.rows[job->found.count++] = (uint32_t)job->next;
}

static void finish(struct job *job, struct browse *b)
{
	if (job->found.count) {
		browse_say(b, "%zu found", job->found.count);
		browse_list(b, job->found);
		job->found = (struct narrowing){ .kind = NARROW_NOT };
	} else {
		browse_say(b, "no frame has 0x%" PRIx64, job->address);
	}
}

bool job_step(struct job *job, struct browse *b)
{
	const uint64_t until = monotonic_ns() + STEP_NS;
	size_t count;
	const struct model_goroutine *all = model_goroutines(b->model, &count);

	for (; job->next < count; job->next++) {
		if (monotonic_ns() >= until) {
			browse_say(b, "looking for 0x%" PRIx64 ": %zu %%, %zu found",
				   job->address, job->next * 100 / count,
				   job->found.count);
			return false;
		}
		look_in(job, b, &all[job->next]);
	}
	finish(job, b);
	return true;
}
