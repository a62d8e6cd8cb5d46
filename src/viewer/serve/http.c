/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "src/viewer/serve/http_priv.h"

enum {
	VISITORS_MAX = 64,
	STRANGERS_MAX =
		16, /* of these: connections that have not shown yet that they know the token */
	MEMORY_BYTES = 16 * 1024, /* of each: its line and headers */
	SILENT_S = 60,		  /* how long an answer may wait to be read */
	TICK_MS = 1000,
	NS_PER_MS = 1000000,
};
/* So long may the request of a stranger take to arrive; and its first byte and all of it if as many strangers are
 * there as may be. */
#define REQUEST_NS (UINT64_C(5) * 1000 * 1000 * 1000)
#define CROWDED_BYTE_NS (UINT64_C(200) * 1000 * 1000)
#define CROWDED_REQUEST_NS (UINT64_C(1) * 1000 * 1000 * 1000)
/* So long may the answer take that we quit. */
#define LAST_NS (UINT64_C(2) * 1000 * 1000 * 1000)

/* A request. */
struct http_pending {
	struct MHD_Connection *connection;
	bool quits, is_asked, is_finished, is_suspended;
	struct http_reply reply;
};

struct visitor {
	struct MHD_Connection *connection; /* NULL: nobody */
	struct http_pending *pending;	   /* what is asked; NULL: nothing */
	uint64_t since_ns; /* of a stranger: when it came, or was refused last; else 0 */
	bool has_begun;	   /* something of its request has come since */
	bool is_leaving;   /* its connection was shut down */
};

struct serving {
	const struct http_server *server;
	struct MHD_Daemon *daemon;
	struct visitor visitors[VISITORS_MAX];
	uint64_t asked_ns;
	uint64_t quits_ns; /* 0: nobody has asked for it */
	bool quit;
};

static void add(struct MHD_Response *response, const char *name, const char *value)
{
	MHD_add_response_header(response, name, value);
}

static void add_headers(struct MHD_Response *response, const struct http_reply *reply)
{
	AUTO(xfree)
	char *policy = xasprintf("%s; frame-ancestors 'none'",
				 reply->policy ? reply->policy : "default-src 'none'");

	add(response, "Content-Security-Policy", policy);
	add(response, "X-Content-Type-Options", "nosniff");
	add(response, "Referrer-Policy", "no-referrer");
	add(response, "Cross-Origin-Resource-Policy", "same-origin");
	add(response, "Cross-Origin-Opener-Policy", "same-origin");
	add(response, "Cache-Control", "no-store");
	add(response, "Content-Type", reply->type);
	if (reply->gzip)
		add(response, "Content-Encoding", "gzip");
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, unsigned status,
				  const struct http_reply *reply)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		reply->len, reply->bytes,
		reply->kept ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);

	if (!response)
		out_of_memory();
	add_headers(response, reply);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		add(response, "Allow", "GET, HEAD");
	const enum MHD_Result result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result send_words(struct MHD_Connection *connection, unsigned status,
				  const char *words)
{
	return send_reply(connection, status,
			  &(struct http_reply){ .type = "text/plain; charset=utf-8",
						.bytes = (void *)(uintptr_t)words,
						.len = strlen(words),
						.kept = true });
}

/* One that says gzip;q=0 gets it all the same: there is none. */
static bool takes_gzip(struct MHD_Connection *connection)
{
	const char *takes = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							"Accept-Encoding");

	return takes && strstr(takes, "gzip");
}

static enum MHD_Result send_answer(struct http_pending *p)
{
	struct http_reply reply = p->reply;

	p->reply = (struct http_reply){ .type = NULL };
	if (!reply.type)
		return send_words(p->connection, MHD_HTTP_NOT_FOUND, "Not found.\n");
	return send_reply(p->connection,
			  reply.failed ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_OK,
			  &reply);
}

void http_finish(struct http_pending *p, const struct http_reply *reply)
{
	p->reply = *reply;
	p->is_finished = true;
	if (p->is_suspended)
		MHD_resume_connection(p->connection);
	p->is_suspended = false;
}

/* Called again when there is an answer. */
static enum MHD_Result answer(const struct serving *s, struct http_pending *p,
			      const char *path)
{
	struct MHD_Connection *connection = p->connection;
	const struct http_request request = {
		.path = path,
		.expr = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND,
						    "expr"),
		.takes_gzip = takes_gzip(connection),
		.pending = p,
	};

	struct http_reply reply = { .type = NULL };

	if (!p->is_asked)
		s->server->answer(s->server->arg, &request, &reply);
	if (!p->is_asked && !reply.later)
		http_finish(p, &reply);
	p->is_asked = true;
	if (p->is_finished)
		return send_answer(p);
	p->is_suspended = true;
	MHD_suspend_connection(connection);
	return MHD_YES;
}

static struct visitor *visitor_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void mark(struct MHD_Connection *connection, uint64_t since_ns)
{
	struct visitor *visitor = visitor_of(connection);

	if (!visitor)
		return;
	visitor->since_ns = since_ns;
	visitor->has_begun = false;
}

static struct http_pending *new_pending(struct MHD_Connection *connection)
{
	struct http_pending *p = xcalloc(1, sizeof(*p));
	struct visitor *visitor = visitor_of(connection);

	p->connection = connection;
	if (visitor)
		visitor->pending = p;
	return p;
}

/* The first call is for the headers: with an answer then, the connection ends. */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection,
				  const char *url, const char *method,
				  const char *version, const char *upload,
				  size_t *upload_bytes, void **context)
{
	struct serving *s = arg;
	const char *refusal = http_refusal(connection, s->server),
		   *path = http_behind_token(url, s->server->token);

	(void)version;
	(void)upload;
	if (*context)
		return *upload_bytes ? MHD_NO : answer(s, *context, path);
	mark(connection, 0);
	if (refusal)
		return send_words(connection, MHD_HTTP_FORBIDDEN, refusal);
	if (!path)
		return send_words(connection, MHD_HTTP_NOT_FOUND, "Not found.\n");
	s->asked_ns = monotonic_ns();
	if (strcmp(method, MHD_HTTP_METHOD_POST) == 0 && strcmp(path, "quit") == 0) {
		s->quits_ns = s->asked_ns;
		struct http_pending *p = new_pending(connection);
		p->quits = true;
		*context = p;
		return send_words(connection, MHD_HTTP_OK, "gosnap serve has ended.\n");
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return send_words(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				  "Only GET and HEAD.\n");
	*context = new_pending(connection);
	return MHD_YES;
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **context,
			 enum MHD_RequestTerminationCode why)
{
	struct serving *s = arg;
	struct http_pending *p = *context;
	struct visitor *visitor = visitor_of(connection);

	(void)why;
	mark(connection, p ? 0 : monotonic_ns());
	if (!p)
		return;
	if (p->quits)
		s->quit = true;
	if (visitor)
		visitor->pending = NULL;
	if (!p->reply.kept)
		xfree(p->reply.bytes);
	xfree(p);
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct serving *s = arg;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*context)
			((struct visitor *)*context)->connection = NULL;
		*context = NULL;
		return;
	}
	for (size_t i = 0; i < VISITORS_MAX; i++) {
		if (s->visitors[i].connection)
			continue;
		s->visitors[i] = (struct visitor){ .connection = connection,
						   .since_ns = monotonic_ns() };
		*context = &s->visitors[i];
		return;
	}
}

static int fd_of(const struct visitor *v)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(v->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static bool is_stranger(const struct visitor *v)
{
	return v->connection && v->since_ns && !v->is_leaving;
}

static bool is_crowded(const struct serving *s)
{
	unsigned strangers = 0;

	for (size_t i = 0; i < VISITORS_MAX; i++)
		strangers += is_stranger(&s->visitors[i]);
	return strangers >= STRANGERS_MAX;
}

static void leave(struct visitor *v)
{
	shutdown(fd_of(v), SHUT_RDWR);
	v->is_leaving = true;
}

/* For tests: GOSNAP_SERVE_PATIENCE=FACTOR, of all that may take some time. */
static uint64_t patience(uint64_t usual)
{
#ifdef GOSNAP_FAULTS
	const char *factor = getenv("GOSNAP_SERVE_PATIENCE");

	return factor ? usual * strtoull(factor, NULL, 10) : usual;
#else
	return usual;
#endif
}

/* Who sends a byte now and then is never silent, and would keep a place for ever. */
static void leave_slow(struct serving *s, uint64_t now)
{
	const bool crowded = is_crowded(s);

	for (size_t i = 0; i < VISITORS_MAX; i++) {
		struct visitor *v = &s->visitors[i];
		const uint64_t most = !crowded	     ? REQUEST_NS
				      : v->has_begun ? CROWDED_REQUEST_NS
						     : CROWDED_BYTE_NS;

		if (is_stranger(v) && now - v->since_ns > patience(most))
			leave(v);
	}
}

/* Has it sent something that was not read yet? */
static bool has_sent(const struct visitor *v, const struct pollfd *polled, size_t n)
{
	const int fd = fd_of(v);

	for (size_t i = 0; i < n; i++)
		if (polled[i].fd == fd)
			return polled[i].revents & POLLIN;
	return false;
}

static void note_begun(struct serving *s, const struct pollfd *polled, size_t n)
{
	for (size_t i = 0; i < VISITORS_MAX; i++) {
		struct visitor *v = &s->visitors[i];
		if (is_stranger(v) && !v->has_begun)
			v->has_begun = has_sent(v, polled, n);
	}
}

/* The stranger that is silent for longest; else the one whose request takes longest. Not one whose bytes are
 * there: it may be the owner, whose browser sends its request as it connects. */
static struct visitor *to_leave(struct serving *s, const struct pollfd *polled, size_t n)
{
	struct visitor *found = NULL;

	for (size_t i = 0; i < VISITORS_MAX; i++) {
		struct visitor *v = &s->visitors[i];
		if (!is_stranger(v) || has_sent(v, polled, n))
			continue;
		if (!found || v->has_begun < found->has_begun ||
		    (v->has_begun == found->has_begun && v->since_ns < found->since_ns))
			found = v;
	}
	return found;
}

static bool is_over(const struct serving *s, uint64_t now)
{
	if (s->quits_ns)
		return s->quit || now - s->quits_ns > LAST_NS;
	return s->server->idle_ns && now - s->asked_ns > s->server->idle_ns;
}

/* How long to wait at most. */
static int patience_ms(const struct serving *s, uint64_t now)
{
	const uint64_t since = now - s->asked_ns;
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(s->daemon, &ms) != MHD_YES || ms > TICK_MS)
		ms = TICK_MS;
	if (is_crowded(s) && ms > CROWDED_BYTE_NS / NS_PER_MS)
		ms = CROWDED_BYTE_NS / NS_PER_MS;
	if (s->server->idle_ns > since && (s->server->idle_ns - since) / NS_PER_MS < ms)
		ms = (s->server->idle_ns - since) / NS_PER_MS + 1;
	return (int)ms;
}

static bool is_full(const struct serving *s)
{
	for (size_t i = 0; i < VISITORS_MAX; i++)
		if (!s->visitors[i].connection)
			return false;
	return true;
}

static size_t to_poll(int last, const fd_set *in, const fd_set *out, struct pollfd *ret)
{
	size_t n = 0;

	for (int fd = 0; fd <= last; fd++) {
		const short events = (short)((FD_ISSET(fd, in) ? POLLIN : 0) |
					     (FD_ISSET(fd, out) ? POLLOUT : 0));
		if (events)
			ret[n++] = (struct pollfd){ .fd = fd, .events = events };
	}
	return n;
}

/* Connections of those who wait for an answer: the library does not look at them. */
static size_t to_watch(const struct serving *s, struct pollfd *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < VISITORS_MAX; i++) {
		const struct visitor *v = &s->visitors[i];
		if (v->pending && v->pending->is_suspended)
			ret[n++] = (struct pollfd){ .fd = fd_of(v), .events = POLLRDHUP };
	}
	return n;
}

/* Who closes a page that waits must not keep a place. */
static void leave_gone(struct serving *s, const struct pollfd *watched, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < VISITORS_MAX && at < n; i++) {
		struct http_pending *p = s->visitors[i].pending;
		if (!p || !p->is_suspended)
			continue;
		if (watched[at++].revents) {
			s->server->left(s->server->arg, p);
			http_finish(p, &(struct http_reply){ .type = NULL });
		}
	}
}

/* May the connection be accepted that waits? If need be, a stranger makes room for it. */
static bool make_room(struct serving *s, const struct pollfd *polled, size_t n)
{
	if (!is_full(s) && !is_crowded(s))
		return true;
	struct visitor *v = to_leave(s, polled, n);
	if (!v)
		return false;
	leave(v);
	return !is_full(s);
}

/* The library would use select(), which is one more system call to be permitted. */
static bool wait_and_run(struct serving *s, struct err *err)
{
	struct pollfd polled[FD_SETSIZE + HTTP_POLLED + VISITORS_MAX];
	fd_set in, out, except;
	int last = -1;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&except);
	if (MHD_get_fdset(s->daemon, &in, &out, &except, &last) != MHD_YES)
		return err_set(err, ERR_SYS, "libmicrohttpd has no descriptors");
	/* Else it would accept more, and close them at once. */
	if (is_full(s) && !to_leave(s, NULL, 0))
		FD_CLR(s->server->fd, &in);
	const size_t n = to_poll(last, &in, &out, polled);
	const size_t more = n + s->server->polled(s->server->arg, polled + n),
		     all = more + to_watch(s, polled + more);
	if (poll(polled, all, patience_ms(s, monotonic_ns())) < 0 && errno != EINTR)
		return err_sys(err, "poll");
	if (all > more) /* somebody waits */
		s->asked_ns = monotonic_ns();
	leave_gone(s, polled + more, all - more);
	note_begun(s, polled, n);
	s->server->go_on(s->server->arg);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&except);
	for (size_t i = 0; i < n; i++) {
		if (polled[i].revents & ~POLLOUT)
			FD_SET(polled[i].fd, &in);
		if (polled[i].revents & POLLOUT)
			FD_SET(polled[i].fd, &out);
	}
	if (FD_ISSET(s->server->fd, &in) && !make_room(s, polled, n))
		FD_CLR(s->server->fd, &in);
	MHD_run_from_select(s->daemon, &in, &out, &except);
	return true;
}

/* It would write to standard error what a hostile client made it say. */
static void say_nothing(void *arg, const char *format, va_list list)
{
	(void)arg;
	(void)format;
	(void)list;
}

static struct MHD_Daemon *start(struct serving *s)
{
	return MHD_start_daemon(
		MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request,
		s, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
		MHD_OPTION_LISTEN_SOCKET, s->server->fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)VISITORS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)MEMORY_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)patience(SILENT_S), MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, s, MHD_OPTION_END);
}

/* The library does not end before, and nobody waits for the answers. */
static void resume_all(struct serving *s)
{
	for (size_t i = 0; i < VISITORS_MAX; i++) {
		struct http_pending *p = s->visitors[i].pending;
		if (p && p->is_suspended)
			http_finish(p, &(struct http_reply){ .type = NULL });
	}
}

bool http_serve(const struct http_server *server, struct err *err)
{
	struct serving s = { .server = server, .asked_ns = monotonic_ns() };
	bool ok = true;

	s.daemon = start(&s);
	if (!s.daemon)
		return err_set(err, ERR_SYS, "libmicrohttpd does not start");
	while (ok && !is_over(&s, monotonic_ns())) {
		ok = wait_and_run(&s, err);
		leave_slow(&s, monotonic_ns());
	}
	resume_all(&s);
	MHD_stop_daemon(s.daemon);
	return ok;
}
