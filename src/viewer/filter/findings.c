/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/findings.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/document/reader.h"

void findings_add(struct findings *all, const struct reader_node *finding)
{
	const struct reader_node *ids = node_get(finding, "goroutines");
	const char *kind = node_string(node_get(finding, "kind"), NULL);

	for (size_t i = 0; kind && i < node_count(ids); i++) {
		GROW(all->list, all->count, all->cap);
		all->list[all->count++] =
			(struct finding_of){ node_int(node_at(ids, i), -1),
					     xstrdup(kind) };
	}
	all->sorted = false;
}

static int by_id(const void *a, const void *b)
{
	const struct finding_of *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

const char *findings_of(struct findings *all, int64_t id, size_t i)
{
	size_t low = 0, high = all->count;

	if (!all->sorted && all->count > 0)
		qsort(all->list, all->count, sizeof(*all->list), by_id);
	all->sorted = true;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (all->list[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	low += i;
	return low < all->count && all->list[low].id == id ? all->list[low].kind : NULL;
}

void findings_done(struct findings *all)
{
	for (size_t i = 0; i < all->count; i++)
		xfree(all->list[i].kind);
	xfree(all->list);
	*all = (struct findings){ .list = NULL };
}
