/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.h - the documents of a folder as they are now, and those of them that somebody looks at. */
#ifndef GOSNAP_SERVE_TIMELINE_H
#define GOSNAP_SERVE_TIMELINE_H

#include "lib/base/util.h"

struct folder;
struct http_reply;
struct http_request;
struct timeline;

/* name: of the folder. Borrows both. */
struct timeline *timeline_new(const struct folder *folder, const char *name);
void timeline_free(struct timeline *t);
DEFINE_AUTO(struct timeline, timeline_free)

/* "": the page; "start": the list; "3/" and what follows: of a document. Numbers are those of the list,
 * and stay the same. */
void timeline_answer(struct timeline *t, const struct http_request *request,
		     struct http_reply *ret);

#endif
