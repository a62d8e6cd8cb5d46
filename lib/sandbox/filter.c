/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/sandbox/filter_rules.h"
#include "lib/sandbox/sandbox_priv.h"

enum { X32_BIT = 0x40000000 }; /* set in the numbers of another calling convention */
/* <linux/fs.h> of Linux 6.7. */
#define SANDBOX_PAGEMAP_SCAN 0xc0606610u

static const struct filter_rule reader_rules[] = {
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

/* The lower half: the kernel looks at no more of what is checked here. Returns the place of the jump that
 * is taken if it does not hold. */
static size_t add_condition(struct program *p, const struct filter_rule *rule, unsigned i,
			    pid_t self)
{
	const uint32_t mask = rule->condition[i].mask,
		       value = rule->of_self ? (uint32_t)self : rule->condition[i].value;

	load(p, offsetof(struct seccomp_data, args) +
			(size_t)rule->condition[i].argument * sizeof(uint64_t));
	if (mask != ~0u)
		add(p, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
	add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 0);
	return p->count - 1;
}

static void add_rule(struct program *p, const struct filter_rule *rule, pid_t self,
		     uint32_t verdict)
{
	size_t jumps[ARRAY_SIZE(rule->condition)];

	for (unsigned i = 0; i < rule->conditions; i++)
		jumps[i] = add_condition(p, rule, i, self);
	end(p, verdict);
	for (unsigned i = 0; i < rule->conditions; i++)
		p->code[jumps[i]].jf = (uint8_t)(p->count - jumps[i] - 1);
}

static bool is_for_others(const struct filter_rule *rule, const struct filter_user *user)
{
	return (rule->of_workers && !user->workers) || (rule->of_server && !user->server);
}

/* All rows of one call. Returns the first of the next. */
static size_t add_call(struct program *p, const struct filter_table *table, size_t i,
		       const struct filter_user *user)
{
	const struct filter_rule *rules = table->rules;
	const uint32_t number = rules[i].number;
	const size_t jump = p->count;

	add(p, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0);
	for (; i < table->count && rules[i].number == number; i++) {
		if (is_for_others(&rules[i], user))
			continue;
		add_rule(p, &rules[i], user->self,
			 rules[i].verdict == SECCOMP_RET_USER_NOTIF ? user->workers
								    : rules[i].verdict);
	}
	if (rules[i - 1].conditions)
		end(p, table->otherwise);
	p->code[jump].jf = (uint8_t)(p->count - jump - 1);
	return i;
}

struct sock_filter *filter_program_new(const struct filter_table *table,
				       const struct filter_user *user,
				       unsigned short *ret_count)
{
	struct program p = { .code = NULL };

	load(&p, offsetof(struct seccomp_data, arch));
	add(&p, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	end(&p, SECCOMP_RET_KILL_PROCESS);
	load(&p, offsetof(struct seccomp_data, nr));
	add(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	end(&p, SECCOMP_RET_KILL_PROCESS);
	for (size_t i = 0; i < table->count;)
		i = add_call(&p, table, i, user);
	end(&p, table->otherwise);
	*ret_count = (unsigned short)p.count;
	return p.code;
}

struct sock_filter *syscall_filter_new(const struct sandbox *how, uint32_t workers,
				       unsigned short *ret_count)
{
	static const struct filter_table table = { reader_rules, ARRAY_SIZE(reader_rules),
						   SECCOMP_RET_TRAP | FILTER_FORBIDDEN };

	const struct filter_user user = { getpid(), workers, how->server };

	return filter_program_new(&table, &user, ret_count);
}
