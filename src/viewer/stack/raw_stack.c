/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/stack/raw_stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/model/model.h"
#include "src/viewer/stack/explain.h"
#include "src/viewer/stack/pointees.h"
#include "src/viewer/stack/raw_words.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/pager.h"
#include "src/viewer/terminal/text.h"

enum { REGISTERS_WIDTH = 8 };

struct printing {
	struct page page;
	struct model *model;
	const struct model_goroutine *goroutine;
	struct raw_words raw;
	struct pointees *pointees;
};

static void print_line(const struct printing *p, enum color color, struct text *text)
{
	page_print(&p->page, color, text_words(text));
	putc('\n', p->page.out);
	text_done(text);
}

struct registers_at {
	const struct raw_words *raw;
	size_t word;
	struct text *text;
};

/* "rsp rbp", "rsi+7" */
static void add_register(void *arg, const char *name, const struct reader_node *node)
{
	const struct registers_at *at = arg;
	const uint64_t value = node_address(node, 0);

	if (raw_word_at(at->raw, value) != at->word)
		return;
	text_add(at->text, "%s%.16s", at->text->len ? " " : "", name);
	if (value % WORD_BYTES)
		text_add(at->text, "+%d", (int)(value % WORD_BYTES));
}

static void add_value(struct text *text, const struct raw_word *word)
{
	switch (word->state) {
	case WORD_KNOWN:
		text_add(text, "0x%-16" PRIx64, word->value);
		return;
	case WORD_REDACTED:
		text_add(text, "%-18s", "redacted");
		return;
	case WORD_UNREADABLE:
		text_add(text, "%-18s", "unreadable");
		return;
	}
}

static void print_word(const struct printing *p, size_t i)
{
	struct text line = { 0 };
	struct registers_at at = { &p->raw, i, &line };

	node_each(p->raw.registers, add_register, &at);
	text_add(&line, "%*s",
		 line.len < REGISTERS_WIDTH ? (int)(REGISTERS_WIDTH - line.len) : 1, "");
	text_add(&line, "0x%-12" PRIx64 "  +0x%03zx  ", raw_address(&p->raw, i),
		 i * WORD_BYTES);
	add_value(&line, &p->raw.words[i]);
	text_add(&line, "  ");
	explain_word(&p->raw, p->pointees, i, &line);
	print_line(p, COLOR_PLAIN, &line);
}

/* The frame of the group with this number; NULL: not known. */
static const struct model_frame *frame_of(const struct printing *p, uint64_t number)
{
	size_t groups, frames;
	const struct model_group *group = model_groups(p->model, &groups);
	const struct model_frame *all = model_frames(p->model, &frames);

	if (p->goroutine->group >= groups)
		return NULL;
	group += p->goroutine->group;
	return number < group->frame_count ? &all[group->first_frame + number] : NULL;
}

/* Calls that are inlined there have the numbers before. */
static void add_inlined(struct text *text, const struct printing *p, uint64_t number)
{
	for (; number > 0; number--) {
		const struct model_frame *f = frame_of(p, number - 1);
		if (!f || !f->inlined)
			return;
		text_add(text, ", with %s inlined", model_text_of(p->model, f->function));
	}
}

static void print_heading(const struct printing *p, uint32_t frame)
{
	struct text line = { 0 };

	if (frame == NOT_THERE) {
		text_add(&line, "above all frames");
		print_line(p, COLOR_HEADING, &line);
		return;
	}
	const struct raw_frame *f = &p->raw.frames[frame];
	const struct model_frame *in = frame_of(p, f->number);
	text_add(&line, "%s", f->function);
	if (in && in->line)
		text_add(&line, "  %s:%" PRIu32, model_text_of(p->model, in->file),
			 in->line);
	add_inlined(&line, p, f->number);
	print_line(p, COLOR_HEADING, &line);
}

static void print_words(const struct printing *p)
{
	const struct raw_words *raw = &p->raw;

	for (size_t i = 0; i < raw->count && !ferror(p->page.out); i++) {
		if (i == 0 || raw->words[i].frame != raw->words[i - 1].frame)
			print_heading(p, raw->words[i].frame);
		print_word(p, i);
	}
}

static void print_first_line(const struct printing *p)
{
	struct text line = { 0 };

	text_add(&line, "goroutine %" PRId64 ": %s, ", p->goroutine->id,
		 model_text_of(p->model, model_state(p->goroutine)));
	text_add_size(&line, p->raw.count * WORD_BYTES);
	text_add(&line, " of its stack from 0x%" PRIx64 " on", p->raw.base);
	print_line(p, COLOR_HEADING, &line);
}

static void print_rest(const struct printing *p)
{
	const int64_t omitted = node_int(node_get(p->raw.node, "omitted_bytes"), 0);
	struct text line = { 0 };

	if (omitted <= 0)
		return;
	text_add_size(&line, (uint64_t)omitted);
	text_add(&line, " further out are not in the document.");
	print_line(p, COLOR_PLAIN, &line);
}

static bool why_none(const struct printing *p, const struct reader_node *raw,
		     struct err *err)
{
	const struct reader_node *snapshot = model_heads(p->model)->snapshot;
	const bool asked =
		node_bool(node_get(node_get(snapshot, "options"), "raw_stacks"), false);

	if (raw)
		return err_set(err, ERR_CANNOT,
			       "the stack of goroutine %" PRId64
			       " was left out (%.40s): take "
			       "the snapshot with a larger --max-size",
			       p->goroutine->id,
			       text_of(node_get(raw, "omitted_by"), "no words"));
	if (asked)
		return err_set(err, ERR_CANNOT,
			       "goroutine %" PRId64 " has no stack that could be read",
			       p->goroutine->id);
	return err_set(err, ERR_CANNOT,
		       "the document has no raw stacks: take the snapshot with "
		       "--raw-stacks, or give the PID or the core to gosnap show");
}

static void print_stack(struct printing *p)
{
	p->pointees = pointees_new(p->model, &p->raw);
	print_first_line(p);
	print_words(p);
	print_rest(p);
	pointees_free(p->pointees);
}

static bool print_paged(struct printing *p, const char *command, struct err *err)
{
	struct pager *pager = command ? pager_start(command, err) : NULL;

	if (command && !pager)
		return false;
	if (pager)
		p->page.out = pager_stream(pager);
	print_stack(p);
	return !pager || pager_finish(pager, err);
}

static bool print_one(struct printing *p, const char *pager, struct err *err)
{
	const struct reader_node *node =
		model_open_member(p->model, p->goroutine->place, "raw_stack");
	bool ok;

	if (node_count(node_get(node, "words"))) {
		raw_words_init(&p->raw, node);
		ok = print_paged(p, pager, err);
		raw_words_done(&p->raw);
	} else {
		ok = why_none(p, node, err);
	}
	node_drop(node);
	return ok;
}

bool raw_stack_show(struct reader *reader, int64_t id, const struct page *page,
		    const char *pager, bool *ret_no, struct err *err)
{
	AUTO(model_free) struct model *model = model_load(reader, err);
	struct text line = { 0 };
	size_t n;

	*ret_no = false;
	if (!model)
		return false;
	const uint32_t row = model_find_goroutine(model, id);
	struct printing p = { .page = *page, .model = model };
	if (row == MODEL_NONE) {
		text_add(&line, "There is no goroutine %" PRId64 ".", id);
		print_line(&p, COLOR_PLAIN, &line);
		*ret_no = true;
		return model_is_whole(model, err);
	}
	p.goroutine = &model_goroutines(model, &n)[row];
	return print_one(&p, pager, err) && model_is_whole(model, err);
}
