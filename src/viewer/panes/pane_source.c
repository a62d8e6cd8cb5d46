/* SPDX-License-Identifier: Apache-2.0 */
/* pane_source.c - the source around the line of the frame, where the file is on this machine. */
#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/lookup/source_files.h"
#include "src/viewer/panes/words.h"
#include "src/viewer/screen/harmless.h"

struct source {
	char *path;	    /* of the document */
	char *text;	    /* NULL: not found */
	char *where;	    /* NULL: not looked for; else see source_files.h */
	const char **lines; /* in text, or what is to be said instead */
	size_t count, cap;
	uint32_t line; /* of the frame; 0: unknown */
	unsigned subject, frame;
	bool filled;
};

static void empty(struct source *s)
{
	xfree(s->text);
	xfree(s->path);
	xfree(s->where);
	s->text = s->path = s->where = NULL;
	s->count = 0;
}

static void add_line(struct source *s, const char *words)
{
	GROW(s->lines, s->count, s->cap);
	s->lines[s->count++] = words;
}

static void split(struct source *s, char *text)
{
	for (char *at = text; at && *at;) {
		char *end = strchr(at, '\n');
		add_line(s, at);
		if (end)
			*end++ = '\0';
		at = end;
	}
}

/* Also what would help. */
static void explain(struct source *s)
{
	add_line(s, "not found on this machine; these were tried:");
	split(s, s->where);
	add_line(s, "--source=DIR: look below DIR");
	add_line(s, "--source-map=FROM=TO: what the document has in FROM is in TO here");
}

static void look(struct browse *b, struct source *s)
{
	if (!*s->path) {
		add_line(s, "the frame has no source file");
		return;
	}
	const char *version =
		node_string(node_get(model_heads(b->model)->go, "version"), "");
	s->text = source_files_read(b->sources, s->path, version, &s->where);
	if (s->text)
		split(s, s->text);
	else
		explain(s);
}

static struct frame_words frame_of(struct browse *b)
{
	const struct model_frame *frames;

	if (b->frame < browse_frames(b, &frames))
		return words_of_frame(b, &frames[b->frame]);
	return words_of_node(node_at(node_get(browse_node(b), "frames"), b->frame));
}

static void fill(struct browse *b, struct source *s)
{
	const struct frame_words frame = frame_of(b);

	s->line = frame.line;
	if (s->path && strcmp(s->path, frame.file) == 0)
		return;
	empty(s);
	s->path = xstrdup(frame.file);
	look(b, s);
}

static size_t update(struct browse *b, void *state, unsigned columns)
{
	struct source *s = state;

	(void)columns;
	if (!s->filled || s->subject != b->subject_version ||
	    s->frame != b->frame_version)
		fill(b, s);
	s->filled = true;
	s->subject = b->subject_version;
	s->frame = b->frame_version;
	return s->count;
}

static void done(void *state)
{
	struct source *s = state;

	empty(s);
	xfree(s->lines);
}

/* A tab goes to the next of every fourth column. */
static void add_code(struct line *line, enum style style, const char *code)
{
	const unsigned from = line->used;

	while (*code) {
		const size_t n = strcspn(code, "\t");
		line_add_bytes(line, style, code, n);
		code += n;
		if (*code != '\t')
			continue;
		line_pad(line, from + (line->used - from) / 4 * 4 + 4);
		code++;
	}
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	const struct source *s = state;
	const bool here = row + 1 == s->line;

	(void)b;
	if (!s->text) {
		line_add(line, STYLE_FAINT, s->lines[row]);
		return;
	}
	line_format(line, here ? STYLE_ALARM : STYLE_FAINT, "%5zu %s ", row + 1,
		    here ? ">" : " ");
	add_code(line, here ? STYLE_HEADING : STYLE_PLAIN, s->lines[row]);
}

static void title(struct browse *b, void *state, struct text *text)
{
	const struct source *s = state;

	if (!s->path || !*s->path)
		return;
	text_add(text, " %s:%u", stack_file(&b->style, s->path), s->line);
	if (s->text && strcmp(s->where, s->path) != 0)
		text_add(text, " from %s", s->where);
}

static size_t find(struct browse *b, void *state)
{
	const struct source *s = state;

	(void)b;
	return s->text && s->line && s->line <= s->count ? s->line - 1 : 0;
}

/* The line of code, with its tabs. */
static void copy(struct browse *b, void *state, size_t row, struct text *text)
{
	const struct source *s = state;
	const char *code = s->text ? s->lines[row] : NULL;

	(void)b;
	while (code && *code) {
		const size_t n = strcspn(code, "\t"), tabs = strspn(code + n, "\t");
		harmless_add_bytes(text, code, n);
		text_append(text, code + n, tabs);
		code += n + tabs;
	}
	if (s->text)
		text_append(text, "\n", 1);
}

const struct pane_kind pane_source = {
	.name = "Source",
	.state_bytes = sizeof(struct source),
	.update = update,
	.draw = draw,
	.done = done,
	.title = title,
	.find = find,
	.copy = copy,
};
