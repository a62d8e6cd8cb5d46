/* SPDX-License-Identifier: Apache-2.0 */
#include "src/causes/explain.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/base/utf8.h"
#include "lib/document/reader.h"
#include "src/causes/document_stack.h"

enum { FINDINGS = 100, GOROUTINES = 100 /* of each */ };

/* A finding comes before the stacks of the goroutines that show it. */
struct told {
	const struct reader_node *finding; /* held */
	struct places places;
};

struct explaining {
	FILE *out;
	const struct reader_node *process, *fault; /* held */
	bool fault_told;
	struct told findings[FINDINGS];
	size_t finding_count;
	/* Goroutines, with 0 and with 1 + the index of each finding that they show. */
	struct table shown;
};

static void print_text(FILE *out, const char *what, const struct text *text)
{
	char fingerprint[FINGERPRINT_TEXT];

	fingerprint_of(text, fingerprint);
	fprintf(out, "%s  %s\n", fingerprint, what);
	for (const char *line = text_words(text); *line;) {
		const size_t len = strcspn(line, "\n");
		fputs("    ", out);
		utf8_print_harmless(out, line, len);
		fputc('\n', out);
		line += len + (line[len] == '\n');
	}
}

static void tell_fault(struct explaining *e, const struct reader_node *frames)
{
	const struct document_fault fault = { e->fault, e->process };
	struct stack_text stack;
	struct text text = { .words = NULL };

	if (e->fault_told)
		return;
	e->fault_told = true;
	document_fault_text(&text, &fault, frames, &stack);
	print_text(e->out, "the fault", &text);
	text_done(&text);
	stack_text_done(&stack);
}

static void note_finding(struct explaining *e, const struct reader_node *finding)
{
	const struct reader_node *ids = node_get(finding, "goroutines");

	if (e->finding_count == FINDINGS)
		return;
	e->findings[e->finding_count++].finding = node_hold(finding);
	for (size_t i = 0; i < node_count(ids) && i < GOROUTINES; i++) {
		const uint64_t id = (uint64_t)node_int(node_at(ids, i), -1);
		table_add(&e->shown, id, 0);
		table_add(&e->shown, id, e->finding_count);
	}
}

static void note_places(struct explaining *e, const struct reader_node *group,
			const struct stack_text *stack)
{
	const struct reader_node *ids = node_get(group, "goroutines");

	for (size_t i = 0; i < node_count(ids); i++) {
		const uint64_t id = (uint64_t)node_int(node_at(ids, i), -2);
		if (!table_get(&e->shown, id, 0))
			continue;
		for (size_t f = 0; f < e->finding_count; f++)
			if (table_get(&e->shown, id, f + 1))
				places_add(&e->findings[f].places,
					   stack_text_place(stack));
	}
}

static void tell_group(struct explaining *e, const struct reader_node *group)
{
	const struct document_fault fault = { e->fault, e->process };
	const struct reader_node *frames = node_get(group, "frames");
	AUTO(xfree)
	char *what = xasprintf("group %" PRId64, node_int(node_get(group, "id"), -1));
	struct stack_text stack;
	struct text text = { .words = NULL };

	if (document_fault_in_group(&fault, group))
		tell_fault(e, frames);
	document_stack(&stack, frames);
	note_places(e, group, &stack);
	fingerprint_add_group(&text, &stack);
	print_text(e->out, what, &text);
	text_done(&text);
	stack_text_done(&stack);
}

static void tell_finding(struct explaining *e, struct told *told)
{
	struct text text = { .words = NULL };

	fingerprint_add_finding(&text, text_of(node_get(told->finding, "kind"), "?"),
				&told->places);
	print_text(e->out, "a finding", &text);
	text_done(&text);
}

static bool read_member(void *arg, const char *member, size_t index,
			const struct reader_node *node)
{
	struct explaining *e = arg;
	const struct document_fault fault = { e->fault, e->process };

	(void)index;
	if (strcmp(member, "process") == 0 && !e->process)
		e->process = node_hold(node);
	else if (strcmp(member, "fault") == 0 && !e->fault)
		e->fault = node_hold(node);
	else if (strcmp(member, "findings") == 0)
		note_finding(e, node);
	else if (strcmp(member, "groups") == 0)
		tell_group(e, node);
	else if (strcmp(member, "threads") == 0 && document_fault_in_thread(&fault, node))
		tell_fault(e, node_get(node, "frames"));
	return strcmp(member, "goroutines") != 0 && !ferror(e->out);
}

bool explain(struct reader *reader, FILE *out, struct err *err)
{
	struct explaining e = { .out = out };
	const bool whole = reader_each(reader, read_member, &e, err);

	if (e.fault)
		tell_fault(&e, NULL);
	for (size_t i = 0; i < e.finding_count; i++) {
		tell_finding(&e, &e.findings[i]);
		places_done(&e.findings[i].places);
		node_drop(e.findings[i].finding);
	}
	node_drop(e.process);
	node_drop(e.fault);
	table_free(&e.shown);
	return whole;
}
