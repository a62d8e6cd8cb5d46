/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/panes/browse.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/details.h"
#include "src/viewer/panes/history.h"
#include "src/viewer/lookup/locks.h"
#include "src/viewer/lookup/objects.h"

static const struct pane_kind *const kinds[PANES] = {
	[PANE_FINDINGS] = &pane_findings, [PANE_GOROUTINES] = &pane_goroutines,
	[PANE_STACK] = &pane_stack,	  [PANE_VARIABLES] = &pane_variables,
	[PANE_SOURCE] = &pane_source,	  [PANE_THREADS] = &pane_threads,
	[PANE_LOCKS] = &pane_locks,	  [PANE_RUNTIME] = &pane_runtime,
	[PANE_WARNINGS] = &pane_warnings,
};

/* The folder of the standard library's sources, if a frame shows it; the caller frees it. */
static char *find_goroot(const struct model *model)
{
	static const char start[] = "runtime.", within[] = "/src/runtime/";
	size_t count;
	const struct model_frame *frames = model_frames(model, &count);

	for (size_t i = 0; i < count; i++) {
		const char *file = model_text_of(model, frames[i].file);
		const char *end = strstr(file, within);
		if (end && strncmp(model_text_of(model, frames[i].function), start,
				   sizeof(start) - 1) == 0)
			return xstrndup(file, (size_t)(end - file) + sizeof("/src/") - 1);
	}
	return NULL;
}

static void fill_rows(struct browse *b)
{
	xfree(b->rows);
	b->rows = narrowing_rows(&b->narrowing, b->model, b->all, b->sorting,
				 &b->row_count);
	b->rows_version++;
}

struct browse *browse_new(struct model *model, struct source_files *sources)
{
	struct browse *b = xcalloc(1, sizeof(*b));

	b->model = model;
	b->sources = sources;
	b->goroot = find_goroot(model);
	b->style.goroot = b->goroot;
	b->style.module = node_string(node_get(model_heads(model)->go, "module"), NULL);
	b->subject.finding = -1;
	b->wanted = PANES;
	b->locks = locks_new(model);
	b->history = history_new();
	for (size_t i = 0; i < PANES; i++)
		pane_begin(&b->panes[i], kinds[i]);
	fill_rows(b);
	return b;
}

static void close_node(struct browse *b)
{
	node_drop(b->node);
	b->node = NULL;
	b->opened = false;
}

static void free_labels(struct browse *b)
{
	for (size_t i = 0; b->labels && i < model_text_count(b->model); i++)
		xfree(b->labels[i]);
	xfree(b->labels);
}

void browse_free(struct browse *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < PANES; i++)
		pane_done(&b->panes[i]);
	close_node(b);
	narrowing_done(&b->narrowing);
	history_free(b->history);
	locks_free(b->locks);
	text_done(&b->message);
	xfree(b->rows);
	xfree(b->goroot);
	free_labels(b);
	xfree(b);
}

void browse_say(struct browse *b, const char *format, ...)
{
	char words[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	text_done(&b->message);
	text_add(&b->message, "%s", words);
}

/* Of a list that was made by looking for a pointer: the first frame that has it. */
static size_t frame_with_pointer(struct browse *b)
{
	const struct reader_node *frames;

	if (b->narrowing.kind != NARROW_ROWS || !b->narrowing.address)
		return SIZE_MAX;
	frames = node_get(browse_node(b), "frames");
	for (size_t i = 0; i < node_count(frames); i++)
		if (objects_mention(node_at(frames, i), b->narrowing.address))
			return i;
	return SIZE_MAX;
}

/* The first frame that is shown of the program, else of all. */
static size_t first_frame(const struct browse *b)
{
	const struct model_frame *frames;
	const size_t n = browse_frames(b, &frames);
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		const struct model_frame *f = &frames[i];
		if (stack_is_users_function(&b->style,
					    model_text_of(b->model, f->function),
					    model_text_of(b->model, f->file)))
			return i;
		if (first == SIZE_MAX && !f->hidden)
			first = i;
	}
	return first == SIZE_MAX ? 0 : first;
}

void browse_subject(struct browse *b, enum subject_kind kind, uint32_t row,
		    int64_t finding)
{
	if (b->subject.kind == kind && b->subject.row == row &&
	    b->subject.finding == finding)
		return;
	close_node(b);
	b->subject = (struct subject){ kind, row, finding };
	b->subject_version++;
	const size_t frame = frame_with_pointer(b);
	browse_frame(b, frame == SIZE_MAX ? first_frame(b) : frame);
}

void browse_frame(struct browse *b, size_t frame)
{
	b->frame = frame;
	b->frame_version++;
}

void browse_narrow(struct browse *b, struct narrowing narrowing)
{
	narrowing_done(&b->narrowing);
	b->narrowing = narrowing;
	fill_rows(b);
}

void browse_sort(struct browse *b)
{
	b->sorting = (b->sorting + 1) % SORTINGS;
	fill_rows(b);
	browse_say(b, "goroutines %s", sorting_name(b->sorting));
}

void browse_toggle_all(struct browse *b)
{
	b->all = !b->all;
	b->style.all = b->all;
	fill_rows(b);
	b->subject_version++;
	browse_say(b,
		   b->all ? "everything is shown"
			  : "hidden frames and goroutines of the runtime are not shown");
}

const struct model_goroutine *browse_current(const struct browse *b)
{
	size_t count;
	const struct model_goroutine *all = model_goroutines(b->model, &count);

	return b->subject.kind == SUBJECT_GOROUTINE && b->subject.row < count
		       ? &all[b->subject.row]
		       : NULL;
}

size_t browse_frames(const struct browse *b, const struct model_frame **ret)
{
	const struct model_goroutine *g = browse_current(b);
	const uint32_t row = g					? g->group
			     : b->subject.kind == SUBJECT_GROUP ? b->subject.row
								: MODEL_NONE;
	size_t groups, count;
	const struct model_group *all = model_groups(b->model, &groups);

	if (row >= groups || !all[row].frame_count)
		return 0;
	*ret = model_frames(b->model, &count) + all[row].first_frame;
	return all[row].frame_count;
}

static struct model_place place_of(const struct browse *b)
{
	const struct model_goroutine *g = browse_current(b);

	if (g)
		return g->place;
	if (b->subject.kind == SUBJECT_THREAD &&
	    b->subject.row < model_list_count(b->model, MODEL_THREADS))
		return model_list_at(b->model, MODEL_THREADS, b->subject.row);
	return (struct model_place){ .bytes = 0 };
}

const struct reader_node *browse_node(struct browse *b)
{
	const struct model_place place = place_of(b);

	if (!b->opened && place.bytes)
		b->node = model_open(b->model, place);
	b->opened = true;
	return b->node;
}

const char *browse_labels(struct browse *b, const struct model_goroutine *g)
{
	struct text text = { .words = NULL };

	if (!b->labels)
		b->labels = xcalloc(model_text_count(b->model), sizeof(*b->labels));
	if (!b->labels[g->labels]) {
		const struct reader_node *labels =
			model_open_member(b->model, g->place, "labels");
		details_add_labels(&text, labels);
		node_drop(labels);
		b->labels[g->labels] = xstrdup(text_words(&text));
		text_done(&text);
	}
	return b->labels[g->labels];
}

void browse_note(struct browse *b)
{
	history_note(b->history, b);
}

void browse_back(struct browse *b, size_t times)
{
	while (times && history_go(b->history, b, -1))
		times--;
	if (times)
		browse_say(b, "there is nothing to go back to");
}

void browse_forward(struct browse *b, size_t times)
{
	while (times && history_go(b->history, b, 1))
		times--;
	if (times)
		browse_say(b, "there is nothing to go forward to");
}

bool browse_goroutine(struct browse *b, int64_t id, enum pane_id pane)
{
	const uint32_t row = model_find_goroutine(b->model, id);

	if (row == MODEL_NONE) {
		browse_say(b, "the document has no goroutine %" PRId64, id);
		return false;
	}
	browse_note(b);
	browse_subject(b, SUBJECT_GOROUTINE, row, -1);
	b->wanted = pane;
	return true;
}

void browse_creator(struct browse *b, const struct model_goroutine *g)
{
	if (g->parent <= 0)
		browse_say(b, "the document does not say which goroutine created it");
	else
		browse_goroutine(b, g->parent, PANE_STACK);
}

void browse_list(struct browse *b, struct narrowing narrowing)
{
	browse_note(b);
	browse_narrow(b, narrowing);
	b->wanted = PANE_GOROUTINES;
	if (b->row_count)
		browse_subject(b, SUBJECT_GOROUTINE, b->rows[0], -1);
}
