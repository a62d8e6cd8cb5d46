/* SPDX-License-Identifier: Apache-2.0 */
/* holder.h - the process that has the kernel's group. It does nothing that may take long: it neither opens
 * nor reads files nor allocates memory; it passes descriptors on and waits for answers, for a time. */
#ifndef GOSNAP_STRICT_HOLDER_H
#define GOSNAP_STRICT_HOLDER_H

#include "src/strict/strict.h"

/* To us, with a descriptor of the file. */
struct holder_held {
	uint32_t number;
};

/* To it. */
enum holder_order_kind {
	HOLDER_ALLOW,
	HOLDER_ALLOW_ALWAYS, /* until the file is written to */
	HOLDER_HOLD,	     /* with a descriptor of a folder: its whole file system */
};
struct holder_order {
	uint32_t kind, number;
};

#define HOLDER_EVENT FAN_OPEN_EXEC_PERM

/* Messages of a socket, with a descriptor or -1. Neither waits. False, or -1: there is none, or, errno EPIPE,
 * never will be. */
MUST_CHECK bool holder_send(int socket, const void *message, size_t len, int fd);
MUST_CHECK bool holder_receive(int socket, void *ret, size_t len, int *ret_fd);

/* Holds all that is on the file system of this folder. */
MUST_CHECK bool holder_hold(int group, int folder);

enum { HOLDER_DESCRIPTORS = 512 }; /* that it has at most */
/* In the child. */
void holder(int group, int socket, pid_t watcher, struct strict_counts *counts)
	__attribute__((noreturn));

#endif
