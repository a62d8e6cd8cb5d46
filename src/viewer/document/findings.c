/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/document/details.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

enum {
	OBJECTS = 1 << 14, /* slots */
	OBJECTS_FULL = OBJECTS / 4 * 3,
	OBJECTS_SHOWN = 3,
	CROWD = 10, /* goroutines that are worth mentioning */
};

void findings_done(struct findings *findings)
{
	xfree(findings->objects);
}

/* Its slot, or a free one for it. */
static struct finding_object *place_of(struct finding_object *objects, uint64_t addr)
{
	size_t i = (addr * 0x9e3779b97f4a7c15) >> 50;
	_Static_assert(OBJECTS == 1 << (64 - 50), "the hash has as many bits");
	while (objects[i].addr != 0 && objects[i].addr != addr)
		i = (i + 1) % OBJECTS;
	return &objects[i];
}

/* Makes room by dropping the objects with the fewest waiters, by "lossy counting"
 * (Manku, Motwani 2002): objects with many waiters remain, off by at most the number
 * of sweeps. */
static void sweep(struct findings *findings)
{
	struct finding_object *old = findings->objects;
	struct finding_object *objects = xcalloc(OBJECTS, sizeof(*objects));
	findings->sweeps++;
	findings->object_count = 0;
	for (size_t i = 0; i < OBJECTS; i++) {
		if (old[i].waiters + old[i].missed <= findings->sweeps)
			continue;
		*place_of(objects, old[i].addr) = old[i];
		findings->object_count++;
	}
	findings->objects = objects;
	xfree(old);
}

static void add_object(struct findings *findings, uint64_t addr, const char *kind)
{
	struct finding_object *object;
	if (!findings->objects)
		findings->objects = xcalloc(OBJECTS, sizeof(*findings->objects));
	while (findings->object_count >= OBJECTS_FULL)
		sweep(findings);
	object = place_of(findings->objects, addr);
	if (object->addr == 0) {
		*object = (struct finding_object){
			.addr = addr,
			.missed = findings->sweeps,
			.kind = kind,
		};
		findings->object_count++;
	}
	object->waiters++;
}

/* NULL: many waiters are normal, such as workers that receive. */
static const char *contended_kind(const struct reader_node *waiting_for)
{
	static const char *const kinds[] = { "mutex", "rwmutex", "semaphore",
					     "waitgroup" };
	const char *kind = node_string(node_get(waiting_for, "kind"), "");
	const char *operation = node_string(node_get(waiting_for, "operation"), "");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kind, kinds[i]) == 0)
			return kinds[i];
	return strcmp(kind, "channel") == 0 && strcmp(operation, "send") == 0 ? "channel"
									      : NULL;
}

/* The wait reason, if it should not take long. NULL: waits for work, time or the network
 * may be long. */
static const char *impatient_reason(const struct reader_node *goroutine)
{
	static const char *const reasons[] = {
		"chan send",	     "semacquire",	   "sync.Mutex.Lock",
		"sync.RWMutex.Lock", "sync.RWMutex.RLock",
	};
	const char *reason = text_of(node_get(goroutine, "wait_reason"), "");
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (strcmp(reason, reasons[i]) == 0)
			return reasons[i];
	return NULL;
}

void findings_add(struct findings *findings, const struct reader_node *goroutine)
{
	const struct reader_node *what = node_get(goroutine, "waiting_for");
	uint64_t addr = node_address(node_get(what, "address"), 0);
	const char *kind = addr ? contended_kind(what) : NULL;
	const char *reason = impatient_reason(goroutine);
	int64_t ns = node_int(node_get(goroutine, "waiting_ns"), -1);
	int64_t id = node_int(node_get(goroutine, "id"), -1);
	if (kind)
		add_object(findings, addr, kind);
	if (reason && ns > findings->longest.ns) {
		findings->longest.reason = reason;
		findings->longest.ns = ns;
		findings->longest.id = id;
		findings->longest.group = node_int(node_get(goroutine, "group"), -1);
	}
	if (details_panics(node_get(goroutine, "panics")) && findings->panicking++ == 0)
		findings->panicking_id = id;
	findings->leaked +=
		strcmp(text_of(node_get(goroutine, "status"), ""), "leaked") == 0;
}

uint64_t findings_waiters(const struct findings *findings, uint64_t addr)
{
	return findings->objects && addr ? place_of(findings->objects, addr)->waiters : 0;
}

static int by_waiters(const void *a, const void *b)
{
	const struct finding_object *x = a, *y = b;
	if (x->waiters != y->waiters)
		return x->waiters > y->waiters ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static bool is_worth_a_word(const struct finding_object *object)
{
	return object->waiters >= CROWD ||
	       (object->waiters > 1 && strcmp(object->kind, "channel") != 0);
}

struct printing {
	const struct page *page;
	bool begun; /* the title has been printed */
};

static void print_line(struct printing *p, enum color color, struct text *line)
{
	if (!p->begun)
		fputs("\nWorth a look:\n", p->page->out);
	p->begun = true;
	page_say(p->page, color, 2, 6, line);
}

static void print_panics(struct printing *p, const struct findings *findings)
{
	struct text text = { 0 };
	if (findings->panicking == 0)
		return;
	text_add(&text, "goroutine %" PRId64, findings->panicking_id);
	if (findings->panicking > 1) {
		text_add(&text, " and ");
		text_add_counted(&text, findings->panicking - 1, "other");
	}
	text_add(&text, findings->panicking > 1 ? " panic" : " panics");
	print_line(p, COLOR_ALARM, &text);
}

static void print_leaked(struct printing *p, const struct findings *findings)
{
	struct text text = { 0 };
	if (findings->leaked == 0)
		return;
	text_add_counted(&text, findings->leaked, "goroutine");
	text_add(&text, " leaked, according to the garbage collector");
	print_line(p, COLOR_PLAIN, &text);
}

static void print_object(struct printing *p, const struct finding_object *object)
{
	struct text text = { 0 };
	text_add(&text, "%s", object->missed ? "at least " : "");
	text_add_counted(&text, object->waiters, "goroutine");
	text_add(&text, " wait for %s 0x%" PRIx64, object->kind, object->addr);
	print_line(p, COLOR_PLAIN, &text);
}

static void print_objects(struct printing *p, const struct findings *findings)
{
	AUTO(xfree)
	struct finding_object *objects = xcalloc(OBJECTS, sizeof(*objects));
	size_t n = 0;
	for (size_t i = 0; findings->objects && i < OBJECTS; i++)
		if (is_worth_a_word(&findings->objects[i]))
			objects[n++] = findings->objects[i];
	qsort(objects, n, sizeof(*objects), by_waiters);
	for (size_t i = 0; i < n && i < OBJECTS_SHOWN; i++)
		print_object(p, &objects[i]);
}

struct crowd {
	const char *place;
	uint64_t goroutines;
};

static int by_place(const void *a, const void *b)
{
	return strcmp(((const struct crowd *)a)->place, ((const struct crowd *)b)->place);
}

/* Merges stacks in one function that differ further out, or in the line. */
static struct crowd biggest_crowd(const struct summary *summary)
{
	AUTO(xfree)
	struct crowd *crowds = xcalloc(summary->group_count, sizeof(*crowds));
	struct crowd biggest = { NULL, 0 };
	size_t n = 0;
	for (size_t i = 0; i < summary->group_count; i++)
		if (summary->groups[i].place)
			crowds[n++] = (struct crowd){ summary->groups[i].place,
						      summary->groups[i].goroutines };
	qsort(crowds, n, sizeof(*crowds), by_place);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(crowds[i].place, crowds[i - 1].place) == 0)
			crowds[i].goroutines += crowds[i - 1].goroutines;
		if (crowds[i].goroutines > biggest.goroutines)
			biggest = crowds[i];
	}
	return biggest;
}

static void print_crowd(struct printing *p, const struct summary *summary)
{
	struct crowd crowd = biggest_crowd(summary);
	struct text text = { 0 };
	if (crowd.goroutines < CROWD)
		return;
	text_add_counted(&text, crowd.goroutines, "goroutine");
	text_add(&text, " are in %s", crowd.place);
	print_line(p, COLOR_PLAIN, &text);
}

static void print_longest(struct printing *p, struct summary *summary)
{
	const struct findings *findings = &summary->findings;
	const struct summary_group *group =
		summary_find(summary, findings->longest.group);
	struct text text = { 0 };
	if (!findings->longest.reason)
		return;
	text_add(&text, "longest %s: ", findings->longest.reason);
	text_add_duration(&text, findings->longest.ns);
	text_add(&text, ", goroutine %" PRId64, findings->longest.id);
	if (group && group->place)
		text_add(&text, " in %s", group->place);
	print_line(p, COLOR_PLAIN, &text);
}

void findings_print(const struct page *page, struct summary *summary)
{
	struct printing printing = { page, false };
	print_panics(&printing, &summary->findings);
	print_leaked(&printing, &summary->findings);
	print_objects(&printing, &summary->findings);
	print_crowd(&printing, summary);
	print_longest(&printing, summary);
}
