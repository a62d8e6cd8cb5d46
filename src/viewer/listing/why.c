/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/listing/why.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/document/findings.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/document/verdict.h"
#include "src/viewer/listing/heading.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

struct why {
	struct summary summary;		   /* of what comes before the goroutines */
	struct sink *out;		   /* NULL: as text */
	bool has_findings;		   /* the member, even if it is empty */
	const struct reader_node *missing; /* a warning; NULL: none */
};

static const struct reader_node **head_of(struct why *why, const char *member)
{
	struct model_heads *heads = &why->summary.heads;

	if (strcmp(member, "snapshot") == 0)
		return &heads->snapshot;
	if (strcmp(member, "process") == 0)
		return &heads->process;
	if (strcmp(member, "go") == 0)
		return &heads->go;
	if (strcmp(member, "verdict") == 0)
		return &heads->verdict;
	return strcmp(member, "fault") == 0 ? &heads->fault : NULL;
}

static void keep(const struct reader_node **place, const struct reader_node *node)
{
	node_drop(*place);
	*place = node_hold(node);
}

static bool read_member(void *arg, const char *member, size_t index,
			const struct reader_node *node)
{
	struct why *why = arg;

	(void)index;
	if (strcmp(member, "groups") == 0)
		return false;
	if (strcmp(member, "warnings") == 0 && shown_findings_explains(node))
		keep(&why->missing, node);
	if (head_of(why, member))
		keep(head_of(why, member), node);
	if (strcmp(member, "findings") != 0)
		return true;
	shown_findings_add(&why->summary.findings, node);
	if (why->out)
		node_write(why->out, node);
	return true;
}

static void note_array(void *arg, const char *member, bool begins)
{
	struct why *why = arg;

	(void)begins;
	why->has_findings |= strcmp(member, "findings") == 0;
}

static bool is_bad(const struct why *why)
{
	return why->summary.findings.bad || why->summary.heads.fault;
}

static void print_text(struct why *why, const struct page *page)
{
	struct text text = { 0 };

	heading_print_fault(page, &why->summary);
	heading_print_whose(page, &why->summary);
	shown_findings_print(page, &why->summary.findings, NULL);
	if (!is_bad(why)) {
		shown_verdict_print(page, why->summary.heads.verdict);
	} else if (why->missing) {
		text_add(&text, "warning: %s",
			 text_of(node_get(why->missing, "what"), "?"));
		page_say(page, COLOR_ALARM, 0, 2, &text);
	}
}

/* Where nothing could be looked for, nothing found means nothing. */
static bool can_tell(const struct why *why, struct err *err)
{
	if (why->has_findings || why->summary.heads.fault)
		return true;
	return err_set(err, ERR_CANNOT, "cannot tell whether anything is wrong: %s",
		       shown_findings_missing(why->missing, why->summary.heads.go));
}

static bool read_all(struct why *why, struct reader *reader, struct err *err)
{
	return reader_visit(reader,
			    &(struct reader_calls){ .element = read_member,
						    .array = note_array,
						    .arg = why },
			    err);
}

static bool print_json(struct why *why, struct reader *reader, struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);

	why->out = out;
	sink_begin(out, SINK_ARRAY);
	bool whole = read_all(why, reader, err);
	sink_end(out);
	return sink_finish(out, NULL, err) && whole && can_tell(why, err);
}

static void done(struct why *why)
{
	const struct model_heads *heads = &why->summary.heads;

	node_drop(heads->snapshot);
	node_drop(heads->process);
	node_drop(heads->go);
	node_drop(heads->fault);
	node_drop(heads->verdict);
	node_drop(why->missing);
	summary_done(&why->summary);
}

static enum why_answer answer_of(const struct why *why)
{
	if (is_bad(why))
		return WHY_PROBLEM;
	return shown_verdict_is_unknown(why->summary.heads.verdict) ? WHY_UNKNOWN
								    : WHY_NONE;
}

/* Findings as JSON leave no room for it. */
static bool cannot_tell(const struct reader_node *verdict, struct err *err)
{
	const struct reader_node *why = node_get(verdict, "not_checked");

	return err_set(err, ERR_CANNOT, "cannot tell whether anything is wrong: %s",
		       node_count(why) ? text_of(node_at(why, 0), "?")
				       : "the snapshot does not say what was checked");
}

bool why_print(struct reader *reader, const struct page *page, enum why_form form,
	       enum why_answer *ret, struct err *err)
{
	struct why why = { .out = NULL };
	bool ok;

	if (form == WHY_JSON) {
		ok = print_json(&why, reader, err);
	} else {
		ok = read_all(&why, reader, err) && can_tell(&why, err);
		if (ok || why.has_findings)
			print_text(&why, page);
	}
	*ret = answer_of(&why);
	if (ok && *ret == WHY_UNKNOWN && form == WHY_JSON)
		ok = cannot_tell(why.summary.heads.verdict, err);
	done(&why);
	return ok;
}
