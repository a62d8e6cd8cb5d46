/* SPDX-License-Identifier: Apache-2.0 */
/* While a handler runs, conn.r reads ahead, and cancels the context of the connection
 * when that fails (net/http/server.go connReader.handleReadError, 1.15 to 1.27).
 * conn.readRequest makes the context of the request from it, so that both end. */
#include "src/findings/program/http_client.h"

#include <string.h>

#include "lib/procfs/sockets.h"

enum { WRAPPED_MAX = 4 /* connections in one another, as tls.Conn has one */ };

/* Which of the contexts that can end are done, from the request's outwards. */
struct ends {
	unsigned count;
	bool of_request, of_connection, of_server;
};

static bool http_look_at_context(void *arg, const struct context *c)
{
	struct ends *ends = arg;
	const bool done = c->error.type != NULL;

	if (c->kind != CONTEXT_CANCEL && c->kind != CONTEXT_DEADLINE &&
	    c->kind != CONTEXT_AFTER_FUNC)
		return true;
	if (ends->count == 0)
		ends->of_request = done;
	else if (ends->count == 1)
		ends->of_connection = done;
	else
		ends->of_server |= done;
	ends->count++;
	return true;
}

static bool http_context_is_over(struct runtime *rt, const struct value *conn)
{
	struct value current, response, context;
	struct ends ends = { .count = 0 };
	struct err ignored;

	/* An atomic.Value up to 1.19, then an atomic.Pointer, whose word has no type. */
	if (!runtime_field(rt, conn, "curReq.v", &current))
		return false;
	if (type_kind(current.type) == KIND_INTERFACE) {
		if (!runtime_behind(rt, &current, &response))
			return false;
	} else {
		response.type = runtime_type_named(rt, "net/http.response", &ignored);
		if (!response.type || !runtime_bytes(rt, current.addr, &response.addr,
						     sizeof(response.addr), &ignored))
			return false;
	}
	if (!response.addr || !runtime_field(rt, &response, "req.ctx", &context) ||
	    !runtime_is_context(context.type))
		return false;
	runtime_each_context(rt, &context, http_look_at_context, &ends);
	return ends.of_request && ends.of_connection && !ends.of_server;
}

static const char *http_socket_state(const struct finder *f, struct runtime *rt,
				     const struct value *conn)
{
	struct value at;
	uint64_t fd;

	if (!f->about.sockets || !runtime_field(rt, conn, "rwc", &at))
		return NULL;
	for (int i = 0; i < WRAPPED_MAX && runtime_behind(rt, &at, &at); i++) {
		if (runtime_number(rt, &at, "conn.fd.pfd.Sysfd", &fd)) {
			const struct descriptor *d =
				sockets_look(f->about.sockets, (int64_t)fd);
			return d && d->protocol && strcmp(d->protocol, "tcp") == 0
				       ? d->state
				       : NULL;
		}
		if (!runtime_field(rt, &at, "conn", &at))
			return NULL;
	}
	return NULL;
}

static bool http_is_zero(struct runtime *rt, const struct value *conn, const char *path)
{
	uint64_t number;

	return runtime_number(rt, conn, path, &number) && number == 0;
}

/* Can only the client have made reading fail? Reading also fails if the server closes the
 * connection, or limits how long it reads or writes: then only the socket shows that it
 * was the client. */
static bool http_only_client_ends(struct runtime *rt, const struct value *conn)
{
	return http_is_zero(rt, conn, "server.ReadTimeout") &&
	       http_is_zero(rt, conn, "server.WriteTimeout");
}

bool http_is_taken_over(struct runtime *rt, const struct value *conn)
{
	uint64_t taken_over;

	return runtime_number(rt, conn, "hijackedv", &taken_over) && taken_over;
}

bool http_client_has_gone(const struct finder *f, struct runtime *rt,
			  const struct value *conn)
{
	if (!http_is_zero(rt, conn, "hijackedv") ||
	    !http_is_zero(rt, conn, "server.inShutdown.v|server.inShutdown") ||
	    !http_context_is_over(rt, conn))
		return false;
	const char *state = http_socket_state(f, rt, conn);
	return state ? strcmp(state, "close-wait") == 0 || strcmp(state, "close") == 0
		     : http_only_client_ends(rt, conn);
}
