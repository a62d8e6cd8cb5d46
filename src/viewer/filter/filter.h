/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h - which goroutines are to be shown. Of several filters of one kind any is enough;
 * of each kind that there is one must match; none that is negated may. Looks at the nodes of
 * a document and keeps nothing of them. */
#ifndef GOSNAP_FILTER_H
#define GOSNAP_FILTER_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reader_node;
struct text;

/* A PATTERN is looked for anywhere, in any case; /between slashes/ it is a POSIX extended
 * regular expression, in which case matters. */
enum filter_kind {
	FILTER_STATUS, /* PATTERN */
	FILTER_WAIT, /* PATTERN: of the wait reason, or what waiting_for names: its kind,
		      * an address, also of a case of a select, an end of a connection */
	FILTER_LONGER,	  /* DURATION: has waited for at least that long */
	FILTER_FUNCTION,  /* PATTERN: of a frame */
	FILTER_CREATOR,	  /* PATTERN: of the function that created it */
	FILTER_LABEL,	  /* KEY or KEY=VALUE, exactly */
	FILTER_GOROUTINE, /* ids: 12,15-20 */
	FILTER_KINDS
};

struct filter;

struct filter *filter_new(void);
void filter_free(struct filter *filter);
DEFINE_AUTO(struct filter, filter_free)

/* name: of the option, for messages. It and words are borrowed for as long as the filter
 * lives. ERR_USAGE: they mean nothing. */
MUST_CHECK bool filter_add(struct filter *filter, enum filter_kind kind, bool negated,
			   const char *name, const char *words, struct err *err);

/* Lets everything through. */
bool filter_is_empty(const struct filter *filter);
/* Goroutines are asked for by their ids. */
bool filter_names_goroutines(const struct filter *filter);

/* Does a stack pass what is asked of functions? */
bool filter_passes_frames(const struct filter *filter, const struct reader_node *frames);
/* frames_pass: what the above said of its group's frames. Counts
 * what each kind lets through, for filter_blame(), and notes which ids there are. */
bool filter_passes(struct filter *filter, const struct reader_node *goroutine,
		   bool frames_pass);

/* After no goroutine has passed: what is to blame. */
void filter_blame(const struct filter *filter, struct text *text);
/* The ids and ranges asked for that no goroutine has had; nothing when there are none. */
void filter_add_missing(const struct filter *filter, struct text *text);

#endif
