/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - messages over a socket that keeps them apart, with one descriptor at most. */
#ifndef GOSNAP_SANDBOX_MESSAGE_H
#define GOSNAP_SANDBOX_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

/* Sends and receives one message, and one descriptor at most. -1: errno; 0: the other end is closed.
 * *ret_fd: -1: none came. */
ssize_t message_send(int to, const void *head, size_t size, int fd, int flags);
ssize_t message_receive(int from, void *head, size_t size, int *ret_fd, int flags);

#endif
