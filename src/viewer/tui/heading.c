/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/findings.h"
#include "src/viewer/document/verdict.h"
#include "src/viewer/tui/tui_priv.h"

static void add_process(struct text *text, const struct model_heads *heads)
{
	const char *exe = text_of(node_get(heads->process, "exe"), "a process"),
		   *slash = strrchr(exe, '/');

	text_add(text, "%s", slash ? slash + 1 : exe);
	if (node_get(heads->process, "pid"))
		text_add(text, ", pid %" PRId64,
			 node_int(node_get(heads->process, "pid"), 0));
	if (node_get(heads->go, "version"))
		text_add(text, ", %s", text_of(node_get(heads->go, "version"), ""));
	if (node_get(heads->snapshot, "taken_at")) {
		text_add(text, ", ");
		text_add_time(text, text_of(node_get(heads->snapshot, "taken_at"), ""));
	}
	if (node_get(heads->snapshot, "host"))
		text_add(text, ", %s", text_of(node_get(heads->snapshot, "host"), ""));
}

/* Where nothing could be looked for, nothing found means nothing. */
static void add_none(struct model *m, struct text *text)
{
	const struct reader_node *missing = NULL;
	size_t groups;

	if (model_has_list(m, MODEL_FINDINGS)) {
		shown_verdict_add(text, model_heads(m)->verdict);
		return;
	}
	for (size_t i = 0; !missing && i < model_list_count(m, MODEL_WARNINGS); i++) {
		missing = model_open(m, model_list_at(m, MODEL_WARNINGS, i));
		if (!shown_findings_explains(missing)) {
			node_drop(missing);
			missing = NULL;
		}
	}
	model_groups(m, &groups);
	/* Groups come after findings: what was cut off before them may have had some. */
	text_add(text, "Cannot tell whether anything is wrong: %s",
		 model_damage(m) && !groups
			 ? model_damage(m)
			 : shown_findings_missing(missing, model_heads(m)->go));
	node_drop(missing);
}

static void add_finding(struct tui *t, struct text *text)
{
	struct model *m = t->b->model;

	if (model_list_count(m, MODEL_FINDINGS) == 0 || model_heads(m)->verdict) {
		t->alarming = shown_verdict_is_unknown(model_heads(m)->verdict);
		add_none(m, text);
		return;
	}
	const struct reader_node *node =
		model_open(m, model_list_at(m, MODEL_FINDINGS, 0));
	text_add(text, "%s", text_of(node_get(node, "text"), "?"));
	t->alarming = strcmp(text_of(node_get(node, "severity"), ""), "info") != 0;
	node_drop(node);
}

void heading_read(struct tui *t)
{
	const struct model_heads *heads = model_heads(t->b->model);
	const char *fault = text_of(node_get(heads->fault, "verdict"), NULL),
		   *damage = model_damage(t->b->model);
	struct text title = { .words = NULL }, verdict = { .words = NULL };

	add_process(&title, heads);
	if (fault) {
		text_add(&verdict, "%s", fault);
		t->alarming = true;
	} else {
		add_finding(t, &verdict);
	}
	if (damage)
		browse_say(t->b, "%s", damage);
	t->title = xstrdup(text_words(&title));
	t->verdict = xstrdup(text_words(&verdict));
	text_done(&title);
	text_done(&verdict);
}

/* Where whoever looks for the cause would go first. */
void heading_open(struct tui *t)
{
	const struct model_heads *heads = model_heads(t->b->model);
	const int64_t faulty = node_int(node_get(heads->fault, "goroutine"), -1);
	const uint32_t row =
		faulty < 0 ? MODEL_NONE : model_find_goroutine(t->b->model, faulty);
	struct pane *findings = &t->b->panes[PANE_FINDINGS];

	pane_update(findings, t->b, t->columns, t->rows);
	if (row != MODEL_NONE) {
		browse_subject(t->b, SUBJECT_GOROUTINE, row, -1);
		tui_focus(t, PANE_STACK);
	} else {
		pane_move(findings, t->b, 0);
	}
}
