/* SPDX-License-Identifier: Apache-2.0 */
/* warnings.h - collects everything doubtful or missing, for the document.
 * Duplicates are kept once; past LIMIT_WARNINGS they are only counted. */
#ifndef GOSNAP_WARNINGS_H
#define GOSNAP_WARNINGS_H

#include <stddef.h>

#include "lib/base/util.h"

struct warnings;

struct warnings *warnings_new(void);
void warnings_free(struct warnings *w);
DEFINE_AUTO(struct warnings, warnings_free)

/* where: "goroutine 12", "threads", "layout"; what: a plain sentence without a full
 * stop. */
void warnings_add(struct warnings *w, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

size_t warnings_count(const struct warnings *w); /* those kept */
/* Drops all but the first n. */
void warnings_cut(struct warnings *w, size_t n);
size_t warnings_left_out(const struct warnings *w);
/* Borrowed until the next add. */
const char *warnings_where(const struct warnings *w, size_t i);
const char *warnings_what(const struct warnings *w, size_t i);

#endif
