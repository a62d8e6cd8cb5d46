/* SPDX-License-Identifier: Apache-2.0 */
/* sockets.h - what the file descriptors of a process are, and to whom its sockets are
 * connected, as /proc/PID/fd and /proc/PID/net say: in the process's own network namespace.
 * Asks for nothing that needs a socket of our own: the other end of a Unix socket is not
 * known. Of the moment of the call, not of that when the process stood still. */
#ifndef GOSNAP_SOCKETS_H
#define GOSNAP_SOCKETS_H

#include <sys/types.h>

#include "lib/base/util.h"

struct sockets;

struct descriptor {
	const char *link; /* as readlink says: "socket:[123]", "pipe:[4]", "/dev/tty" */
	const char
		*protocol; /* "tcp", "udp", "unix"; NULL: no socket, or of another kind */
	const char *state; /* "established", "listen"; NULL: it has none */
	/* "127.0.0.1:80", "[::1]:80", "/run/x", "@abstract"; "" when it has none. */
	char local[128], remote[64];
};

/* tid: any living thread of the process. Never NULL; empty when /proc tells nothing. */
struct sockets *sockets_read(pid_t tid);
void sockets_free(struct sockets *s);
DEFINE_AUTO(struct sockets, sockets_free)

/* Borrowed, valid until sockets_free(). NULL: there is no such descriptor. */
const struct descriptor *sockets_look(const struct sockets *s, int64_t fd);

#endif
