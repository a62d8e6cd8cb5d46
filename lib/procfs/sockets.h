/* SPDX-License-Identifier: Apache-2.0 */
/* sockets.h - the file descriptors of a process and the addresses of its sockets, from
 * /proc/PID/fd and /proc/PID/net, in the process's network namespace. Does not use
 * sockets of our own, so the peers of Unix sockets are unknown. Shows the time of the
 * call, not of the stop. */
#ifndef GOSNAP_SOCKETS_H
#define GOSNAP_SOCKETS_H

#include <sys/types.h>

#include "lib/base/util.h"

struct sockets;

struct descriptor {
	const char *link; /* as from readlink: "socket:[123]", "pipe:[4]", "/dev/tty" */
	const char *protocol; /* "tcp", "udp", "unix"; NULL: another kind, or no socket */
	const char *state;    /* "established", "listen"; NULL: none */
	/* "127.0.0.1:80", "[::1]:80", "/run/x", "@abstract"; "" if none. */
	char local[128], remote[64];
};

/* tid: any living thread of the process. Never NULL; empty if /proc shows nothing. */
struct sockets *sockets_read(pid_t tid);
void sockets_free(struct sockets *s);
DEFINE_AUTO(struct sockets, sockets_free)

/* The descriptors of the process, for sockets_read(): a file of pairs of texts, number and link, each
 * with its NUL. -1: errno. */
int sockets_list(pid_t tid);
/* For who cannot list them: from now on, this does. */
void sockets_use_list(int (*list)(pid_t tid));

/* Borrowed, valid until sockets_free(). NULL: no such descriptor. */
const struct descriptor *sockets_look(const struct sockets *s, int64_t fd);

#endif
