/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/readers.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/sandbox/message.h"
#include "src/viewer/serve/http.h"
#include "src/viewer/serve/reader_process.h"

enum {
	SLOTS = READERS_MAX + 1,
	SUMMARIES = READERS_MAX, /* the slot of the process for them */
	PARTS_AT_ONCE = 64,	 /* of one process, until others have their turn */
	ANSWER_S = 300,		 /* a document of many gigabytes is read in that time */
	SUMMARY_S = 30,
};
/* The start of ten million goroutines has less. All answers that are not complete: */
#define ANSWERS_MAX (UINT64_C(1) << 30)
#define NS_PER_S (UINT64_C(1000) * 1000 * 1000)

struct asked {
	uint32_t id;
	readers_fn *fn; /* NULL: nobody wants it */
	void *arg;
	uint64_t until_ns;
	struct readers_answer answer;
	size_t cap;
	struct asked *next;
};

struct slot {
	int fd; /* -1: none */
	int number;
	size_t document;
	uint64_t used;
	uint32_t last_id;
	struct asked *asked;
	char *said; /* by its parent: how it ended */
};

struct readers {
	struct reader_host *host;
	struct slot slots[SLOTS];
	uint64_t uses, bytes;
};

_Static_assert((int)SLOTS <= (int)READERS_POLLED, "all can be waited for");

struct readers *readers_new(struct reader_host *host)
{
	struct readers *r = xcalloc(1, sizeof(*r));

	r->host = host;
	for (size_t i = 0; i < SLOTS; i++)
		r->slots[i].fd = -1;
	return r;
}

/* Its bytes go to whoever has asked. */
static void tell(struct readers *r, struct asked *a)
{
	r->bytes -= a->cap;
	if (a->fn)
		a->fn(a->arg, &a->answer);
	else
		xfree(a->answer.bytes);
	xfree(a);
}

static void drop(struct readers *r, struct asked *a)
{
	a->fn = NULL;
	tell(r, a);
}

/* The process is ended if it has not. Those who wait are told why, and may ask for it again. */
static void end(struct readers *r, struct slot *s, const char *why)
{
	struct asked *all = s->asked;
	AUTO(xfree) char *said = s->said;

	if (s->fd < 0)
		return;
	close(s->fd);
	reader_end(r->host, s->number);
	*s = (struct slot){ .fd = -1 }; /* the next to be used */
	while (all) {
		struct asked *next = all->next;
		xfree(all->answer.bytes);
		all->answer =
			(struct readers_answer){ .ended = true,
						 .bytes = xstrdup(said ? said : why) };
		all->answer.len = strlen(all->answer.bytes);
		tell(r, all);
		all = next;
	}
}

void readers_free(struct readers *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < SLOTS; i++) {
		for (struct asked *a = r->slots[i].asked; a; a = a->next)
			a->fn = NULL;
		end(r, &r->slots[i], "");
	}
	xfree(r);
}

static struct slot *slot_of(struct readers *r, size_t document)
{
	for (size_t i = 0; i < READERS_MAX; i++)
		if (r->slots[i].fd >= 0 && r->slots[i].document == document)
			return &r->slots[i];
	return NULL;
}

bool readers_has(const struct readers *r, size_t document)
{
	for (size_t i = 0; i < READERS_MAX; i++)
		if (r->slots[i].fd >= 0 && r->slots[i].document == document)
			return true;
	return false;
}

static bool begin(struct readers *r, struct slot *s, size_t document, struct err *err)
{
	s->fd = reader_start(r->host, &s->number, err);
	s->document = document;
	return s->fd >= 0;
}

static struct slot *least_used(struct readers *r)
{
	struct slot *found = &r->slots[0];

	for (size_t i = 1; i < READERS_MAX; i++)
		if (r->slots[i].used < found->used)
			found = &r->slots[i];
	return found;
}

static struct asked *new_asked(struct slot *s, unsigned seconds, readers_fn *fn,
			       void *arg)
{
	struct asked *a = xcalloc(1, sizeof(*a)), **last = &s->asked;

	if (++s->last_id == 0)
		s->last_id = 1;
	*a = (struct asked){ .id = s->last_id, .fn = fn, .arg = arg };
	a->until_ns = monotonic_ns() + seconds * NS_PER_S;
	while (*last)
		last = &(*last)->next;
	*last = a;
	return a;
}

/* The last one, to which no answer will come. */
static void forget_last(struct readers *r, struct slot *s)
{
	struct asked **last = &s->asked;

	while ((*last)->next)
		last = &(*last)->next;
	struct asked *a = *last;
	*last = NULL;
	drop(r, a);
}

/* For tests: GOSNAP_SERVE_ANSWER=SECONDS. */
static unsigned answer_s(void)
{
#ifdef GOSNAP_FAULTS
	if (getenv("GOSNAP_SERVE_ANSWER"))
		return (unsigned)strtoul(getenv("GOSNAP_SERVE_ANSWER"), NULL, 10);
#endif
	return ANSWER_S;
}

/* q: all but id and len; words: of that length with NUL. */
static bool ask(struct readers *r, struct slot *s, struct reader_question *q, size_t len,
		int fd, readers_fn *fn, void *arg, struct err *err)
{
	const unsigned seconds = q->kind == READER_SUMMARIZE ? SUMMARY_S : answer_s();

	s->used = ++r->uses;
	q->id = new_asked(s, seconds, fn, arg)->id;
	q->len = (uint32_t)len;
	if (message_send(s->fd, q, offsetof(struct reader_question, words) + len, fd,
			 MSG_DONTWAIT) > 0)
		return true;
	const int why = errno;
	forget_last(r, s);
	if (why == EAGAIN)
		return err_set(err, ERR_SYS, "too much is asked at once");
	end(r, s, "it has ended");
	return err_set(err, ERR_SYS, "the process that reads it has ended");
}

static bool ask_with(struct readers *r, struct slot *s, enum reader_question_kind kind,
		     int fd, const char *name, bool of_folder, readers_fn *fn, void *arg,
		     struct err *err)
{
	struct reader_question q = { .kind = kind, .of_folder = of_folder };

	snprintf(q.words, sizeof(q.words), "%s", name);
	return ask(r, s, &q, strlen(q.words) + 1, fd, fn, arg, err);
}

bool readers_open(struct readers *r, size_t document, int fd, const char *name,
		  bool of_folder, readers_fn *fn, void *arg, struct err *err)
{
	struct slot *s = slot_of(r, document);

	if (!s)
		s = least_used(r);
	end(r, s, "another document was opened in its place");
	return begin(r, s, document, err) &&
	       ask_with(r, s, READER_OPEN, fd, name, of_folder, fn, arg, err);
}

bool readers_ask(struct readers *r, size_t document, const struct http_request *request,
		 readers_fn *fn, void *arg, struct err *err)
{
	struct slot *s = slot_of(r, document);
	struct reader_question q = { .kind = READER_ANSWER,
				     .takes_gzip = request->takes_gzip,
				     .has_expr = request->expr != NULL };
	const char *expr = request->expr ? request->expr : "";
	const size_t path = strlen(request->path) + 1, more = strlen(expr) + 1;

	if (!s)
		return err_set(err, ERR_NOT_FOUND, "it is not open");
	if (path + more > sizeof(q.words))
		return err_set(err, ERR_LIMIT, "that is too long");
	memcpy(q.words, request->path, path);
	memcpy(q.words + path, expr, more);
	return ask(r, s, &q, path + more, -1, fn, arg, err);
}

/* If it cannot be told now, it answers as if somebody waited. */
static void tell_to_forget(const struct slot *s, uint32_t id)
{
	const struct reader_question q = { .kind = READER_FORGET, .id = id, .len = 1 };

	(void)!message_send(s->fd, &q, offsetof(struct reader_question, words) + q.len,
			    -1, MSG_DONTWAIT);
}

void readers_forget(struct readers *r, const void *arg)
{
	for (size_t i = 0; i < SLOTS; i++) {
		for (struct asked *a = r->slots[i].asked; a; a = a->next) {
			if (!a->fn || a->arg != arg)
				continue;
			a->fn = NULL;
			tell_to_forget(&r->slots[i], a->id);
		}
	}
}

bool readers_summarize(struct readers *r, int fd, const char *name, readers_fn *fn,
		       void *arg, struct err *err)
{
	struct slot *s = &r->slots[SUMMARIES];

	/* It may have ended with what it was asked before. */
	if (s->fd >= 0 && ask_with(r, s, READER_SUMMARIZE, fd, name, true, fn, arg, err))
		return true;
	return s->fd < 0 && begin(r, s, SIZE_MAX, err) &&
	       ask_with(r, s, READER_SUMMARIZE, fd, name, true, fn, arg, err);
}

static bool append(struct readers *r, struct asked *a, const char *bytes, size_t len)
{
	struct readers_answer *answer = &a->answer;

	if (answer->len + len + 1 > a->cap) {
		const size_t cap = 2 * a->cap + len + 1;
		if (r->bytes + cap - a->cap > ANSWERS_MAX)
			return false;
		r->bytes += cap - a->cap;
		answer->bytes = xreallocarray(answer->bytes, cap, 1);
		a->cap = cap;
	}
	memcpy(answer->bytes + answer->len, bytes, len);
	answer->len += len;
	answer->bytes[answer->len] = 0;
	return true;
}

/* False: it is nonsense, or too much. */
static bool take_part(struct readers *r, struct slot *s, const struct reader_part *part,
		      size_t len)
{
	struct asked **at = &s->asked;

	while (*at && (*at)->id != part->id)
		at = &(*at)->next;
	struct asked *a = *at;
	if (!a || !append(r, a, part->bytes, len))
		return false;
	if (!part->is_last)
		return true;
	a->answer.has = part->has;
	a->answer.gzip = part->gzip;
	*at = a->next;
	tell(r, a);
	return true;
}

/* False: it has sent no more yet, or its process has ended. */
static bool receive(struct readers *r, struct slot *s)
{
	const size_t head = offsetof(struct reader_part, bytes);
	struct reader_part part;
	int fd;
	const ssize_t n = message_receive(s->fd, &part, sizeof(part), &fd, MSG_DONTWAIT);

	if (fd >= 0)
		close(fd);
	if (n < 0 && errno == EAGAIN)
		return false;
	/* It ended with questions unread; what its parent said comes next. */
	if (n < 0 && errno == ECONNRESET)
		return true;
	if (n <= 0) {
		end(r, s, "it has ended");
		return false;
	}
	if ((size_t)n < head)
		end(r, s, "it answers nonsense");
	else if (part.id == 0 && !s->said)
		s->said = xstrndup(part.bytes, (size_t)n - head);
	else if (!take_part(r, s, &part, (size_t)n - head))
		end(r, s, "it answers nonsense, or too much");
	return s->fd >= 0;
}

static bool is_late(const struct slot *s, uint64_t now)
{
	return s->asked && now > s->asked->until_ns;
}

size_t readers_polled(const struct readers *r, struct pollfd *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < SLOTS; i++)
		if (r->slots[i].fd >= 0)
			ret[n++] =
				(struct pollfd){ .fd = r->slots[i].fd, .events = POLLIN };
	return n;
}

void readers_go_on(struct readers *r)
{
	for (size_t i = 0; i < SLOTS; i++) {
		struct slot *s = &r->slots[i];
		for (int n = 0; n < PARTS_AT_ONCE && s->fd >= 0 && receive(r, s); n++)
			continue;
		if (s->fd >= 0 && is_late(s, monotonic_ns()))
			end(r, s, "it did not answer in time");
	}
}
