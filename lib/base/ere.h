/* SPDX-License-Identifier: Apache-2.0 */
/* ere.h - extended regular expressions with bounded cost, for expressions from users
 * matched against untrusted text. The C library bounds neither compilation nor matching.
 * Back-references are not supported: they cannot be bounded. */
#ifndef GOSNAP_ERE_H
#define GOSNAP_ERE_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct ere;

/* lines: "." does not match a newline, and "^" and "$" also match at newlines. room: what
 * remains of the budget that all expressions of one source share; set it to ERE_ROOM at
 * first. NULL: ERR_USAGE, saying why the expression is invalid. */
#define ERE_ROOM (UINT64_C(1) << 22)
struct ere *ere_new(const char *text, bool lines, uint64_t *room, struct err *err);
/* From now on this process may start none: expressions with many anchors or repeated ones are refused, as
 * nothing tells how long it takes to compile them. */
void ere_forbid_children(void);
void ere_free(struct ere *e);
DEFINE_AUTO(struct ere, ere_free)

/* The leftmost longest match in text[from..len). text[len] must be NUL. Calls with from >
 * 0 must follow a call with from 0 on the same text. If matching would take far more time
 * or memory than such text should, the whole text is reported as the match. */
bool ere_find(struct ere *e, const char *text, size_t len, size_t from, size_t *ret_begin,
	      size_t *ret_end);

#endif
