/* SPDX-License-Identifier: Apache-2.0 */
/* spool_head.h - what the beginning of a document says of it. Of a large document no more than that is
 * read, as its head comes first. */
#ifndef GOSNAP_SPOOL_HEAD_H
#define GOSNAP_SPOOL_HEAD_H

#include "lib/base/err.h"
#include "lib/base/util.h"

/* Allocated; NULL: it does not say. */
struct spool_head {
	char *taken_at, *source, *executable, *go, *signal, *verdict;
};

/* Takes ownership of fd. False: err says why it cannot be read. */
MUST_CHECK bool spool_head_read(int fd, struct spool_head *ret, struct err *err);
void spool_head_done(struct spool_head *head);

#endif
