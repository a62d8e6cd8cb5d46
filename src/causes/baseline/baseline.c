/* SPDX-License-Identifier: Apache-2.0 */
#include "src/causes/baseline/baseline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"

static void set(char **field, const char *text)
{
	if (!text)
		return;
	char *copy = xstrdup(text);
	xfree(*field);
	*field = copy;
}

void baseline_key(const char *program, const char *executable,
		  char ret[static FINGERPRINT_TEXT])
{
	AUTO(xfree)
	char *text =
		xasprintf("%s\n%s", program ? program : "", executable ? executable : "");

	snprintf(ret, FINGERPRINT_TEXT, "%016" PRIx64, hash_text(text));
}

static struct baseline_group *find(const struct baseline *b, const char *fingerprint)
{
	const uint64_t i = table_get(&b->by_fingerprint, hash_text(fingerprint), 0);

	return i ? &b->groups[i - 1] : NULL;
}

const struct baseline_group *baseline_find(const struct baseline *b,
					   const char *fingerprint)
{
	return find(b, fingerprint);
}

static void widen(struct range *range, struct quantity quantity)
{
	if (!quantity.known)
		return;
	if (!range->known || quantity.value < range->least)
		range->least = quantity.value;
	if (!range->known || quantity.value > range->most)
		range->most = quantity.value;
	range->known = true;
}

static struct baseline_group *add_group(struct baseline *b,
					const struct measured_group *from)
{
	GROW(b->groups, b->group_count, b->group_cap);
	struct baseline_group *ret = &b->groups[b->group_count++];
	*ret = (struct baseline_group){ .place = xstrdup(from->place),
					.least = from->count };
	memcpy(ret->fingerprint, from->fingerprint, sizeof(ret->fingerprint));
	table_set(&b->by_fingerprint, hash_text(from->fingerprint), 0, b->group_count);
	return ret;
}

static void add_state(struct baseline_group *group, const char *name)
{
	for (size_t i = 0; i < group->state_count; i++)
		if (strcmp(group->states[i], name) == 0)
			return;
	if (group->state_count < MEASURED_STATES)
		group->states[group->state_count++] = xstrdup(name);
}

static void merge_group(struct baseline *b, const struct measured_group *from)
{
	struct baseline_group *group = find(b, from->fingerprint);

	if (!group)
		group = add_group(b, from);
	group->documents++;
	group->least = from->count < group->least ? from->count : group->least;
	group->most = from->count > group->most ? from->count : group->most;
	for (size_t i = 0; i < from->state_count; i++)
		add_state(group, from->states[i].name);
}

static void merge_entry(struct baseline *b, const struct measured_entry *from,
			bool is_same_process)
{
	const uint64_t key = hash_text(from->function);
	uint64_t i = table_get(&b->by_entry, key, 0);

	if (!i) {
		GROW(b->entries, b->entry_count, b->entry_cap);
		b->entries[b->entry_count++] = (struct baseline_entry){
			.function = xstrdup(from->function),
			.least = from->count,
		};
		i = b->entry_count;
		table_set(&b->by_entry, key, 0, i);
	}
	struct baseline_entry *entry = &b->entries[i - 1];
	entry->lasted +=
		is_same_process && entry->documents && entry->oldest == from->oldest;
	entry->oldest = from->oldest;
	entry->documents++;
	entry->least = from->count < entry->least ? from->count : entry->least;
	entry->most = from->count > entry->most ? from->count : entry->most;
}

static void merge_finding(struct baseline *b, const struct measured_finding *from)
{
	struct baseline_finding *finding = b->findings;

	for (size_t i = 0; i < b->finding_count; i++, finding++)
		if (strcmp(finding->fingerprint, from->fingerprint) == 0) {
			finding->documents++;
			set(&finding->text, from->text);
			return;
		}
	if (b->finding_count == BASELINE_FINDINGS)
		return;
	GROW(b->findings, b->finding_count, b->finding_cap);
	finding = &b->findings[b->finding_count++];
	*finding = (struct baseline_finding){ .kind = xstrdup(from->kind),
					      .text = xstrdup(from->text),
					      .documents = 1 };
	memcpy(finding->fingerprint, from->fingerprint, sizeof(finding->fingerprint));
}

static int seen_most_first(const void *a, const void *b)
{
	const struct baseline_group *x = a, *y = b;

	if (x->documents != y->documents)
		return x->documents < y->documents ? 1 : -1;
	if (x->most != y->most)
		return x->most < y->most ? 1 : -1;
	return strcmp(x->fingerprint, y->fingerprint);
}

static int entries_seen_most_first(const void *a, const void *b)
{
	const struct baseline_entry *x = a, *y = b;

	if (x->documents != y->documents)
		return x->documents < y->documents ? 1 : -1;
	return strcmp(x->function, y->function);
}

static void group_done(struct baseline_group *group)
{
	xfree(group->place);
	for (size_t i = 0; i < group->state_count; i++)
		xfree(group->states[i]);
}

static void bound_entries(struct baseline *b)
{
	if (!b->entry_count)
		return;
	qsort(b->entries, b->entry_count, sizeof(*b->entries), entries_seen_most_first);
	while (b->entry_count > BASELINE_ENTRIES)
		xfree(b->entries[--b->entry_count].function);
	table_clear(&b->by_entry);
	for (size_t i = 0; i < b->entry_count; i++)
		table_set(&b->by_entry, hash_text(b->entries[i].function), 0, i + 1);
}

/* A program that is caught in ever new places must not make it ever larger. */
static void bound_groups(struct baseline *b)
{
	if (!b->group_count)
		return;
	qsort(b->groups, b->group_count, sizeof(*b->groups), seen_most_first);
	while (b->group_count > BASELINE_GROUPS)
		group_done(&b->groups[--b->group_count]);
	table_clear(&b->by_fingerprint);
	for (size_t i = 0; i < b->group_count; i++)
		table_set(&b->by_fingerprint, hash_text(b->groups[i].fingerprint), 0,
			  i + 1);
}

void baseline_add(struct baseline *b, const struct measured *m)
{
	const char *time = m->identity.taken_at;
	const bool is_same_process =
		b->process && m->process && strcmp(b->process, m->process) == 0;

	set(&b->process, m->process);
	set(&b->program, m->identity.program);
	set(&b->executable, m->executable);
	set(&b->version, m->identity.version);
	set(&b->go, m->identity.go);
	if (time && (!b->first || strcmp(time, b->first) < 0))
		set(&b->first, time);
	if (time && (!b->last || strcmp(time, b->last) > 0))
		set(&b->last, time);
	b->documents++;
	widen(&b->goroutines, m->goroutines);
	widen(&b->threads, m->threads);
	widen(&b->heap_inuse_bytes, m->heap_inuse_bytes);
	for (size_t i = 0; i < m->group_count; i++)
		merge_group(b, &m->groups[i]);
	for (size_t i = 0; i < m->entry_count; i++)
		merge_entry(b, &m->entries[i], is_same_process);
	for (size_t i = 0; i < m->finding_count; i++)
		merge_finding(b, &m->findings[i]);
	bound_groups(b);
	bound_entries(b);
}

void baseline_done(struct baseline *b)
{
	xfree(b->program);
	xfree(b->executable);
	xfree(b->version);
	xfree(b->go);
	xfree(b->first);
	xfree(b->last);
	xfree(b->process);
	for (size_t i = 0; i < b->group_count; i++)
		group_done(&b->groups[i]);
	for (size_t i = 0; i < b->entry_count; i++)
		xfree(b->entries[i].function);
	for (size_t i = 0; i < b->finding_count; i++) {
		xfree(b->findings[i].kind);
		xfree(b->findings[i].text);
	}
	xfree(b->groups);
	xfree(b->entries);
	xfree(b->findings);
	table_free(&b->by_fingerprint);
	table_free(&b->by_entry);
}
