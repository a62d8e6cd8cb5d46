/* SPDX-License-Identifier: Apache-2.0 */
/* pane.h - a list of rows that are drawn when they are seen. */
#ifndef GOSNAP_PANE_H
#define GOSNAP_PANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/viewer/screen/line.h"

struct browse;
struct search;

enum pane_id {
	PANE_FINDINGS,
	PANE_GOROUTINES,
	PANE_STACK,
	PANE_VARIABLES,
	PANE_SOURCE,
	PANE_THREADS,
	PANE_LOCKS,
	PANE_RUNTIME,
	PANE_WARNINGS,
	PANES
};

/* What Enter, and the keys for trees, do with a row. */
enum row_action { ROW_ENTER, ROW_OPEN, ROW_CLOSE };

/* Functions get the pane's own state, which is zero at first. */
struct pane_kind {
	const char *name;
	size_t state_bytes;
	/* Brings the rows up to date with what is looked at; how many there are. */
	size_t (*update)(struct browse *b, void *state, unsigned columns);
	void (*draw)(struct browse *b, void *state, size_t row, struct line *line);
	/* From here on, NULL: nothing. */
	void (*done)(void *state);
	void (*title)(struct browse *b, void *state,
		      struct text *text); /* after its name */
	void (*select)(struct browse *b, void *state,
		       size_t row); /* the cursor is there now */
	void (*act)(struct browse *b, void *state, size_t row, enum row_action action);
	/* The row that has what is looked at; SIZE_MAX: none, the cursor stays. */
	size_t (*find)(struct browse *b, void *state);
	/* Faster than to draw it. */
	bool (*matches)(struct browse *b, void *state, size_t row, struct search *search);
	/* What the row is about: an object in memory, a goroutine; 0, -1: the subject's. */
	uint64_t (*address)(struct browse *b, void *state, size_t row);
	int64_t (*goroutine)(struct browse *b, void *state, size_t row);
	/* More than the row's words, to be copied or written. copies_all: that is all there is; copies_stacks: it
	 * is a stack, or with one. */
	bool copies_all, copies_stacks;
	void (*copy)(struct browse *b, void *state, size_t row, struct text *text);
};

struct pane {
	const struct pane_kind *kind;
	void *state;
	size_t count, cursor, top;
	unsigned columns, height; /* of its rows, when it was drawn */
	bool opened;		  /* what is below the cursor is to be seen, too */
};

extern const struct pane_kind pane_findings, pane_goroutines, pane_stack, pane_variables,
	pane_source, pane_threads, pane_locks, pane_runtime, pane_warnings;

void pane_begin(struct pane *pane, const struct pane_kind *kind);
void pane_done(struct pane *pane);
/* Before it is drawn, and before its rows are asked for. */
void pane_update(struct pane *pane, struct browse *b, unsigned columns, unsigned height);
/* To that row, or the last. */
void pane_move(struct pane *pane, struct browse *b, size_t row);
/* To what is looked at, which changed elsewhere. */
void pane_follow(struct pane *pane, struct browse *b);
void pane_draw(struct pane *pane, struct browse *b, size_t row, struct line *line);
void pane_act(struct pane *pane, struct browse *b, enum row_action action);
/* The words of a row; the caller frees them. */
char *pane_words(struct pane *pane, struct browse *b, size_t row);
/* Those, or more: lines. */
void pane_copy(struct pane *pane, struct browse *b, size_t row, struct text *text);
uint64_t pane_address(struct pane *pane, struct browse *b);
int64_t pane_goroutine_id(struct pane *pane, struct browse *b);
/* The next row that has the words, or the times-th, from the cursor on and round; SIZE_MAX: none. */
size_t pane_search(struct pane *pane, struct browse *b, struct search *search,
		   bool forward, size_t times);

#endif
