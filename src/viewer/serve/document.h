/* SPDX-License-Identifier: Apache-2.0 */
/* document.h - a document that is served: what of it is asked for, as JSON. */
#ifndef GOSNAP_SERVE_DOCUMENT_H
#define GOSNAP_SERVE_DOCUMENT_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct document;
struct http_reply;
struct http_request;
struct reader;
struct where;

/* Takes ownership of reader. of_folder: there are others. NULL: nothing can be read. */
struct document *document_load(struct reader *reader, const char *name, bool of_folder,
			       struct err *err);
void document_free(struct document *d);
DEFINE_AUTO(struct document, document_free)

/* Why it is not whole; NULL: it is. */
const char *document_damage(const struct document *d);
/* The page, which is the same for all. */
void document_page(struct http_reply *ret);
/* The path: "start", "goroutine/ROW", "object/NUMBER", "globals". */
void document_answer(struct document *d, const struct http_request *request,
		     struct http_reply *ret);
/* "where": see where_new(). */
struct where *document_where(struct document *d, const struct http_request *request,
			     struct http_reply *ret);

#endif
