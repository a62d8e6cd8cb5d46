/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - the socket. Made before the sandbox is closed. */
#include <netinet/in.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/viewer/serve/http.h"

enum { WAITING_MAX = 64, TOKEN_BYTES = 16 };

static bool bind_and_listen(int fd, uint16_t *port, struct err *err)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(*port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	const int on = 1;

	/* The port of one that has just ended can be had. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, len) < 0)
		return err_sys(err, "cannot use port %u of 127.0.0.1", (unsigned)*port);
	if (listen(fd, WAITING_MAX) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		return err_sys(err, "cannot listen at 127.0.0.1");
	*port = ntohs(address.sin_port);
	return true;
}

static bool new_token(char ret[static 2 * TOKEN_BYTES + 1], struct err *err)
{
	uint8_t random[TOKEN_BYTES];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_sys(err, "no random bytes");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(ret + 2 * i, 3, "%02x", random[i]);
	return true;
}

bool http_listen(struct http_server *server, struct err *err)
{
	_Static_assert(sizeof(server->token) == 2 * TOKEN_BYTES + 1, "a token in digits");
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(err, "cannot make a socket");
	if (!new_token(server->token, err) || !bind_and_listen(fd, &server->port, err)) {
		close(fd);
		return false;
	}
	server->fd = fd;
	return true;
}
