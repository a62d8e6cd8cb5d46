/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h - selects goroutines: an expression such as waiting > 5m && any(frames, own), and
 * options that are short forms of such expressions. The main header of src/viewer/filter;
 * gosnap-filter(7) has the language. Knows the fields of a goroutine; prints nothing. */
#ifndef GOSNAP_FILTER_H
#define GOSNAP_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct model;
struct text;

/* What is wrong with an expression, and where. */
struct filter_error {
	size_t at, len;	 /* bytes of the expression */
	bool unfinished; /* more text may make it right */
	char text[256];	 /* a sentence; "": nothing is wrong */
};

struct filter;

/* Everything passes. */
struct filter *filter_new(void);
void filter_free(struct filter *filter);
DEFINE_AUTO(struct filter, filter_free)

/* Goroutines also have to pass this. name: the option's, for filter_blame(); borrowed. */
MUST_CHECK bool filter_add_where(struct filter *filter, const char *name,
				 const char *text, struct filter_error *error);
/* The same, but sooner, and does not look into regular expressions: of a text that is being typed. */
bool filter_check(const char *text, struct filter_error *error);
/* The sentence, the expression, or the part of it that is wrong, and a caret below that. */
void filter_error_explain(const struct filter_error *error, const char *text,
			  struct text *ret);

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

/* A short form. Of those of one kind, one has to hold, and of the negated ones, none may. name: the option's
 * name, for messages. name and words are borrowed for the lifetime of
 * the filter. ERR_USAGE: invalid words. */
MUST_CHECK bool filter_add(struct filter *filter, enum filter_kind kind, bool negated,
			   const char *name, const char *words, struct err *err);

/* Everything passes. */
bool filter_is_empty(const struct filter *filter);
/* Goroutines are selected by id. */
bool filter_names_goroutines(const struct filter *filter);
/* It asks for variables. */
bool filter_needs_values(const struct filter *filter);

/* From now on, goroutines are those of this model, which has to outlive that, and none has passed yet. */
void filter_begin(struct filter *filter, struct model *m);
/* row: of model_goroutines(). What is cheap is asked first. Notes what filter_blame() and filter_add_missing()
 * say. */
bool filter_passes(struct filter *filter, uint32_t row);

/* If no goroutine passed: which conditions are responsible. */
void filter_blame(const struct filter *filter, struct text *text);
/* The requested ids and ranges that no goroutine had; nothing if there are none. */
void filter_add_missing(const struct filter *filter, struct text *text);

/* A word that may stand where the cursor is. */
struct filter_candidate {
	const char *word, *about; /* of constants */
};
/* Calls fn for each that fits what is typed in front of the cursor. Returns where that begins. */
typedef void filter_candidate_fn(void *arg, const struct filter_candidate *candidate);
size_t filter_complete(const char *text, size_t cursor, filter_candidate_fn *fn,
		       void *arg);

#endif
