/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/serve.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "src/viewer/serve/document.h"
#include "src/viewer/serve/readers.h"
#include "src/viewer/serve/reply.h"
#include "src/viewer/serve/timeline.h"

_Static_assert((int)READERS_POLLED <= (int)HTTP_POLLED, "all can be waited for");

enum { THE_DOCUMENT = 0 }; /* its number */

struct serving {
	struct readers *readers;
	struct timeline *timeline;	       /* NULL: of a document */
	const struct serve_document *document; /* NULL: of a folder */
	bool is_read;			       /* we know what is wrong with it */
	char *why;			       /* that; it cannot be read at all */
};

char *serve_address(const struct http_server *server)
{
	return xasprintf("http://127.0.0.1:%u/%s/", (unsigned)server->port,
			 server->token);
}

static size_t polled(void *arg, struct pollfd *ret)
{
	const struct serving *s = arg;

	return readers_polled(s->readers, ret);
}

static void go_on(void *arg)
{
	const struct serving *s = arg;

	readers_go_on(s->readers);
}

static void left(void *arg, struct http_pending *pending)
{
	const struct serving *s = arg;

	readers_forget(s->readers, pending);
	if (s->timeline)
		timeline_forget(s->timeline, pending);
}

static bool serve(struct http_server *server, struct serving *s, http_answer_fn *answer,
		  struct err *err)
{
	server->answer = answer;
	server->polled = polled;
	server->go_on = go_on;
	server->left = left;
	server->arg = s;
	return http_serve(server, err);
}

static bool open_again(struct serving *s, struct err *err)
{
	const struct serve_document *d = s->document;

	if (lseek(d->fd, 0, SEEK_SET) < 0)
		return err_set(err, ERR_SYS,
			       "The document is not read any more, and cannot be read "
			       "again: it is no file.");
	return readers_open(s->readers, THE_DOCUMENT, d->fd, d->name, false, NULL, NULL,
			    err);
}

static void answer_of_document(void *arg, const struct http_request *request,
			       struct http_reply *ret)
{
	struct serving *s = arg;
	struct err err;

	if (!*request->path)
		document_page(ret);
	else if (!readers_has(s->readers, THE_DOCUMENT) && !open_again(s, &err))
		reply_failure(ret, err.text);
	else
		reply_of_reader(ret, s->readers, THE_DOCUMENT, request);
}

static void note_read(void *arg, const struct readers_answer *answer)
{
	struct serving *s = arg;

	s->is_read = true;
	if (answer->ended || !answer->has)
		s->why = xstrdup(answer->bytes);
	else if (answer->len)
		s->document->say_damage(answer->bytes);
	xfree(answer->bytes);
}

/* Nobody is served before: who cannot be shown anything is not to come. */
static bool read_document(struct serving *s, struct err *err)
{
	const struct serve_document *d = s->document;
	struct pollfd answers[READERS_POLLED];

	if (!readers_open(s->readers, THE_DOCUMENT, d->fd, d->name, false, note_read, s,
			  err))
		return false;
	while (!s->is_read) {
		const size_t n = readers_polled(s->readers, answers);
		if (poll(answers, n, -1) < 0 && errno != EINTR)
			return err_sys(err, "poll");
		readers_go_on(s->readers);
	}
	return !s->why || err_set(err, ERR_SYS, "%s", s->why);
}

bool serve_document(struct http_server *server, struct reader_host *host,
		    const struct serve_document *document, struct err *err)
{
	AUTO(readers_free) struct readers *readers = readers_new(host);
	struct serving s = { .readers = readers, .document = document };
	const bool ok = read_document(&s, err) && document->begin(server, err) &&
			serve(server, &s, answer_of_document, err);

	xfree(s.why);
	return ok;
}

static void answer_of_folder(void *arg, const struct http_request *request,
			     struct http_reply *ret)
{
	const struct serving *s = arg;

	timeline_answer(s->timeline, request, ret);
}

bool serve_folder(struct http_server *server, struct reader_host *host,
		  const struct folder *folder, const char *name, struct err *err)
{
	AUTO(readers_free) struct readers *readers = readers_new(host);
	AUTO(timeline_free)
	struct timeline *timeline = timeline_new(folder, name, readers);

	return serve(server,
		     &(struct serving){ .readers = readers, .timeline = timeline },
		     answer_of_folder, err);
}
