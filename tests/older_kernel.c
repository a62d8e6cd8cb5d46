/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into gosnap by tests: a kernel before 6.6, which loads a program for many probes at once, as it does
 * not look at the type of its link, and then does not know the link; with BEFORE_6_0, also one in which no program
 * at a probe may sleep. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

enum { TRACE_UPROBE_MULTI = 48 };

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	const union bpf_attr *attr = (const void *)a[1];
	if (number == SYS_bpf &&
	    ((a[0] == BPF_LINK_CREATE &&
	      attr->link_create.attach_type == TRACE_UPROBE_MULTI) ||
	     (a[0] == BPF_PROG_LOAD && attr->prog_flags & BPF_F_SLEEPABLE &&
	      getenv("BEFORE_6_0")))) {
		errno = EINVAL;
		return -1;
	}
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
