/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h - rows of a tree, of which only what is open is there. Which rows are open is remembered by the way to
 * them, and so survives that rows are made anew. */
#ifndef GOSNAP_TREE_H
#define GOSNAP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/viewer/screen/line.h"

struct reader_node;

struct tree_row {
	uint64_t way; /* hash of the numbers of rows from the root */
	uint32_t depth;
	bool opens, open;
	int kind;			/* the rest is the owner's */
	const struct reader_node *node; /* borrowed */
	const struct reader_node *key;	/* borrowed */
	const char *name;		/* borrowed */
	uint64_t number;
};

/* Zero it. */
struct tree {
	struct tree_row *rows;
	size_t count, cap;
	bool cut;	  /* rows were left out */
	uint64_t *turned; /* ways of rows that are not as they are at first */
	size_t turned_count, turned_cap;
};

enum { TREE_ROWS_MAX = 100000, TREE_DEPTH_MAX = 100 };

/* Removes the rows. */
void tree_empty(struct tree *tree);
void tree_done(struct tree *tree);
/* The number-th row below parent; parent SIZE_MAX: of the root. open: at first. Returns its index; SIZE_MAX: there
 * are too many. */
size_t tree_add(struct tree *tree, size_t parent, size_t number, struct tree_row row);
/* After all rows: one of that kind whose name says that some were left out, if so. */
void tree_end(struct tree *tree, int kind);
/* Opens or closes it; the rows are to be made anew. */
void tree_turn(struct tree *tree, size_t row);
/* The row that it is below; SIZE_MAX: none. */
size_t tree_parent(const struct tree *tree, size_t row);
void tree_draw_begin(const struct tree *tree, size_t row, struct line *line);

#endif
