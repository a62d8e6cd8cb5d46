/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the client of a request has gone, by what a connection of net/http has, which is made up: values are
 * numbers, and their addresses say which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <netinet/in.h>

#include "lib/procfs/sockets.h"
#include "src/findings/program/http_client.h"
#include "tests/unit/unit.h"

/* The contexts of the request, of the connection and of the server, and what is known of the socket. */
static struct connection {
	bool request_done, connection_done, server_done;
	bool hijacked, shuts_down, idle, old; /* old: of Go up to 1.19 */
	uint64_t read_timeout, write_timeout;
	int fd; /* looked up among the descriptors of the test; 0: they are not known */
} connection;

enum { CONN = 1, CURRENT, RESPONSE, CONTEXT, WRAPPED, TCP };

static char some_type;
#define TYPE ((const struct type *)&some_type)

bool runtime_field(struct runtime *rt, const struct value *v, const char *paths,
		   struct value *ret)
{
	static const struct {
		uint64_t of;
		const char *paths;
		uint64_t ret;
	} fields[] = {
		{ CONN, "curReq.v", CURRENT },
		{ RESPONSE, "req.ctx", CONTEXT },
		{ CONN, "rwc", WRAPPED },
		{ WRAPPED, "conn", TCP },
	};

	(void)rt;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].of == v->addr && strcmp(fields[i].paths, paths) == 0) {
			*ret = (struct value){ TYPE, fields[i].ret };
			return true;
		}
	return false;
}

bool runtime_number(struct runtime *rt, const struct value *v, const char *paths,
		    uint64_t *ret)
{
	const struct {
		uint64_t of;
		const char *paths;
		uint64_t number;
	} fields[] = {
		{ CONN, "hijackedv", connection.hijacked },
		{ CONN, "server.inShutdown.v|server.inShutdown", connection.shuts_down },
		{ CONN, "server.ReadTimeout", connection.read_timeout },
		{ CONN, "server.WriteTimeout", connection.write_timeout },
		{ TCP, "conn.fd.pfd.Sysfd", (uint64_t)connection.fd },
	};

	(void)rt;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].of == v->addr && strcmp(fields[i].paths, paths) == 0) {
			*ret = fields[i].number;
			return true;
		}
	return false;
}

bool runtime_behind(struct runtime *rt, const struct value *v, struct value *ret)
{
	(void)rt;
	*ret = *v;
	if (v->addr == CURRENT)
		ret->addr = RESPONSE;
	return v->addr != CURRENT || !connection.idle;
}

bool runtime_bytes(struct runtime *rt, uint64_t addr, void *ret, size_t len,
		   struct err *err)
{
	const uint64_t response = connection.idle ? 0 : RESPONSE;

	(void)rt;
	(void)err;
	assert_int_equal(addr, CURRENT);
	assert_int_equal(len, sizeof(response));
	memcpy(ret, &response, sizeof(response));
	return true;
}

const struct type *runtime_type_named(struct runtime *rt, const char *name,
				      struct err *err)
{
	(void)rt;
	(void)err;
	assert_string_equal(name, "net/http.response");
	return TYPE;
}

enum type_kind type_kind(const struct type *type)
{
	(void)type;
	return connection.old ? KIND_INTERFACE : KIND_UNSAFE_POINTER;
}

bool runtime_is_context(const struct type *type)
{
	(void)type;
	return true;
}

void runtime_each_context(struct runtime *rt, const struct value *v, context_fn *fn,
			  void *arg)
{
	const bool done[] = { connection.request_done, connection.connection_done,
			      connection.server_done };
	const struct context with_value = { .kind = CONTEXT_VALUE };

	(void)rt;
	assert_int_equal(v->addr, CONTEXT);
	for (size_t i = 0; i < ARRAY_SIZE(done); i++) {
		const struct context c = { .kind = CONTEXT_CANCEL,
					   .error.type = done[i] ? TYPE : NULL };
		assert_true(fn(arg, &c));
		assert_true(fn(arg, &with_value));
	}
}

static bool gone(struct connection made_up)
{
	const struct value conn = { TYPE, CONN };
	struct finder f = { .findings = NULL };

	connection = made_up;
	connection.request_done = connection.connection_done = true;
	connection.server_done = made_up.server_done;
	AUTO(sockets_free) struct sockets *sockets = NULL;
	if (made_up.fd)
		f.about.sockets = sockets = sockets_read(getpid());
	return http_client_has_gone(&f, NULL, &conn);
}

static void test_contexts(void **state)
{
	const struct value conn = { TYPE, CONN };
	struct finder f = { .findings = NULL };

	(void)state;
	assert_true(gone((struct connection){ .old = true }));
	assert_true(gone((struct connection){ .old = false }));
	assert_false(gone((struct connection){ .old = true, .idle = true }));
	assert_false(gone((struct connection){ .idle = true }));
	assert_false(gone((struct connection){ .server_done = true }));
	/* The request is over, or nothing is. */
	connection = (struct connection){ .request_done = true };
	assert_false(http_client_has_gone(&f, NULL, &conn));
	connection.request_done = false;
	assert_false(http_client_has_gone(&f, NULL, &conn));
}

static void test_server(void **state)
{
	const struct value conn = { TYPE, CONN };

	(void)state;
	assert_false(gone((struct connection){ .hijacked = true }));
	assert_true(http_is_taken_over(NULL, &conn));
	assert_false(gone((struct connection){ .shuts_down = true }));
	assert_false(http_is_taken_over(NULL, &conn));
	assert_false(gone((struct connection){ .read_timeout = 1 }));
	assert_false(gone((struct connection){ .write_timeout = 1 }));
}

static int listens(struct sockaddr_in *ret)
{
	socklen_t len = sizeof(*ret);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	*ret = (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	assert_int_equal(bind(fd, (struct sockaddr *)ret, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &len), 0);
	return fd;
}

/* The state of the socket is worth more than limits. */
static void test_socket(void **state)
{
	struct sockaddr_in address;
	const int listener = listens(&address), client = socket(AF_INET, SOCK_STREAM, 0);
	char ignored;

	(void)state;
	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)),
			 0);
	const int server = accept(listener, NULL, NULL);
	assert_false(gone((struct connection){ .fd = server }));
	close(client);
	assert_int_equal(read(server, &ignored, 1), 0);
	assert_true(gone((struct connection){ .fd = server, .read_timeout = 1 }));
	assert_false(gone((struct connection){ .fd = server, .shuts_down = true }));
	/* It is closed, and nothing is known of it. */
	close(server);
	close(listener);
	assert_true(gone((struct connection){ .fd = server }));
	assert_false(gone((struct connection){ .fd = server, .read_timeout = 1 }));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_server),
		cmocka_unit_test(test_socket),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
