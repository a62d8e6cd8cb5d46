/* SPDX-License-Identifier: Apache-2.0 */
/* http.h - answers HTTP requests of browsers on this machine, on a socket that listens; each when there is an
 * answer, and others meanwhile.
 * Who does not know the token, or was led here by another site, gets nothing. Connections that have not shown
 * it yet have a few places of their own, and the one that waits longest makes room for the next: so whoever
 * opens many keeps nobody waiting. Knows HTTP and what browsers say of themselves; what is asked for, the
 * caller knows. */
#ifndef GOSNAP_HTTP_H
#define GOSNAP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct http_pending;
struct pollfd;

struct http_request {
	const char *path; /* behind the token: "goroutine/5" */
	const char *expr; /* of its query; NULL: none */
	bool takes_gzip;
	struct http_pending *pending;
};

struct http_reply {
	bool later;	    /* nothing else is set: http_finish() gives the reply */
	bool failed;	    /* the bytes are words that say why */
	const char *type;   /* NULL: there is no such thing */
	const char *policy; /* what a page may run and load; NULL: nothing */
	void *bytes;
	size_t len;
	bool gzip; /* they are packed */
	bool kept; /* they stay valid until the server ends, and are not freed */
};

typedef void http_answer_fn(void *arg, const struct http_request *request,
			    struct http_reply *ret);

struct http_server {
	int fd; /* from http_listen() */
	uint16_t port;
	const char *
		path; /* of a Unix socket, to which others forward port; NULL: there is none */
	char token[33];
	uint64_t idle_ns; /* ends after so long without a request; 0: never */
	http_answer_fn *answer;
	/* Descriptors that answers may come from, HTTP_POLLED at most, which are readable then; and what
	 * is called after each wait for them, and now and then. */
	size_t (*polled)(void *arg, struct pollfd *ret);
	void (*go_on)(void *arg);
	/* Whoever waits has left: http_finish() is not to be called. */
	void (*left)(void *arg, struct http_pending *pending);
	void *arg;
};

enum { HTTP_POLLED = 16 };

/* Once for each reply that was to come later, while the server runs. Its strings are read, and its bytes taken, at
 * once. */
void http_finish(struct http_pending *pending, const struct http_reply *reply);

/* A socket at 127.0.0.1, and a new token. server->port 0: any that is free. server->path: a Unix socket instead
 * that only this user can use, in place of one of his that nobody listens at; any other file that is there
 * is an error. */
MUST_CHECK bool http_listen(struct http_server *server, struct err *err);
/* Removes the Unix socket, if it is still there. */
void http_remove_socket(const struct http_server *server);
/* Until somebody asks it to quit, with the token. */
MUST_CHECK bool http_serve(const struct http_server *server, struct err *err);

#endif
