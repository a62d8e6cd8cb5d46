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
	uint32_t verdict;    /* SECCOMP_RET_ */
	unsigned conditions; /* 0: none; all must hold */
	struct {
		int argument;
		uint32_t mask, value;
	} condition[2];
	bool of_self;	 /* the value is our pid */
	bool of_workers; /* only where there are some */
	bool of_server;	 /* only where there is one */
};

#define FILTER_CONDITION(at, bits, equals)                                               \
	{                                                                                \
		(at), (uint32_t)(bits), (uint32_t)(equals)                               \
	}
#define FILTER_IF(name, what, at, bits, equals)                                          \
	.number = SYS_##name, .verdict = (what), .conditions = 1,                        \
	.condition = { FILTER_CONDITION(at, bits, equals) }
#define FILTER_BOTH(name, what, at, equals, second, bits, then)                          \
	.number = SYS_##name, .verdict = (what), .conditions = 2,                        \
	.condition = { FILTER_CONDITION(at, ~0u, equals),                                \
		       FILTER_CONDITION(second, bits, then) }
#define ALLOW(name, reason) { .number = SYS_##name, .verdict = SECCOMP_RET_ALLOW },
#define ALLOW_IF(name, argument, mask, value, reason)                                    \
	{ FILTER_IF(name, SECCOMP_RET_ALLOW, argument, mask, value) },
#define START_WORKERS(name, argument, mask, value, reason)                               \
	{ FILTER_IF(name, SECCOMP_RET_USER_NOTIF, argument, mask, value),                \
	  .of_workers = true },
#define ALLOW_BOTH(name, argument, value, second, mask, then, reason)                    \
	{ FILTER_BOTH(name, SECCOMP_RET_ALLOW, argument, value, second, mask, then) },
#define ALLOW_WORKERS_BOTH(name, argument, value, second, mask, then, reason)            \
	{ FILTER_BOTH(name, SECCOMP_RET_ALLOW, argument, value, second, mask, then),     \
	  .of_workers = true },
#define ALLOW_SERVER(name, reason)                                                       \
	{ .number = SYS_##name, .verdict = SECCOMP_RET_ALLOW, .of_server = true },
#define ALLOW_SERVER_BOTH(name, argument, value, second, mask, then, reason)             \
	{ FILTER_BOTH(name, SECCOMP_RET_ALLOW, argument, value, second, mask, then),     \
	  .of_server = true },
#define REFUSE_IF(name, error, argument, mask, value, reason)                            \
	{ FILTER_IF(name, SECCOMP_RET_ERRNO | (error), argument, mask, value) },
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

/* Whose calls a filter is for. */
struct filter_user {
	pid_t self;	  /* for ALLOW_SELF */
	uint32_t workers; /* the verdict of START_WORKERS; 0: there are none */
	bool server;
};

/* The program of the filter; free with xfree.
 * Calls of another convention than amd64's end the process. */
struct sock_filter *filter_program_new(const struct filter_table *table,
				       const struct filter_user *user,
				       unsigned short *ret_count);

#endif
