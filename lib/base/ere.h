/* SPDX-License-Identifier: Apache-2.0 */
/* ere.h - extended regular expressions that people write, over text that they do not know. The C
 * library bounds neither what an expression takes to compile nor what it takes to match: this does.
 * There are no back-references, with which no bound is possible. */
#ifndef GOSNAP_ERE_H
#define GOSNAP_ERE_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct ere;

/* lines: "." matches no newline, and "^" and "$" match beside one. room: of what is left for
 * expressions of one source, at first ERE_ROOM. NULL: ERR_USAGE, why it is no expression. */
#define ERE_ROOM (UINT64_C(1) << 22)
struct ere *ere_new(const char *text, bool lines, uint64_t *room, struct err *err);
void ere_free(struct ere *e);
DEFINE_AUTO(struct ere, ere_free)

/* The first match in text[from..len); of those that begin there the longest. text[len] is NUL;
 * calls with from above 0 follow one of the same text with 0. All of it where that would take far
 * more time or memory than text like this should. */
bool ere_find(struct ere *e, const char *text, size_t len, size_t from, size_t *ret_begin,
	      size_t *ret_end);

#endif
