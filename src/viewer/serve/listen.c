/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - the socket. Made before the sandbox is closed. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/viewer/serve/http.h"

enum {
	WAITING_MAX =
		1024, /* more than anybody opens at once: who is not among them tries again after a second */
	TOKEN_BYTES = 16,
};

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

/* Does somebody listen at it? errno: why not. */
static bool listen_answers(const struct sockaddr_un *at)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const bool ok =
		fd >= 0 && (connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0 ||
			    errno == EAGAIN);
	const int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
	return ok;
}

/* Nothing is there afterwards, or err says what is. */
static bool listen_clear(const struct sockaddr_un *at, struct err *err)
{
	struct stat st;

	if (lstat(at->sun_path, &st) < 0)
		return errno == ENOENT ||
		       err_sys(err, "cannot listen at %.107s", at->sun_path);
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return err_set(err, ERR_SYS,
			       "%.107s is there, and no socket of yours: choose another "
			       "path",
			       at->sun_path);
	if (listen_answers(at))
		return err_set(err, ERR_SYS, "somebody else listens at %.107s",
			       at->sun_path);
	return (errno == ECONNREFUSED && unlink(at->sun_path) == 0) ||
	       err_sys(err, "cannot replace the socket %.107s", at->sun_path);
}

/* Mode 0600 from the beginning. */
static int listen_at_path(const char *path, struct err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	if (!*path || strlen(path) >= sizeof(at.sun_path)) {
		err_set(err, ERR_SYS, "the path of a socket has 1 to %zu bytes: %.100s",
			sizeof(at.sun_path) - 1, path);
		return -1;
	}
	strcpy(at.sun_path, path);
	if (!listen_clear(&at, err))
		return -1;
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const mode_t mask = umask(0177);
	const bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
			listen(fd, WAITING_MAX) == 0;
	umask(mask);
	if (ok)
		return fd;
	err_sys(err, "cannot listen at %.107s", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

void http_remove_socket(const struct http_server *server)
{
	struct stat st;

	if (server->path && lstat(server->path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(server->path);
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

static int listen_at_port(uint16_t *port, struct err *err)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		err_sys(err, "cannot make a socket");
	else if (bind_and_listen(fd, port, err))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool http_listen(struct http_server *server, struct err *err)
{
	_Static_assert(sizeof(server->token) == 2 * TOKEN_BYTES + 1, "a token in digits");
	if (!new_token(server->token, err))
		return false;
	server->fd = server->path ? listen_at_path(server->path, err)
				  : listen_at_port(&server->port, err);
	return server->fd >= 0;
}
