/* SPDX-License-Identifier: Apache-2.0 */
#include "src/profile/goroutine_groups.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/table.h"
#include "redaction/redaction.h"
#include "src/profile/pprof.h"

static const char hidden[] = "[redacted]";

struct label_text {
	char *key, *value;
	size_t key_len, value_len;
};

struct labels {
	struct label_text *list;
	size_t count;
};

struct group {
	const struct goroutine *first;
	size_t labels; /* index of the set; that of none is 0 */
	uint64_t count;
	size_t order; /* of its first */
};

struct goroutine_groups {
	struct runtime *rt;
	struct redaction *redaction;
	struct group *list;
	size_t count, cap;
	struct labels *sets;
	size_t set_count, set_cap;
	struct table set_numbers; /* by hash and attempt, one more */
	struct table stack_keys;  /* of a stack: what its frames hash to */
	struct table numbers;	  /* of groups, one more: by that and the set */
};

static char *copy(const char *bytes, size_t len)
{
	char *made = xmalloc(len + 1);

	if (len)
		memcpy(made, bytes, len);
	made[len] = '\0';
	return made;
}

static char *without_secrets(const struct goroutine_groups *groups, const char *rule,
			     const struct go_text *text, size_t *ret_len)
{
	if (rule) {
		*ret_len = strlen(hidden);
		return xstrdup(hidden);
	}
	struct redacted left =
		redaction_of_text(groups->redaction, 0, text->bytes, text->len);
	const char *bytes = left.rule ? (left.text ? left.text : hidden) : text->bytes;
	*ret_len = left.rule ? (left.text ? left.len : strlen(hidden)) : text->len;
	char *made = copy(bytes, *ret_len);
	redacted_done(&left);
	return made;
}

/* *complete: false if any is missing, or not whole. */
static struct labels read_labels(const struct goroutine_groups *groups,
				 const struct label_set *set, bool *complete)
{
	struct labels made = { .list = xcalloc(set->count + 1, sizeof(*made.list)) };

	*complete = !set->unreadable && !set->omitted;
	for (size_t i = 0; i < set->count; i++) {
		const struct label *label = &set->list[i];
		struct label_text *to = &made.list[made.count];
		if (label->key.unreadable || label->value.unreadable) {
			*complete = false;
			continue;
		}
		*complete = *complete && !label->key.omitted && !label->value.omitted;
		to->key = without_secrets(groups, NULL, &label->key, &to->key_len);
		to->value = without_secrets(groups,
					    redaction_of_name(groups->redaction,
							      label->key.bytes,
							      label->key.len),
					    &label->value, &to->value_len);
		made.count++;
	}
	return made;
}

static void labels_done(struct labels *labels)
{
	for (size_t i = 0; i < labels->count; i++) {
		xfree(labels->list[i].key);
		xfree(labels->list[i].value);
	}
	xfree(labels->list);
}

static uint64_t hash_of(const struct labels *labels)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < labels->count; i++) {
		const struct label_text *l = &labels->list[i];
		hash = table_hash(hash, table_hash_bytes(l->key, l->key_len));
		hash = table_hash(hash, table_hash_bytes(l->value, l->value_len));
	}
	return hash;
}

static bool equal(const struct labels *a, const struct labels *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct label_text *x = &a->list[i], *y = &b->list[i];
		if (x->key_len != y->key_len || x->value_len != y->value_len ||
		    memcmp(x->key, y->key, x->key_len) != 0 ||
		    memcmp(x->value, y->value, x->value_len) != 0)
			return false;
	}
	return true;
}

/* Takes the labels. */
static size_t set_number(struct goroutine_groups *groups, struct labels labels)
{
	const uint64_t hash = hash_of(&labels);

	for (uint64_t try = 0;; try++) {
		const uint64_t found = table_get(&groups->set_numbers, hash, try);
		if (found && equal(&groups->sets[found - 1], &labels)) {
			labels_done(&labels);
			return found - 1;
		}
		if (found)
			continue;
		GROW(groups->sets, groups->set_count, groups->set_cap);
		groups->sets[groups->set_count] = labels;
		table_set(&groups->set_numbers, hash, try, ++groups->set_count);
		return groups->set_count - 1;
	}
}

static void hash_frame(void *arg, const struct profile_frame *frame)
{
	uint64_t *hash = arg;

	*hash = table_hash(*hash, frame->pc);
}

/* Stacks that differ only in what is not shown are one. */
static uint64_t stack_key(struct goroutine_groups *groups, const struct goroutine *g)
{
	const uint64_t stack = (uint64_t)g->stack + 1,
		       call = runtime_syscall_pc(groups->rt, g);
	uint64_t key = table_get(&groups->stack_keys, stack, call);

	if (key)
		return key;
	runtime_each_profile_frame(groups->rt, g, hash_frame, &key);
	key |= 1;
	table_set(&groups->stack_keys, stack, call, key);
	return key;
}

static void count(struct goroutine_groups *groups, const struct goroutine *g,
		  size_t labels)
{
	const uint64_t key = stack_key(groups, g);
	uint64_t number = table_get(&groups->numbers, key, labels);

	if (!number) {
		GROW(groups->list, groups->count, groups->cap);
		groups->list[groups->count] = (struct group){ .first = g,
							      .labels = labels,
							      .order = groups->count };
		number = ++groups->count;
		table_set(&groups->numbers, key, labels, number);
	}
	groups->list[number - 1].count++;
}

/* Returns whether it is complete. */
static bool add(struct goroutine_groups *groups, const struct goroutine *g)
{
	const struct label_set *labels = runtime_labels(groups->rt, g);
	bool complete = true;
	const size_t set =
		labels ? set_number(groups, read_labels(groups, labels, &complete)) : 0;

	count(groups, g, set);
	return complete && g->state == STACK_COMPLETE;
}

static int compare(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

struct goroutine_groups *goroutine_groups_new(struct runtimes *all, struct runtime *rt,
					      struct redaction *redaction,
					      size_t *ret_incomplete)
{
	struct goroutine_groups *groups = xcalloc(1, sizeof(*groups));
	const size_t n = runtimes_goroutine_count(all);

	groups->rt = rt;
	groups->redaction = redaction;
	*ret_incomplete = 0;
	set_number(groups, (struct labels){ .list = NULL });
	for (size_t i = 0; i < n; i++) {
		const struct goroutine_of of = runtimes_goroutine(all, i);
		const struct goroutine *g = of.goroutine;
		if (of.runtime == rt && goroutine_has_stack(g) && !g->system)
			*ret_incomplete += !add(groups, g);
	}
	if (groups->count)
		qsort(groups->list, groups->count, sizeof(*groups->list), compare);
	return groups;
}

void goroutine_groups_free(struct goroutine_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->set_count; i++)
		labels_done(&groups->sets[i]);
	xfree(groups->sets);
	xfree(groups->list);
	table_free(&groups->set_numbers);
	table_free(&groups->stack_keys);
	table_free(&groups->numbers);
	xfree(groups);
}

void goroutine_groups_encode(const struct goroutine_groups *groups, struct pprof *to)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->list[i];
		const struct labels *set = &groups->sets[group->labels];
		runtime_each_profile_frame(groups->rt, group->first, pprof_frame, to);
		for (size_t l = 0; l < set->count; l++)
			pprof_label_text(to, set->list[l].key, set->list[l].key_len,
					 set->list[l].value, set->list[l].value_len);
		pprof_sample(to, &group->count, 1);
	}
}
