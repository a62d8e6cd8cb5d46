/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/sandbox/sandbox_priv.h"

enum {
	ALWAYS = -1,	      /* argument of a row without one */
	X32_BIT = 0x40000000, /* set in the numbers of another calling convention */
};
/* <linux/fs.h> of Linux 6.7. */
#define SANDBOX_PAGEMAP_SCAN 0xc0606610u

struct rule {
	uint32_t number;
	uint32_t verdict; /* SECCOMP_RET_ */
	int argument;
	uint32_t mask, value;
	bool of_self;	 /* the value is our pid */
	bool of_workers; /* only where there are some */
};

#define ALLOW(name, reason) { SYS_##name, SECCOMP_RET_ALLOW, ALWAYS, 0, 0, false, false },
#define ALLOW_IF(name, argument, mask, value, reason)                                    \
	{                                                                                \
		SYS_##name, SECCOMP_RET_ALLOW, argument, mask, (uint32_t)(value), false, \
		false                                                                    \
	},
#define ALLOW_WORKERS(name, argument, mask, value, reason)                               \
	{ SYS_##name,                                                                    \
	  SECCOMP_RET_ALLOW,                                                             \
	  argument,                                                                      \
	  (uint32_t)(mask),                                                              \
	  (uint32_t)(value),                                                             \
	  false,                                                                         \
	  true },
#define FORBID_IF(name, argument, mask, value, reason)                                   \
	{ SYS_##name,                                                                    \
	  SECCOMP_RET_TRAP | FILTER_FORBIDDEN,                                           \
	  argument,                                                                      \
	  (uint32_t)(mask),                                                              \
	  (uint32_t)(value),                                                             \
	  false,                                                                         \
	  false },
#define ALLOW_SELF(name, argument, reason)                                               \
	{ SYS_##name, SECCOMP_RET_ALLOW, argument, ~0u, 0, true, false },
#define ASK(name, reason)                                                                \
	{ SYS_##name, SECCOMP_RET_TRAP | FILTER_ASK, ALWAYS, 0, 0, false, false },
#define REFUSE(name, error, reason)                                                      \
	{ SYS_##name, SECCOMP_RET_ERRNO | (error), ALWAYS, 0, 0, false, false },
static const struct rule rules[] = {
#include "lib/sandbox/syscalls.def"
};

static const char *const names[] = {
#include "lib/sandbox/syscall_names.inc"
};

const char *syscall_name(int64_t number)
{
	return number >= 0 && (uint64_t)number < ARRAY_SIZE(names) && names[number]
		       ? names[number]
		       : "?";
}

struct program {
	struct sock_filter *code;
	size_t count, cap;
};

static void add(struct program *p, uint16_t code, uint32_t k, uint8_t if_true,
		uint8_t if_false)
{
	GROW(p->code, p->count, p->cap);
	p->code[p->count++] = (struct sock_filter){ code, if_true, if_false, k };
}

static void load(struct program *p, size_t offset)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end(struct program *p, uint32_t verdict)
{
	add(p, BPF_RET | BPF_K, verdict, 0, 0);
}

/* The lower half: the kernel looks at no more of what is checked here. */
static void add_condition(struct program *p, const struct rule *rule, pid_t self)
{
	const uint32_t value = rule->of_self ? (uint32_t)self : rule->value;

	load(p, offsetof(struct seccomp_data, args) +
			(size_t)rule->argument * sizeof(uint64_t));
	if (rule->mask != ~0u)
		add(p, BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
	add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
	end(p, rule->verdict);
}

/* All rows of one call. Returns the first of the next. */
static size_t add_call(struct program *p, size_t i, pid_t self, bool workers)
{
	const uint32_t number = rules[i].number;
	const size_t jump = p->count;

	add(p, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0);
	for (; i < ARRAY_SIZE(rules) && rules[i].number == number; i++) {
		if (rules[i].of_workers && !workers)
			continue;
		if (rules[i].argument != ALWAYS) {
			add_condition(p, &rules[i], self);
			continue;
		}
		end(p, rules[i].verdict);
	}
	if (rules[i - 1].argument != ALWAYS)
		end(p, SECCOMP_RET_TRAP | FILTER_FORBIDDEN);
	p->code[jump].jf = (uint8_t)(p->count - jump - 1);
	return i;
}

struct sock_filter *syscall_filter_new(pid_t self, bool workers,
				       unsigned short *ret_count)
{
	struct program p = { .code = NULL };

	load(&p, offsetof(struct seccomp_data, arch));
	add(&p, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	end(&p, SECCOMP_RET_KILL_PROCESS);
	load(&p, offsetof(struct seccomp_data, nr));
	add(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	end(&p, SECCOMP_RET_KILL_PROCESS);
	for (size_t i = 0; i < ARRAY_SIZE(rules);)
		i = add_call(&p, i, self, workers);
	end(&p, SECCOMP_RET_TRAP | FILTER_FORBIDDEN);
	*ret_count = (unsigned short)p.count;
	return p.code;
}
