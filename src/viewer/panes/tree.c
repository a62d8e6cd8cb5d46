/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/panes/tree.h"

#include "lib/base/util.h"

void tree_empty(struct tree *tree)
{
	tree->count = 0;
	tree->cut = false;
}

void tree_done(struct tree *tree)
{
	xfree(tree->rows);
	xfree(tree->turned);
	*tree = (struct tree){ .rows = NULL };
}

static size_t find_turned(const struct tree *tree, uint64_t way)
{
	for (size_t i = 0; i < tree->turned_count; i++)
		if (tree->turned[i] == way)
			return i;
	return SIZE_MAX;
}

static uint64_t way_of(uint64_t parent, size_t number)
{
	return (parent ^ (number + 1)) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static size_t append(struct tree *tree, struct tree_row row)
{
	GROW(tree->rows, tree->count, tree->cap);
	tree->rows[tree->count] = row;
	return tree->count++;
}

size_t tree_add(struct tree *tree, size_t parent, size_t number, struct tree_row row)
{
	const struct tree_row *above = parent == SIZE_MAX ? NULL : &tree->rows[parent];

	row.way = way_of(above ? above->way : 0, number);
	row.depth = above ? above->depth + 1 : 0;
	if (tree->count >= TREE_ROWS_MAX || row.depth > TREE_DEPTH_MAX) {
		tree->cut = true;
		return SIZE_MAX;
	}
	row.open = row.opens && row.open != (find_turned(tree, row.way) != SIZE_MAX);
	return append(tree, row);
}

void tree_end(struct tree *tree, int kind)
{
	if (tree->cut)
		append(tree,
		       (struct tree_row){ .kind = kind,
					  .name = "more is not shown: too many rows, or "
						  "too deep" });
}

void tree_turn(struct tree *tree, size_t row)
{
	const size_t i = find_turned(tree, tree->rows[row].way);

	if (i != SIZE_MAX) {
		tree->turned[i] = tree->turned[--tree->turned_count];
		return;
	}
	GROW(tree->turned, tree->turned_count, tree->turned_cap);
	tree->turned[tree->turned_count++] = tree->rows[row].way;
}

size_t tree_parent(const struct tree *tree, size_t row)
{
	for (size_t i = row; i-- > 0;)
		if (tree->rows[i].depth < tree->rows[row].depth)
			return i;
	return SIZE_MAX;
}

void tree_draw_begin(const struct tree *tree, size_t row, struct line *line)
{
	const struct tree_row *r = &tree->rows[row];

	line_pad(line, line->used + 2 * (r->depth < 20 ? r->depth : 20));
	line_add(line, STYLE_FAINT, !r->opens ? "  " : r->open ? "- " : "+ ");
}
