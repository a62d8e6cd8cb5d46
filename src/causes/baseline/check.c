/* SPDX-License-Identifier: Apache-2.0 */
#include "src/causes/baseline/check.h"

#include <stdlib.h>
#include <string.h>

#include "lib/document/sink.h"
#include "src/viewer/terminal/page.h"

struct checking {
	struct deviations *to;
	const struct baseline *normal;
	const struct measured *now;
	const struct check_limits *limits;
};

static struct text *add(const struct checking *c, enum deviation_kind kind,
			const char *fingerprint, uint64_t now, uint64_t most)
{
	struct deviations *all = c->to;

	GROW(all->list, all->count, all->cap);
	all->list[all->count++] = (struct deviation){
		.kind = kind, .fingerprint = fingerprint, .now = now, .most = most
	};
	return &all->list[all->count - 1].text;
}

static bool is_more(uint64_t now, uint64_t most, uint64_t factor, uint64_t least)
{
	return now > most && now - most >= least && now / factor >= most;
}

static bool has_grown(const struct checking *c, uint64_t now, uint64_t most)
{
	return is_more(now, most, c->limits->factor, c->limits->least);
}

static void say_are(struct text *text, uint64_t n)
{
	text_add_counted(text, n, "goroutine");
	text_add(text, n == 1 ? " is" : " are");
}

static void say_before(struct text *text, uint64_t most)
{
	text_add(text, ", and at most ");
	text_add_count(text, most);
	text_add(text, " before");
}

/* Where goroutines run is chance, and how many can is seen in all of them: those count that wait. */
static void check_group(const struct checking *c, const struct measured_group *group)
{
	const struct baseline_group *normal =
		baseline_find(c->normal, group->fingerprint);
	struct text *text;

	if (!normal && group->waiting >= c->limits->least) {
		text = add(c, DEVIATION_NEW, group->fingerprint, group->waiting, 0);
		say_are(text, group->waiting);
		text_add(text, " at %s, and none was before.", group->place);
	} else if (normal && has_grown(c, group->waiting, normal->most)) {
		text = add(c, DEVIATION_GROWN, group->fingerprint, group->waiting,
			   normal->most);
		say_are(text, group->waiting);
		text_add(text, " at %s", group->place);
		say_before(text, normal->most);
		text_add(text, ".");
	}
}

/* What was always there. Where goroutines are changes from moment to moment, where they began does not;
 * and one of these was the same from document to document. */
static void check_missing(const struct checking *c, const struct baseline_entry *entry)
{
	if (c->normal->documents < CHECK_SURE ||
	    entry->documents < c->normal->documents || entry->lasted + 1 < CHECK_SURE ||
	    measured_has_entry(c->now, entry->function))
		return;
	struct text *text = add(c, DEVIATION_MISSING, NULL, 0, entry->most);
	text_add(text,
		 "No goroutine that began in %s is left; there always was at least ",
		 entry->function);
	text_add_count(text, entry->least);
	text_add(text, ".");
}

static bool is_known(const struct baseline *normal, const char *fingerprint)
{
	for (size_t i = 0; i < normal->finding_count; i++)
		if (strcmp(normal->findings[i].fingerprint, fingerprint) == 0)
			return true;
	return false;
}

static void check_finding(const struct checking *c,
			  const struct measured_finding *finding)
{
	if (strcmp(finding->severity, "info") == 0 ||
	    is_known(c->normal, finding->fingerprint))
		return;
	text_add(add(c, DEVIATION_FINDING, finding->fingerprint,
		     strcmp(finding->severity, "critical") == 0, 0),
		 "A new finding, %s: %s", finding->severity, finding->text);
}

static void check_quantity(const struct checking *c, enum deviation_kind kind,
			   const struct quantity *now, const struct range *normal,
			   const char *noun)
{
	if (!now->known || !normal->known || !has_grown(c, now->value, normal->most))
		return;
	struct text *text = add(c, kind, NULL, now->value, normal->most);
	text_add(text, "There are ");
	text_add_counted(text, now->value, noun);
	text_add(text, now->value == 1 ? "" : " in all");
	say_before(text, normal->most);
	text_add(text, ".");
}

static void check_heap(const struct checking *c)
{
	const struct quantity *now = &c->now->heap_inuse_bytes;
	const struct range *normal = &c->normal->heap_inuse_bytes;

	if (!now->known || !normal->known ||
	    !is_more(now->value, normal->most, c->limits->factor, CHECK_HEAP_BYTES))
		return;
	struct text *text = add(c, DEVIATION_HEAP, NULL, now->value, normal->most);
	text_add(text, "The heap has ");
	text_add_size(text, now->value);
	text_add(text, " in use, and at most ");
	text_add_size(text, normal->most);
	text_add(text, " before.");
}

static int worst_first(const void *a, const void *b)
{
	const struct deviation *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->now - x->most != y->now - y->most && x->kind != DEVIATION_MISSING)
		return x->now - x->most > y->now - y->most ? -1 : 1;
	return strcmp(text_words(&x->text), text_words(&y->text));
}

void check(struct deviations *ret, const struct baseline *normal,
	   const struct measured *now, const struct check_limits *limits)
{
	const struct checking c = { ret, normal, now, limits };

	*ret = (struct deviations){ .list = NULL };
	if (now->fault)
		text_add(add(&c, DEVIATION_CRASHED, NULL, 1, 0), "It crashed: %s",
			 now->fault);
	for (size_t i = 0; i < now->finding_count; i++)
		check_finding(&c, &now->findings[i]);
	for (size_t i = 0; i < now->group_count; i++)
		check_group(&c, &now->groups[i]);
	for (size_t i = 0; i < normal->entry_count; i++)
		check_missing(&c, &normal->entries[i]);
	check_quantity(&c, DEVIATION_GOROUTINES, &now->goroutines, &normal->goroutines,
		       "goroutine");
	check_quantity(&c, DEVIATION_THREADS, &now->threads, &normal->threads, "thread");
	check_heap(&c);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), worst_first);
}

void deviations_done(struct deviations *all)
{
	for (size_t i = 0; i < all->count; i++)
		text_done(&all->list[i].text);
	xfree(all->list);
}
