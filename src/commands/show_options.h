/* SPDX-License-Identifier: Apache-2.0 */
/* show_options.h - options shared by all commands that print a document as text: what is shown
 * and how. These commands include the rows in their option tables. */
#ifndef GOSNAP_SHOW_OPTIONS_H
#define GOSNAP_SHOW_OPTIONS_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reader;

enum view_option {
	VIEW_STATUS,
	VIEW_WAIT,
	VIEW_LONGER,
	VIEW_FUNCTION,
	VIEW_CREATED_BY,
	VIEW_LABEL,
	VIEW_GOROUTINE,
	VIEW_NOT,
	VIEW_ALL,
	VIEW_COLOR,
	VIEW_NO_PAGER,
	VIEW_OPTIONS
};

/* clang-format off */
/* first: the table index of the first of them. */
#define VIEW_ROWS(first)                                                                 \
	[(first) + VIEW_STATUS] = { 0, "status", "PATTERN", "only goroutines whose state matches" }, \
	[(first) + VIEW_WAIT] = { 0, "wait", "PATTERN", "only those whose wait reason or object matches" }, \
	[(first) + VIEW_LONGER] = { 0, "longer", "TIME", "only those waiting this long or longer: 5m, 1h30m" }, \
	[(first) + VIEW_FUNCTION] = { 0, "function", "PATTERN", "only those with a matching function in the stack" }, \
	[(first) + VIEW_CREATED_BY] = { 0, "created-by", "PATTERN", "only those created by a matching function" }, \
	[(first) + VIEW_LABEL] = { 0, "label", "KEY[=VALUE]", "only those with this profiler label" }, \
	[(first) + VIEW_GOROUTINE] = { 0, "goroutine", "IDS", "only those with these IDs, in detail: 12,15-20" }, \
	[(first) + VIEW_NOT] = { 0, "not", NULL, "invert the next filter" }, \
	[(first) + VIEW_ALL] = { 0, "all", NULL, "also hidden frames, system goroutines, threads" }, \
	[(first) + VIEW_COLOR] = { 0, "color", CHOICE_WHEN, "use colours; auto: on a terminal" }, \
	[(first) + VIEW_NO_PAGER] = { 0, "no-pager", NULL, "do not use a pager" }
/* clang-format on */

struct view;

struct view *view_new(void);
void view_free(struct view *view);
DEFINE_AUTO(struct view, view_free)

/* Handles one of the options above. ERR_USAGE. */
MUST_CHECK bool view_option(struct view *view, enum view_option option,
			    const char *argument, struct err *err);
/* To be called after the last option. ERR_USAGE. */
MUST_CHECK bool view_finish(struct view *view, struct err *err);

/* One of the options was given, which asks for text output. */
bool view_is_asked_for(const struct view *view);

/* Will single goroutines be shown, and so their values? */
bool view_shows_values(const struct view *view);

/* Prints the document on standard output. *ret_nothing: nothing passed the filters. */
MUST_CHECK bool view_print(const struct view *view, struct reader *reader,
			   bool *ret_nothing, struct err *err);

#endif
