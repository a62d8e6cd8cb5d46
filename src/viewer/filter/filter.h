/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h - selects the goroutines to show. Of the filters of one kind, any must
 * match; every kind that is used must match; negated ones must not. Reads nodes of a
 * document and keeps none; a filter lives until filter_free(). Knows the fields of a
 * goroutine; prints nothing. */
#ifndef GOSNAP_FILTER_H
#define GOSNAP_FILTER_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reader_node;
struct text;

/* A PATTERN is a case-insensitive substring; /between slashes/ it is a case-sensitive
 * POSIX extended regular expression. */
enum filter_kind {
	FILTER_STATUS, /* PATTERN */
	/* PATTERN: the wait reason, or what waiting_for names: its kind, an address (also
	 * in a case of a select), an end of a connection */
	FILTER_WAIT,
	FILTER_LONGER,	  /* DURATION: has waited at least that long */
	FILTER_FUNCTION,  /* PATTERN: of any frame */
	FILTER_CREATOR,	  /* PATTERN: of the function that created it */
	FILTER_LABEL,	  /* KEY or KEY=VALUE, exactly */
	FILTER_GOROUTINE, /* ids: 12,15-20 */
	FILTER_KINDS
};

struct filter;

struct filter *filter_new(void);
void filter_free(struct filter *filter);
DEFINE_AUTO(struct filter, filter_free)

/* name: the option's name, for messages. name and words are borrowed for the lifetime of
 * the filter. ERR_USAGE: invalid words. */
MUST_CHECK bool filter_add(struct filter *filter, enum filter_kind kind, bool negated,
			   const char *name, const char *words, struct err *err);

/* Everything passes. */
bool filter_is_empty(const struct filter *filter);
/* Goroutines are selected by id. */
bool filter_names_goroutines(const struct filter *filter);

/* Does a stack pass the filters on functions? */
bool filter_passes_frames(const struct filter *filter, const struct reader_node *frames);
/* frames_pass: the result above for the group's frames. Counts what passes each kind, for
 * filter_blame(), and notes which ids were seen. */
bool filter_passes(struct filter *filter, const struct reader_node *goroutine,
		   bool frames_pass);

/* If no goroutine passed: which filters are responsible. */
void filter_blame(const struct filter *filter, struct text *text);
/* The requested ids and ranges that no goroutine had; nothing if there are none. */
void filter_add_missing(const struct filter *filter, struct text *text);

#endif
