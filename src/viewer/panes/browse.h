/* SPDX-License-Identifier: Apache-2.0 */
/* browse.h - what is being looked at, and what it is shown in. The main header of src/viewer/panes. Each pane
 * is a list of rows and a table of functions (pane.h). A pane changes what is looked at by the functions below,
 * and others follow when they are drawn. Knows a document's model and what people want to see of it; knows no
 * keys, and not where on the screen a pane is. */
#ifndef GOSNAP_BROWSE_H
#define GOSNAP_BROWSE_H

#include "src/viewer/document/stack.h"
#include "src/viewer/model/model.h"
#include "src/viewer/lookup/narrowing.h"
#include "src/viewer/panes/pane.h"

struct history;
struct locks;
struct source_files;

/* Whose stack and variables are shown. */
enum subject_kind {
	SUBJECT_NONE,
	SUBJECT_GOROUTINE,
	SUBJECT_GROUP, /* of a document that has lost its goroutines */
	SUBJECT_THREAD,
};
struct subject {
	enum subject_kind kind;
	uint32_t row;	 /* of the goroutine, or of the thread */
	int64_t finding; /* which it is evidence of; -1: of none */
};

struct browse {
	struct model *model; /* borrowed */
	struct stack_style style;
	char *goroot; /* of style */

	struct subject subject;
	const struct reader_node
		*node; /* of the subject; NULL: not opened yet, or damaged */
	bool opened;
	size_t frame; /* of the subject: in the document's order */

	struct narrowing narrowing; /* of the list of goroutines */
	enum sorting sorting;
	bool all; /* also hidden frames, and goroutines of the runtime */
	uint32_t *rows;
	size_t row_count;

	/* They change when these do. */
	unsigned subject_version, rows_version, frame_version;

	char **labels; /* as people read them, by the number of their text; NULL: not yet */
	uint64_t lock; /* address of that which is to be shown next; 0: none */
	struct pane panes[PANES];
	struct locks *locks;
	struct source_files *sources;
	struct history *history;
	enum pane_id focus;  /* which has the keys */
	enum pane_id wanted; /* which is to have them now; PANES: as before */
	bool stays;	     /* cursors need not follow: they were set */
	struct text message; /* for the last row of the screen */
};

/* Takes nothing. */
struct browse *browse_new(struct model *model, struct source_files *sources);
void browse_free(struct browse *b);
DEFINE_AUTO(struct browse, browse_free)

/* Whose stack is shown; nothing is noted in the history. */
void browse_subject(struct browse *b, enum subject_kind kind, uint32_t row,
		    int64_t finding);
void browse_frame(struct browse *b, size_t frame);
/* The list of goroutines; takes what it has. */
void browse_narrow(struct browse *b, struct narrowing narrowing);
void browse_sort(struct browse *b);
void browse_toggle_all(struct browse *b);

/* Jumps, which can be taken back. False: there is nothing, and the message says so. */
bool browse_goroutine(struct browse *b, int64_t id, enum pane_id pane);
void browse_creator(struct browse *b, const struct model_goroutine *g);
void browse_list(struct browse *b, struct narrowing narrowing);
void browse_note(struct browse *b); /* before any other */
void browse_back(struct browse *b, size_t times);
void browse_forward(struct browse *b, size_t times);

/* The subject's element. NULL: there is none. Borrowed until the subject changes. */
const struct reader_node *browse_node(struct browse *b);
/* The frames of its group; 0: it has none. */
size_t browse_frames(const struct browse *b, const struct model_frame **ret);
/* "handler=/order, tenant=7" */
const char *browse_labels(struct browse *b, const struct model_goroutine *g);
/* NULL: the subject is no goroutine. */
const struct model_goroutine *browse_current(const struct browse *b);

void browse_say(struct browse *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
