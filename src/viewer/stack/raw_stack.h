/* SPDX-License-Identifier: Apache-2.0 */
/* raw_stack.h - the stack of one goroutine, a line for each word: registers that point
 * there, address, offset, value, and what it is. The main header of src/viewer/stack, which
 * knows the document's raw_stack. Documents are untrusted: what contradicts itself is left
 * out. */
#ifndef GOSNAP_VIEWER_RAW_STACK_H
#define GOSNAP_VIEWER_RAW_STACK_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct page;
struct reader;

/* Takes ownership of the reader. *ret_no: there is no such goroutine, which is said. ERR_CANNOT: the
 * document does not have its raw stack. Otherwise as viewer_show(), which it is like: pager is a
 * command or NULL. */
MUST_CHECK bool raw_stack_show(struct reader *reader, int64_t id, const struct page *page,
			       const char *pager, bool *ret_no, struct err *err);

#endif
