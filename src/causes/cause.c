/* SPDX-License-Identifier: Apache-2.0 */
#include "src/causes/cause.h"

#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/table.h"
#include "lib/document/reader.h"
#include "src/causes/document_stack.h"

const char *const cause_kinds[] = {
	[CAUSE_FAULT] = "fault",     [CAUSE_KILLED] = "killed",
	[CAUSE_FINDING] = "finding", [CAUSE_GROUP] = "goroutines",
	[CAUSE_NONE] = "unknown",
};

enum { SENTENCE_BYTES = 1000, PLACES_COUNTED = 100000 };

struct reading {
	struct cause *ret;
	const struct reader_node *process, *trigger, *fault, *finding; /* held */
	struct text fault_text;
	bool fault_is_shared; /* by all programs that have the same functions */
	uint64_t goroutines, most;
	struct table counts;		  /* of goroutines, by fingerprint */
	struct text biggest, place, said; /* of the group with most; the place in words */
};

static void keep(const struct reader_node **place, const struct reader_node *node)
{
	node_drop(*place);
	*place = node_hold(node);
}

static struct document_fault fault_of(const struct reading *r)
{
	return (struct document_fault){ r->fault, r->process };
}

static void read_fault(struct reading *r, const struct reader_node *frames)
{
	const struct document_fault fault = fault_of(r);
	struct stack_text stack;

	if (r->fault_text.len)
		return;
	document_fault_text(&r->fault_text, &fault, frames, &stack);
	r->fault_is_shared = stack.own > 0 && !stack.is_ambiguous;
	stack_text_done(&stack);
}

/* Goroutines whose stacks differ only in what fingerprints leave out are in one place. */
static void count_group(struct reading *r, const struct stack_text *stack, uint64_t count)
{
	struct text text = { .words = NULL };

	fingerprint_add_group(&text, stack);
	const uint64_t key = hash_text(text_words(&text)),
		       all = table_get(&r->counts, key, 0) + count;
	if (r->counts.count < PLACES_COUNTED || all > count)
		table_set(&r->counts, key, 0, all);
	if (all <= r->most) {
		text_done(&text);
		return;
	}
	r->most = all;
	text_done(&r->biggest);
	text_done(&r->place);
	text_done(&r->said);
	r->biggest = text;
	text_add(&r->place, "%s", text_words(&stack->place));
	stack_text_say(&r->said, stack);
}

/* Of those that are of the program; what the library waits in by itself is seldom the cause. */
static void read_group(struct reading *r, const struct reader_node *group)
{
	const struct document_fault fault = fault_of(r);
	const struct reader_node *frames = node_get(group, "frames");
	const int64_t count = node_int(node_get(group, "count"), 0);
	struct stack_text stack;

	r->goroutines += count > 0 ? (uint64_t)count : 0;
	if (document_fault_in_group(&fault, group))
		read_fault(r, frames);
	if (count <= 0)
		return;
	document_stack(&stack, frames);
	if (stack.own > 0)
		count_group(r, &stack, (uint64_t)count);
	stack_text_done(&stack);
}

static void read_thread(struct reading *r, const struct reader_node *thread)
{
	const struct document_fault fault = fault_of(r);

	if (document_fault_in_thread(&fault, thread))
		read_fault(r, node_get(thread, "frames"));
}

/* The document has the worst first. */
static void read_finding(struct reading *r, const struct reader_node *finding)
{
	const char *severity = text_of(node_get(finding, "severity"), "info"),
		   *fingerprint = text_of(node_get(finding, "fingerprint"), "");

	if (!r->finding && strcmp(severity, "info") != 0 && fingerprint_is(fingerprint))
		r->finding = node_hold(finding);
}

static bool read_member(void *arg, const char *member, size_t index,
			const struct reader_node *node)
{
	struct reading *r = arg;

	(void)index;
	identity_add(&r->ret->identity, member, node);
	if (strcmp(member, "process") == 0)
		keep(&r->process, node);
	else if (strcmp(member, "trigger") == 0)
		keep(&r->trigger, node);
	else if (strcmp(member, "fault") == 0)
		keep(&r->fault, node);
	else if (strcmp(member, "findings") == 0)
		read_finding(r, node);
	else if (strcmp(member, "groups") == 0)
		read_group(r, node);
	else if (strcmp(member, "threads") == 0)
		read_thread(r, node);
	/* Nothing that matters comes later. */
	return strcmp(member, "goroutines") != 0;
}

static void set_text(struct cause *cause, const char *text)
{
	cause->text = text_shortened(text, SENTENCE_BYTES);
}

static void by_fault(struct reading *r)
{
	struct cause *ret = r->ret;
	const char *stored = text_of(node_get(r->fault, "fingerprint"), "");

	ret->kind = CAUSE_FAULT;
	ret->of_program = !r->fault_is_shared;
	/* Of a document that was cut off, its frames are missing. */
	if (!r->fault_text.len && fingerprint_is(stored)) {
		memcpy(ret->fingerprint, stored, FINGERPRINT_TEXT);
	} else {
		read_fault(r, NULL);
		fingerprint_of(&r->fault_text, ret->fingerprint);
	}
	set_text(ret, text_of(node_get(r->fault, "verdict"),
			      text_of(node_get(r->fault, "kind"), "it crashed")));
}

static void by_finding(const struct reading *r)
{
	r->ret->kind = CAUSE_FINDING;
	memcpy(r->ret->fingerprint, text_of(node_get(r->finding, "fingerprint"), ""),
	       FINGERPRINT_TEXT);
	set_text(r->ret, text_of(node_get(r->finding, "text"), "?"));
}

static void add_biggest(struct text *text, const struct reading *r)
{
	text_add_count(text, r->most);
	text_add(text, " of ");
	text_add_counted(text, r->goroutines, "goroutine");
	text_add(text, r->most == 1 ? " is at " : " are at ");
	text_add(text, "%s", text_words(&r->said));
	text_add(text, ".");
}

static void by_group(struct reading *r)
{
	struct text text = { .words = NULL };

	r->ret->kind = CAUSE_GROUP;
	fingerprint_of(&r->biggest, r->ret->fingerprint);
	add_biggest(&text, r);
	set_text(r->ret, text_words(&text));
	text_done(&text);
}

/* Goroutines that pile up are what takes the memory, if anything in the document is. */
static void by_memory(struct reading *r)
{
	struct text text = { .words = NULL };

	r->ret->kind = CAUSE_KILLED;
	text_add(&text, "gosnap " FINGERPRINT_RULE " killed\n%s", text_words(&r->place));
	fingerprint_of(&text, r->ret->fingerprint);
	text_done(&text);
	text_add(&text, "It was killed for want of memory.");
	if (r->most) {
		text_add(&text, " ");
		add_biggest(&text, r);
	}
	set_text(r->ret, text_words(&text));
	text_done(&text);
}

static void by_nothing(struct cause *ret)
{
	struct text text = { .words = NULL };

	ret->kind = CAUSE_NONE;
	text_add(&text, "gosnap " FINGERPRINT_RULE " unknown\n");
	fingerprint_of(&text, ret->fingerprint);
	text_done(&text);
	set_text(ret, "The document shows no cause.");
}

static bool is_for_memory(const struct reading *r)
{
	return strcmp(text_of(node_get(r->trigger, "kind"), ""), "oom") == 0;
}

static void decide(struct reading *r)
{
	const struct document_fault fault = fault_of(r);

	r->ret->of_program = true;
	if (r->fault && !document_fault_is_sent(&fault))
		by_fault(r);
	else if (is_for_memory(r))
		by_memory(r);
	else if (r->finding)
		by_finding(r);
	else if (r->most)
		by_group(r);
	else if (r->fault)
		by_fault(r);
	else
		by_nothing(r->ret);
}

bool cause_read(struct reader *reader, struct cause *ret, struct err *err)
{
	struct reading r = { .ret = ret };
	const bool whole = reader_each(reader, read_member, &r, err);
	const bool ok = whole || ret->identity.taken_at;

	ret->damaged = !whole;
	decide(&r);
	node_drop(r.process);
	node_drop(r.trigger);
	node_drop(r.fault);
	node_drop(r.finding);
	text_done(&r.fault_text);
	text_done(&r.biggest);
	text_done(&r.place);
	text_done(&r.said);
	table_free(&r.counts);
	return ok;
}

void cause_done(struct cause *cause)
{
	identity_done(&cause->identity);
	xfree(cause->text);
}
