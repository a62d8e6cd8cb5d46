/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/sandbox/sandbox_priv.h"

/* <linux/seccomp.h> of Linux 5.7. */
#ifndef SECCOMP_FILTER_FLAG_TSYNC_ESRCH
#define SECCOMP_FILTER_FLAG_TSYNC_ESRCH (1UL << 4)
#endif

#define FLAGS                                                                            \
	(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH |                   \
	 SECCOMP_FILTER_FLAG_NEW_LISTENER)

/* A kernel that knows the flags looks for the filter next. */
bool starts_are_asked_for(void)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, FLAGS, NULL) < 0 &&
	       errno == EFAULT;
}

int starts_listen(const struct sock_fprog *program)
{
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, FLAGS, program);
}

/* The call goes on with the arguments that the filter saw: they are in registers, which nobody can change
 * while the thread waits for us. */
bool starts_answer(int starts, pid_t leader, unsigned *left)
{
	struct seccomp_notif asked = { .id = 0 };
	struct seccomp_notif_resp answer = { .error = -EPERM };

	if (ioctl(starts, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return errno == EINTR || errno == ENOENT; /* or it was killed meanwhile */
	answer.id = asked.id;
	if (asked.pid == (uint32_t)leader && *left) {
		answer.error = 0;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	if (ioctl(starts, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 && answer.flags)
		--*left;
	return true;
}
