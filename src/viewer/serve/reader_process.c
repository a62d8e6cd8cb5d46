/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/reader_process.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "lib/sandbox/message.h"
#include "src/viewer/serve/document.h"
#include "src/viewer/serve/http.h"
#include "src/viewer/serve/reply.h"
#include "src/viewer/serve/summary.h"
#include "src/viewer/serve/where.h"

/* An expression whose goroutines are still looked for. */
struct looking {
	struct where *where;
	uint32_t id;
	struct looking
		*before; /* asked earlier: who types on wants the answer to the latest */
};

struct process {
	int socket;
	struct document *document; /* NULL: it cannot be read */
	struct err why;
	struct looking *latest;
};

/* Nobody waits any more if it cannot be sent. */
static void send_part(const struct process *p, const struct reader_part *part, size_t len)
{
	if (message_send(p->socket, part, offsetof(struct reader_part, bytes) + len, -1,
			 0) < 0)
		_exit(EXIT_SUCCESS);
}

static void send_bytes(const struct process *p, struct reader_part *part,
		       const void *bytes, size_t len)
{
	size_t sent = 0;

	do {
		const size_t n =
			len - sent < READER_PART_MAX ? len - sent : READER_PART_MAX;
		if (n)
			memcpy(part->bytes, (const char *)bytes + sent, n);
		sent += n;
		part->is_last = sent == len;
		send_part(p, part, n);
	} while (sent < len);
}

/* Frees the bytes of reply. */
static void send_reply(const struct process *p, uint32_t id,
		       const struct http_reply *reply)
{
	struct reader_part part = { .id = id,
				    .has = reply->type != NULL,
				    .gzip = reply->gzip };

	send_bytes(p, &part, reply->bytes, reply->len);
	xfree(reply->bytes);
}

static void send_words(const struct process *p, uint32_t id, bool has, const char *words)
{
	struct reader_part part = { .id = id, .has = has };

	send_bytes(p, &part, words, strlen(words));
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void open_document(struct process *p, const struct reader_question *q, int fd)
{
	struct reader *reader = reader_open_fd(fd, q->words, &p->why);

	if (reader)
		p->document =
			document_load(reader, last_part(q->words), q->of_folder, &p->why);
	const char *damage = p->document ? document_damage(p->document) : p->why.text;
	send_words(p, q->id, p->document, damage ? damage : "");
}

static void summarize(const struct process *p, const struct reader_question *q, int fd)
{
	struct err err;
	AUTO(sink_free) struct sink *out = sink_members_new();
	AUTO(reader_close) struct reader *reader = reader_open_fd(fd, q->words, &err);
	struct reader_part part = { .id = q->id, .has = true };

	if (reader)
		summary_write_members(reader, out);
	else
		sink_named_string(out, "why", err.text);
	send_bytes(p, &part, sink_part_text(out), sink_part_bytes(out));
}

static void begin_where(struct process *p, const struct http_request *request,
			uint32_t id)
{
	struct http_reply reply = { .type = NULL };
	struct where *where = document_where(p->document, request, &reply);

	if (!where) {
		send_reply(p, id, &reply);
		return;
	}
	struct looking *l = xcalloc(1, sizeof(*l));
	*l = (struct looking){ where, id, p->latest };
	p->latest = l;
}

static void end_looking(struct looking **at)
{
	struct looking *l = *at;

	*at = l->before;
	where_free(l->where);
	xfree(l);
}

static void go_on(struct process *p)
{
	struct looking *l = p->latest;
	struct http_reply reply = { .type = NULL };

	if (!where_step(l->where, &reply))
		return;
	send_reply(p, l->id, &reply);
	end_looking(&p->latest);
}

static void forget(struct process *p, uint32_t id)
{
	struct looking **at = &p->latest;

	while (*at && (*at)->id != id)
		at = &(*at)->before;
	if (!*at)
		return;
	end_looking(at);
	send_words(p, id, false, "");
}

static void answer(struct process *p, const struct reader_question *q)
{
	const struct http_request request = {
		.path = q->words,
		.expr = q->has_expr ? q->words + strlen(q->words) + 1 : NULL,
		.takes_gzip = q->takes_gzip,
	};
	struct http_reply reply = { .type = NULL };

	if (p->document && request.expr && strcmp(request.path, "where") == 0) {
		begin_where(p, &request, q->id);
		return;
	}
	if (p->document)
		document_answer(p->document, &request, &reply);
	else if (strcmp(request.path, "start") == 0)
		reply_why(&reply, p->why.text);
	send_reply(p, q->id, &reply);
}

/* Who asks reads what browsers send, and may be anybody. */
static bool is_sound(const struct reader_question *q, ssize_t n, int fd)
{
	const size_t head = offsetof(struct reader_question, words);

	if (n <= (ssize_t)head || q->len != (size_t)n - head || q->words[q->len - 1])
		return false;
	if (q->has_expr && strlen(q->words) + 1 == q->len)
		return false;
	return (fd >= 0) == (q->kind == READER_OPEN || q->kind == READER_SUMMARIZE);
}

/* False: nobody asks any more. */
static bool take_question(struct process *p)
{
	struct reader_question q;
	int fd;
	const ssize_t n = message_receive(p->socket, &q, sizeof(q), &fd, 0);

	if (n <= 0 || !is_sound(&q, n, fd))
		return false;
	if (q.kind == READER_OPEN && !p->document)
		open_document(p, &q, fd);
	else if (q.kind == READER_SUMMARIZE)
		summarize(p, &q, fd);
	else if (q.kind == READER_FORGET)
		forget(p, q.id);
	else
		answer(p, &q);
	return true;
}

static void end_without_memory(void)
{
	_exit(READER_OUT_OF_MEMORY);
}

/* Questions go before expressions, which take long. */
int reader_process_live(void *arg)
{
	struct process p = { .socket = *(const int *)arg };

	on_out_of_memory(end_without_memory);
	for (;;) {
		struct pollfd asked = { .fd = p.socket, .events = POLLIN };
		const int ready = poll(&asked, 1, p.latest ? 0 : -1);
		if (ready < 0 && errno != EINTR)
			return EXIT_FAILURE;
		if (ready > 0 && !take_question(&p))
			return EXIT_SUCCESS;
		if (ready == 0)
			go_on(&p);
	}
}
