/* SPDX-License-Identifier: Apache-2.0 */
/* readers.h - the processes that read documents, for who has the browsers and reads none: one for each
 * document that is open. Of more than READERS_MAX, the one that was not asked for longest is ended. Knows
 * documents by numbers that the caller gives them. */
#ifndef GOSNAP_READERS_H
#define GOSNAP_READERS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct http_request;
struct pollfd;
struct reader_host;
struct readers;

/* An answer. Whoever gets it frees the bytes, behind which there is a NUL. */
struct readers_answer {
	bool ended; /* the process has, without an answer; the bytes say how */
	bool has, gzip;
	char *bytes;
	size_t len;
};
typedef void readers_fn(void *arg, const struct readers_answer *answer);

/* host: borrowed; NULL: this is a sandbox, whose parent has it. */
struct readers *readers_new(struct reader_host *host);
/* Nobody gets an answer any more. */
void readers_free(struct readers *r);
DEFINE_AUTO(struct readers, readers_free)

bool readers_has(const struct readers *r, size_t document);
/* Opens it, anew if it is open. fd stays the caller's. fn, unless NULL, is told what is wrong with the document: has
 * true: it is there, though not whole if that is said. */
MUST_CHECK bool readers_open(struct readers *r, size_t document, int fd, const char *name,
			     bool of_folder, readers_fn *fn, void *arg, struct err *err);
/* fn is called later. */
MUST_CHECK bool readers_ask(struct readers *r, size_t document,
			    const struct http_request *request, readers_fn *fn, void *arg,
			    struct err *err);
/* Whoever asked with that arg gets no answer any more. */
void readers_forget(struct readers *r, const void *arg);
/* Members as summary.h has them, by a process that reads no more of documents. One at a time. */
MUST_CHECK bool readers_summarize(struct readers *r, int fd, const char *name,
				  readers_fn *fn, void *arg, struct err *err);

/* What to wait for; and to be called when there may be something, and now and then: a process that does not answer
 * within ANSWER_S is ended. Room for READERS_POLLED. */
enum { READERS_POLLED = 8 };
size_t readers_polled(const struct readers *r, struct pollfd *ret);
void readers_go_on(struct readers *r);

#endif
