/* SPDX-License-Identifier: Apache-2.0 */
/* pane_findings.c - findings, worst first as the document has them, and then the groups of goroutines. */
#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/lookup/search.h"
#include "src/viewer/panes/words.h"
#include "src/viewer/screen/harmless.h"

struct findings {
	const struct reader_node **nodes;
	size_t count;
	uint32_t *groups; /* rows; those of the runtime last */
	size_t group_count;
	bool read;
};

static bool is_system(const struct browse *b, uint32_t group)
{
	size_t groups, count;
	const struct model_group *g = &model_groups(b->model, &groups)[group];
	const struct model_goroutine *all = model_goroutines(b->model, &count);
	const uint32_t *members = model_members(b->model);

	for (uint32_t i = 0; i < g->member_count; i++)
		if (!all[members[g->first_member + i]].system)
			return false;
	return g->member_count > 0;
}

static void read_groups(struct browse *b, struct findings *f)
{
	size_t count;

	model_groups(b->model, &count);
	AUTO(xfree) bool *system = xcalloc(count + 1, sizeof(*system));
	f->groups = xcalloc(count + 1, sizeof(*f->groups));
	for (uint32_t i = 0; i < count; i++) {
		system[i] = is_system(b, i);
		if (!system[i])
			f->groups[f->group_count++] = i;
	}
	for (uint32_t i = 0; i < count; i++)
		if (system[i])
			f->groups[f->group_count++] = i;
}

static void read_all(struct browse *b, struct findings *f)
{
	f->read = true;
	f->count = model_list_count(b->model, MODEL_FINDINGS);
	f->nodes = xcalloc(f->count + 1, sizeof(struct reader_node *));
	for (size_t i = 0; i < f->count; i++)
		f->nodes[i] =
			model_open(b->model, model_list_at(b->model, MODEL_FINDINGS, i));
	read_groups(b, f);
}

static size_t update(struct browse *b, void *state, unsigned columns)
{
	struct findings *f = state;

	(void)columns;
	if (!f->read)
		read_all(b, f);
	return f->count + f->group_count;
}

static void done(void *state)
{
	struct findings *f = state;

	for (size_t i = 0; i < f->count; i++)
		node_drop(f->nodes[i]);
	xfree(f->nodes);
	xfree(f->groups);
}

static void draw_finding(const struct reader_node *node, struct line *line)
{
	const char *severity = text_of(node_get(node, "severity"), "?");

	line_format(line, strcmp(severity, "info") == 0 ? STYLE_HEADING : STYLE_ALARM,
		    "%.20s: ", severity);
	line_add(line, STYLE_PLAIN, text_of(node_get(node, "text"), "?"));
}

/* That of all its goroutines, if they are in the same. */
static void add_state(const struct browse *b, struct line *line,
		      const struct model_group *g)
{
	size_t count;
	const struct model_goroutine *all = model_goroutines(b->model, &count);
	const uint32_t *members = model_members(b->model);
	const model_text first = g->member_count
					 ? model_state(&all[members[g->first_member]])
					 : MODEL_NO_TEXT;
	bool same = true;

	for (uint32_t i = 1; i < g->member_count && same; i++)
		same = model_state(&all[members[g->first_member + i]]) == first;
	line_format(line, STYLE_PLAIN, "%.16s%s", model_text_of(b->model, first),
		    same ? "" : ", ...");
}

static void draw_group(const struct browse *b, uint32_t row, struct line *line)
{
	size_t count;
	const struct model_group *g = &model_groups(b->model, &count)[row];

	line_format(line, STYLE_HEADING, "%7" PRIu64 "  ", g->count);
	add_state(b, line, g);
	line_pad(line, 28);
	words_add_place(b, line, row);
}

static void draw(struct browse *b, void *state, size_t row, struct line *line)
{
	struct findings *f = state;

	if (row < f->count)
		draw_finding(f->nodes[row], line);
	else
		draw_group(b, f->groups[row - f->count], line);
}

static void title(struct browse *b, void *state, struct text *text)
{
	const struct findings *f = state;
	size_t all;

	model_goroutines(b->model, &all);
	text_add(text, " ");
	text_add_count(text, f->count);
	text_add(text, ", ");
	text_add_counted(text, all, "goroutine");
	text_add(text, " in ");
	text_add_counted(text, f->group_count, "group");
}

/* The first goroutine of it that the document has. */
static void select_finding(struct browse *b, const struct findings *f, size_t row)
{
	const struct reader_node *ids = node_get(f->nodes[row], "goroutines");

	for (size_t i = 0; i < node_count(ids); i++) {
		const uint32_t found =
			model_find_goroutine(b->model, node_int(node_at(ids, i), -1));
		if (found == MODEL_NONE)
			continue;
		browse_subject(b, SUBJECT_GOROUTINE, found, (int64_t)row);
		return;
	}
	browse_subject(b, SUBJECT_NONE, 0, (int64_t)row);
}

static void select_row(struct browse *b, void *state, size_t row)
{
	const struct findings *f = state;
	size_t count;

	if (row < f->count) {
		select_finding(b, f, row);
		return;
	}
	const struct model_group *g =
		&model_groups(b->model, &count)[f->groups[row - f->count]];
	if (g->member_count)
		browse_subject(b, SUBJECT_GOROUTINE,
			       model_members(b->model)[g->first_member], -1);
	else
		browse_subject(b, SUBJECT_GROUP, f->groups[row - f->count], -1);
}

/* Of a finding, the goroutines that show it; of a group, its own. */
static void enter_finding(struct browse *b, const struct reader_node *node)
{
	const struct reader_node *ids = node_get(node, "goroutines");
	struct narrowing n = { .kind = NARROW_ROWS, .words = xstrdup("of the finding") };

	n.rows = xcalloc(node_count(ids) + 1, sizeof(*n.rows));
	for (size_t i = 0; i < node_count(ids); i++) {
		const uint32_t row =
			model_find_goroutine(b->model, node_int(node_at(ids, i), -1));
		if (row != MODEL_NONE)
			n.rows[n.count++] = row;
	}
	if (n.count) {
		browse_list(b, n);
		return;
	}
	narrowing_done(&n);
	browse_say(b, "the finding names no goroutine that the document has");
}

static void act(struct browse *b, void *state, size_t row, enum row_action action)
{
	const struct findings *f = state;

	if (action == ROW_CLOSE) {
		browse_say(b, "nothing is open here: [ goes back");
		return;
	}
	if (row < f->count)
		enter_finding(b, f->nodes[row]);
	else
		browse_list(b, (struct narrowing){ .kind = NARROW_GROUP,
						   .number = f->groups[row - f->count] });
}

static size_t find(struct browse *b, void *state)
{
	const struct findings *f = state;
	const struct model_goroutine *g = browse_current(b);

	if (b->subject.finding >= 0)
		return (size_t)b->subject.finding;
	for (size_t i = 0; g && i < f->group_count; i++)
		if (f->groups[i] == g->group)
			return f->count + i;
	return SIZE_MAX;
}

static bool matches(struct browse *b, void *state, size_t row, struct search *search)
{
	const struct findings *f = state;
	size_t count, members;

	if (row < f->count)
		return strcasestr(text_of(node_get(f->nodes[row], "text"), ""),
				  search_words(search));
	const uint32_t group = f->groups[row - f->count];
	const struct model_group *g = &model_groups(b->model, &count)[group];
	const struct model_goroutine *all = model_goroutines(b->model, &members);
	return search_group(search, group) ||
	       (g->member_count &&
		search_text(search,
			    model_state(&all[model_members(b->model)[g->first_member]])));
}

static void copy(struct browse *b, void *state, size_t row, struct text *text)
{
	const struct findings *f = state;
	size_t count;

	if (row < f->count) {
		harmless_add(text, text_of(node_get(f->nodes[row], "severity"), "?"));
		text_add(text, ": ");
		harmless_add(text, text_of(node_get(f->nodes[row], "text"), "?"));
		text_add(text, "\n");
		harmless_add(text, text_of(node_get(f->nodes[row], "advice"), ""));
		text_add(text, "\n");
		return;
	}
	const struct model_group *g =
		&model_groups(b->model, &count)[f->groups[row - f->count]];
	text_add_counted(text, g->count, "goroutine");
	text_add(text, ", one of them:\n");
	if (g->member_count)
		words_add_whole(b, text, model_members(b->model)[g->first_member]);
}

static uint64_t address(struct browse *b, void *state, size_t row)
{
	const struct findings *f = state;

	(void)b;
	return row < f->count
		       ? node_address(node_at(node_get(f->nodes[row], "addresses"), 0), 0)
		       : 0;
}

const struct pane_kind pane_findings = {
	.name = "Findings",
	.state_bytes = sizeof(struct findings),
	.update = update,
	.draw = draw,
	.done = done,
	.title = title,
	.select = select_row,
	.act = act,
	.find = find,
	.matches = matches,
	.address = address,
	.copies_stacks = true,
	.copy = copy,
};
