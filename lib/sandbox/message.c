/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr header;
};

ssize_t message_send(int to, const void *head, size_t size, int fd, int flags)
{
	struct iovec bytes = { (void *)(uintptr_t)head, size };
	union control control = { .bytes = "" };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		control.header =
			(struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(to, &m, flags | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n;
}

/* If more than one descriptor came, the kernel keeps none but the first: there is no room. */
ssize_t message_receive(int from, void *head, size_t size, int *ret_fd, int flags)
{
	struct iovec bytes = { head, size };
	union control control;
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = CMSG_LEN(sizeof(int)) };
	ssize_t n;

	*ret_fd = -1;
	do {
		n = recvmsg(from, &m, flags | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	const struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(c), sizeof(*ret_fd));
	return n;
}
