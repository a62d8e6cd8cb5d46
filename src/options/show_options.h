/* SPDX-License-Identifier: Apache-2.0 */
/* show_options.h - options shared by all commands that print a document as text: what is
 * shown and how. */
#ifndef GOSNAP_SHOW_OPTIONS_H
#define GOSNAP_SHOW_OPTIONS_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/options/options.h"

struct reader;

struct view;

struct view *view_new(void);
void view_free(struct view *view);
DEFINE_AUTO(struct view, view_free)

/* Both of a struct view *. The second is for who shows documents only. */
extern const struct option_info view_options[], view_document_options[];

/* To be called after the last option. ERR_USAGE. */
MUST_CHECK bool view_finish(struct view *view, struct err *err);

/* Findings only. */
void view_why(struct view *view, bool json);

/* The stack of one goroutine, word by word: of a struct view *. */
extern const struct option_info stack_options[];
/* Was it asked for? *ret_id: of which. */
bool view_has_stack(const struct view *view, uint64_t *ret_id);

/* One of the options was given, which asks for text output. */
bool view_is_asked_for(const struct view *view);

/* Will values be shown, or asked for? */
bool view_shows_values(const struct view *view);

/* run_in_sandbox() for work that calls view_print(): with the pager that it may need. */
struct sandbox;
int view_in_sandbox(const struct view *view, bool no_sandbox, struct sandbox *how,
		    int (*work)(void *arg), void *arg);

/* Prints the document on standard output, and closes the reader. *ret_status: EXIT_NO if nothing passed the
 * filters or, after view_why(), something is wrong; EXIT_CANNOT if that is not known; else EXIT_DONE. */
MUST_CHECK bool view_print(const struct view *view, struct reader *reader,
			   int *ret_status, struct err *err);

#endif
