/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.h - the documents of a folder as they are now, and those of them that somebody looks at. */
#ifndef GOSNAP_SERVE_TIMELINE_H
#define GOSNAP_SERVE_TIMELINE_H

#include "lib/base/util.h"

struct folder;
struct http_pending;
struct http_reply;
struct http_request;
struct readers;
struct timeline;

/* name: of the folder. Borrows all. */
struct timeline *timeline_new(const struct folder *folder, const char *name,
			      struct readers *readers);
void timeline_free(struct timeline *t);
DEFINE_AUTO(struct timeline, timeline_free)

/* Somebody who waited for the list has left. */
void timeline_forget(struct timeline *t, const struct http_pending *pending);
/* "": the page; "start": the list; "3/" and what follows: of a document. Numbers are those of the list,
 * and stay the same. */
void timeline_answer(struct timeline *t, const struct http_request *request,
		     struct http_reply *ret);

#endif
