/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/panes/words.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/screen/glyph.h"
#include "src/viewer/screen/harmless.h"

enum { STATE_COLUMN = 18, TIME_COLUMN = 32, LINE_DIGITS = 9 };
/* The name of any character fits. */
enum { ROOM_MIN = GLYPH_NAME_BYTES };

struct frame_words words_of_frame(const struct browse *b, const struct model_frame *frame)
{
	return (struct frame_words){ model_text_of(b->model, frame->function),
				     model_text_of(b->model, frame->file),
				     frame->line,
				     frame->pc,
				     frame->hidden,
				     frame->is_c };
}

struct frame_words words_of_node(const struct reader_node *frame)
{
	return (struct frame_words){
		.function = text_of(node_get(frame, "function"), ""),
		.file = text_of(node_get(frame, "file"), ""),
		.line = (uint32_t)node_int(node_get(frame, "line"), 0),
		.pc = node_address(node_get(frame, "pc"), 0),
		.hidden = node_bool(node_get(frame, "hidden"), false),
		.is_c = strcmp(node_string(node_get(frame, "language"), ""), "c") == 0,
	};
}

bool words_is_own(const struct browse *b, const struct frame_words *frame)
{
	return !frame->is_c &&
	       stack_is_users_function(&b->style, frame->function, frame->file);
}

const struct model_frame *words_place(const struct browse *b, uint32_t group)
{
	size_t groups, count;
	const struct model_group *all = model_groups(b->model, &groups);
	const struct model_frame *frames = model_frames(b->model, &count), *first = NULL;

	if (group >= groups)
		return NULL;
	for (uint32_t i = 0; i < all[group].frame_count; i++) {
		const struct model_frame *frame = &frames[all[group].first_frame + i];
		const struct frame_words words = words_of_frame(b, frame);
		if (words_is_own(b, &words))
			return frame;
		if (!first || (first->hidden && !frame->hidden))
			first = frame;
	}
	return first;
}

/* Leading folders go first, where there is no room; never the name. */
static void add_file(const struct browse *b, struct line *line,
		     const struct frame_words *frame)
{
	const char *whole = stack_file(&b->style, frame->file), *file = whole, *slash;
	const size_t room = line->columns > line->used + LINE_DIGITS
				    ? line->columns - line->used - LINE_DIGITS
				    : 0;

	while (text_width(file) > room && (slash = strchr(file + 1, '/')))
		file = slash;
	line_add(line, STYLE_PLAIN, file == whole ? "  " : "  ...");
	line_add(line, STYLE_PLAIN, file);
	if (frame->line)
		line_format(line, STYLE_PLAIN, ":%u", frame->line);
}

void words_add_frame(const struct browse *b, struct line *line,
		     const struct frame_words *frame)
{
	if (*frame->function)
		line_add(line,
			 frame->hidden		  ? STYLE_FAINT
			 : words_is_own(b, frame) ? STYLE_OWN
						  : STYLE_PLAIN,
			 frame->function);
	else
		line_format(line, STYLE_FAINT, "0x%" PRIx64, frame->pc);
	if (*frame->file)
		add_file(b, line, frame);
}

void words_add_place(const struct browse *b, struct line *line, uint32_t group)
{
	const struct model_frame *place = words_place(b, group);

	if (!place)
		return;
	const struct frame_words words = words_of_frame(b, place);
	words_add_frame(b, line, &words);
}

void words_add_state(const struct browse *b, struct text *text,
		     const struct model_goroutine *g)
{
	harmless_add(text, model_text_of(b->model, model_state(g)));
	if (g->waiting_ns >= 0) {
		text_add(text, ", ");
		text_add_duration(text, g->waiting_ns);
	}
}

static void add_time(struct line *line, const struct model_goroutine *g)
{
	struct text text = { .words = NULL };
	const int64_t ns = g->waiting_ns >= 0 ? g->waiting_ns : g->runnable_ns;

	if (ns < 0)
		return;
	text_add_duration(&text, ns);
	line_add(line, STYLE_PLAIN, text_words(&text));
	text_done(&text);
}

void words_add_goroutine(struct browse *b, struct line *line,
			 const struct model_goroutine *g)
{
	const unsigned from = line->used;
	char *state =
		text_shortened(model_text_of(b->model, model_state(g)), STATE_COLUMN - 4);

	line_add(line, g->panics ? STYLE_ALARM : STYLE_PLAIN, state);
	xfree(state);
	line_pad(line, from + STATE_COLUMN);
	add_time(line, g);
	line_pad(line, from + TIME_COLUMN);
	words_add_place(b, line, g->group);
	if (g->system)
		line_add(line, STYLE_FAINT, "  (runtime)");
	if (g->labels == MODEL_NO_TEXT)
		return;
	line_add(line, STYLE_FAINT, "  ");
	line_add(line, STYLE_FAINT, browse_labels(b, g));
}

const struct model_goroutine *words_find(const struct browse *b, int64_t id)
{
	size_t count;
	const struct model_goroutine *all = model_goroutines(b->model, &count);
	const uint32_t row = model_find_goroutine(b->model, id);

	return row < count ? &all[row] : NULL;
}

void words_add_frame_text(struct text *text, const struct frame_words *frame)
{
	text_add(text, "    ");
	harmless_add(text, frame->function);
	text_add(text, "  ");
	harmless_add(text, frame->file);
	text_add(text, ":%u\n", frame->line);
}

static void add_frames(struct browse *b, struct text *text, uint32_t group)
{
	size_t groups, count;
	const struct model_group *all = model_groups(b->model, &groups);
	const struct model_frame *frames = model_frames(b->model, &count);

	for (uint32_t i = 0; group < groups && i < all[group].frame_count; i++) {
		const struct model_frame *f = &frames[all[group].first_frame + i];
		if (f->hidden && !b->all)
			continue;
		const struct frame_words words = words_of_frame(b, f);
		words_add_frame_text(text, &words);
	}
}

void words_add_whole(struct browse *b, struct text *text, uint32_t row)
{
	size_t count;
	const struct model_goroutine *g = &model_goroutines(b->model, &count)[row];

	text_add(text, "goroutine %" PRId64 ": ", g->id);
	words_add_state(b, text, g);
	if (g->waits_address) {
		text_add(text, "\n  waits for ");
		harmless_add(text, model_text_of(b->model, g->waits_kind));
		text_add(text, " 0x%" PRIx64, g->waits_address);
	}
	text_add(text, "\n");
	add_frames(b, text, g->group);
	if (g->creator != MODEL_NO_TEXT) {
		text_add(text, "  created by ");
		harmless_add(text, model_text_of(b->model, g->creator));
	}
	if (g->creator != MODEL_NO_TEXT && g->parent > 0)
		text_add(text, ", goroutine %" PRId64, g->parent);
	text_add(text, "\n");
}

/* A word that is longer than a line is cut. */
static size_t length_of_line(const char *words, unsigned columns)
{
	const size_t len = strcspn(words, "\n"), fits = line_fit(words, len, columns);
	size_t space = fits;

	if (fits == len)
		return len;
	while (space && words[space] != ' ')
		space--;
	return space ? space : fits;
}

void wrapped_add(struct wrapped *w, const char *words, unsigned columns, unsigned indent)
{
	bool first = true;

	while (*words) {
		const unsigned in = first ? 0 : indent;
		const size_t len = length_of_line(
			words, columns > in + ROOM_MIN ? columns - in : ROOM_MIN);
		GROW(w->rows, w->count, w->cap);
		w->rows[w->count++] = xasprintf("%*s%.*s", (int)in, "", (int)len, words);
		words += len;
		words += strspn(words, " \n");
		first = false;
	}
}

void wrapped_done(struct wrapped *w)
{
	for (size_t i = 0; i < w->count; i++)
		xfree(w->rows[i]);
	xfree(w->rows);
	*w = (struct wrapped){ .rows = NULL };
}
