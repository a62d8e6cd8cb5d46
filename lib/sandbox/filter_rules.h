/* SPDX-License-Identifier: Apache-2.0 */
/* filter_rules.h - lists of permitted system calls, such as syscalls.def, which says what its rows mean, as
 * tables, and the filters made from them. Private to lib/sandbox. */
#ifndef GOSNAP_FILTER_RULES_H
#define GOSNAP_FILTER_RULES_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "lib/sandbox/sandbox_priv.h"

struct filter_rule {
	uint32_t number;
	uint32_t verdict; /* SECCOMP_RET_ */
	bool conditional;
	int argument;
	uint32_t mask, value;
	bool of_self;	 /* the value is our pid */
	bool of_workers; /* only where there are some */
};

#define FILTER_IF(name, what, at, bits, equals)                                          \
	.number = SYS_##name, .verdict = (what), .conditional = true, .argument = (at),  \
	.mask = (uint32_t)(bits), .value = (uint32_t)(equals)
#define ALLOW(name, reason) { .number = SYS_##name, .verdict = SECCOMP_RET_ALLOW },
#define ALLOW_IF(name, argument, mask, value, reason)                                    \
	{ FILTER_IF(name, SECCOMP_RET_ALLOW, argument, mask, value) },
#define ALLOW_WORKERS(name, argument, mask, value, reason)                               \
	{ FILTER_IF(name, SECCOMP_RET_ALLOW, argument, mask, value), .of_workers = true },
#define FORBID_IF(name, argument, mask, value, reason)                                   \
	{ FILTER_IF(name, SECCOMP_RET_TRAP | FILTER_FORBIDDEN, argument, mask, value) },
#define ALLOW_SELF(name, argument, reason)                                               \
	{ FILTER_IF(name, SECCOMP_RET_ALLOW, argument, ~0u, 0), .of_self = true },
#define ASK(name, reason)                                                                \
	{ .number = SYS_##name, .verdict = SECCOMP_RET_TRAP | FILTER_ASK },
#define REFUSE(name, error, reason)                                                      \
	{ .number = SYS_##name, .verdict = SECCOMP_RET_ERRNO | (error) },

struct filter_table {
	const struct filter_rule *rules; /* those of one call follow each other */
	size_t count;
	uint32_t otherwise; /* the verdict of all that is not listed */
};

/* The program of the filter; free with xfree. self: the pid for ALLOW_SELF; workers: there are some.
 * Calls of another convention than amd64's end the process. */
struct sock_filter *filter_program_new(const struct filter_table *table, pid_t self,
				       bool workers, unsigned short *ret_count);

#endif
