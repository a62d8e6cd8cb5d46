/* SPDX-License-Identifier: Apache-2.0 */
/* access_check.h - explains why a process cannot be examined, in one sentence with the remedy.
 * Facts are collected first and judged by a pure function, so that recorded facts can
 * test what a given kernel lacks (yama, ...). */
#ifndef GOSNAP_ACCESS_CHECK_H
#define GOSNAP_ACCESS_CHECK_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"

/* kernel.yama.ptrace_scope: who may trace. */
enum yama_scope {
	YAMA_DESCENDANTS = 1,
	YAMA_ADMIN,
	YAMA_NOBODY,
};

struct access_check_facts {
	pid_t pid;
	bool foreign_proc; /* /proc is of another pid namespace than ours */
	bool exists;
	bool is_thread; /* a tid other than that of the thread-group leader */
	pid_t tgid;
	bool kernel_thread;
	bool zombie, dead;
	pid_t tracer; /* 0: none */
	char tracer_name[64];
	int elf_class; /* of the executable: 1 = 32-bit, 2 = 64-bit, 0 unknown */
	int elf_machine;
	int ptrace_errno; /* from process_vm_readv or seize; 0: allowed */
	int yama_scope;	  /* -1: this kernel has no yama */
	bool dumpable_known, dumpable;
	uid_t our_uid, uid, euid, suid; /* ours; the subject's */
	gid_t our_gid, gid, egid, sgid;
	uint64_t our_capabilities, capabilities; /* effective; the subject's permitted */
	bool same_user_namespace;
	bool descendant; /* the subject descends from us */
	char name[64];
};

void access_check_collect(pid_t pid, struct access_check_facts *ret);

/* True: nothing prevents it. Otherwise err is ERR_NOT_FOUND, ERR_CANNOT or ERR_PERMISSION
 * with the sentence. Uses only the facts. */
bool access_check_judge(const struct access_check_facts *facts, struct err *err);

#endif
