/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of this very process, as /proc describes them. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "lib/procfs/sockets.h"

static const struct descriptor *look(const struct sockets *s, int fd)
{
	const struct descriptor *d = sockets_look(s, fd);

	assert_non_null(d);
	return d;
}

static struct sockaddr_in6 mapped(uint16_t port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET6, "::ffff:127.0.0.1", &a.sin6_addr), 1);
	return a;
}

static void test_tcp(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	char where[64];
	(void)state;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET6, SOCK_STREAM, 0);
	if (client < 0)
		skip(); /* no IPv6 here */
	assert_int_equal(bind(listener, (void *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (void *)&at, &len), 0);
	struct sockaddr_in6 to = mapped(ntohs(at.sin_port));
	assert_int_equal(connect(client, (void *)&to, sizeof(to)), 0);
	int copy = dup(client);
	snprintf(where, sizeof(where), "127.0.0.1:%d", ntohs(at.sin_port));

	AUTO(sockets_free) struct sockets *s = sockets_read(getpid());
	const struct descriptor *d = look(s, listener);
	assert_string_equal(d->protocol, "tcp");
	assert_string_equal(d->local, where);
	assert_string_equal(d->remote, "");
	assert_string_equal(d->state, "listen");
	/* An address of version 4 in a socket of version 6; and a second descriptor. */
	for (int i = 0; i < 2; i++) {
		d = look(s, i ? copy : client);
		assert_string_equal(d->protocol, "tcp");
		assert_string_equal(d->remote, where);
		assert_string_equal(d->state, "established");
	}
	close(listener);
	close(client);
	close(copy);
}

static void test_unix(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int len = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "gosnap test %d",
			   (int)getpid());
	char where[64];
	(void)state;
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (void *)&at,
			      (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1 +
				      (socklen_t)len),
			 0);
	assert_int_equal(listen(listener, 1), 0);
	snprintf(where, sizeof(where), "@gosnap test %d", (int)getpid());

	AUTO(sockets_free) struct sockets *s = sockets_read(getpid());
	const struct descriptor *d = look(s, listener);
	assert_string_equal(d->protocol, "unix");
	assert_string_equal(d->local, where);
	assert_string_equal(d->state, "listen");
	close(listener);
}

static void test_others(void **state)
{
	int pipes[2];
	(void)state;
	assert_int_equal(pipe(pipes), 0);
	int netlink = socket(AF_NETLINK, SOCK_RAW, 0);

	AUTO(sockets_free) struct sockets *s = sockets_read(getpid());
	const struct descriptor *d = look(s, pipes[0]);
	assert_null(d->protocol);
	assert_int_equal(strncmp(d->link, "pipe:[", 6), 0);
	d = look(s, netlink);
	assert_null(d->protocol);
	assert_int_equal(strncmp(d->link, "socket:[", 8), 0);
	close(pipes[0]);
	close(pipes[1]);
	close(netlink);
	assert_null(sockets_look(s, -1));
	assert_null(sockets_look(s, 1 << 20));
	assert_null(sockets_look(s, INT64_MAX));
}

static void test_no_process(void **state)
{
	(void)state;
	AUTO(sockets_free) struct sockets *s = sockets_read(1 << 30);
	assert_null(sockets_look(s, 0));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_no_process),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
