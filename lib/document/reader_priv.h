/* SPDX-License-Identifier: Apache-2.0 */
/* reader_priv.h - elements of a document by their place. Private to lib/document. */
#ifndef GOSNAP_READER_PRIV_H
#define GOSNAP_READER_PRIV_H

#include "lib/document/reader.h"

/* Makes places readable in a compressed document, by writing it to an unlinked temporary
 * file. */
MUST_CHECK bool reader_unpack(struct reader *r, struct err *err);
/* Where the element is that fn of reader_each() was called with. */
uint64_t reader_offset(const struct reader *r);
size_t reader_bytes(const struct reader *r);
/* The value there; NULL: none. The caller drops it. */
const struct reader_node *reader_at(struct reader *r, uint64_t offset, size_t bytes);

#endif
