/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox_priv.h - the parts of a sandbox: what closes it, from inside, and its filter. */
#ifndef GOSNAP_SANDBOX_PRIV_H
#define GOSNAP_SANDBOX_PRIV_H

#include <linux/filter.h>

#include "lib/sandbox/sandbox.h"

/* How messages call it. */
#define SANDBOXED "the sandboxed process, which reads untrusted data,"

/* enter.c: closes it around this process, whose parent is at the other end of channel. *ret_starts: by
 * which the parent is asked, see starts.c; -1: it is not. ERR_SYS: it cannot be closed, and err says what
 * the kernel refused. */
MUST_CHECK bool sandbox_close(const struct sandbox *how, int channel, int *ret_starts,
			      struct err *err);
/* A part of that: all capabilities. */
MUST_CHECK bool sandbox_drop_capabilities(struct err *err);
void sandbox_unmap_withheld(void);
/* usual; for tests: what the environment says instead. */
uint64_t switched(const char *name, uint64_t usual);
/* Is that layer on? Always; but in builds for tests, not if the variable of the environment names it, so that a
 * test sees what the others stop by themselves: GOSNAP_SANDBOX_WITHOUT=LAYER,... of the sandbox, and
 * GOSNAP_DOWNLOADER_WITHOUT=LAYER,... of the process that downloads. */
#define LAYER_FILTER "filter" /* of system calls */
#define LAYER_LANDLOCK "landlock"
#define LAYER_LIMITS "limits" /* on resources */
#define LAYER_CAPABILITIES "capabilities"
bool has_layer(const char *variable, const char *layer);
/* downloader_close.c: closes a child of ours that writes to this folder only, and has the network. */
MUST_CHECK bool downloader_close(const char *folder, int channel, struct err *err);

/* trespass.c: likewise, in another child than the sandbox, which is closed. */
void sandbox_trespass_confined(const char *place);

/* landlock.c: forbids all that this kernel knows, but what is permitted afterwards; network: but that, too.
 * True, and ret->fd -1: the kernel has no Landlock, or it is off. */
struct ruleset {
	int fd;
	uint64_t files; /* kinds of access that it decides on */
};
MUST_CHECK bool ruleset_new(bool network, struct ruleset *ret, struct err *err);
/* Applies it to us, and closes it. */
MUST_CHECK bool ruleset_restrict(struct ruleset *set, struct err *err);

/* filter.c: what the kernel tells our handler of SIGSYS about a call that is not executed. */
enum { FILTER_FORBIDDEN = 1, FILTER_ASK = 2 };
/* The filter of syscalls.def, see filter_program_new(). */
struct sock_filter *syscall_filter_new(const struct sandbox *how, uint32_t workers,
				       unsigned short *ret_count);
/* The name of a system call; "?" if it has none here. */
const char *syscall_name(int64_t number);

/* starts.c: the kernel asks the parent before the child starts a process. Whether it can: */
bool starts_are_asked_for(void);
/* In the child: the filter, of all threads, with SECCOMP_RET_USER_NOTIF for what is asked for. -1: errno. */
int starts_listen(const struct sock_fprog *program);
/* In the parent: answers what is asked by it. Only leader may start some, as many as there are left, which it
 * counts. False: nobody will ask any more. */
bool starts_answer(int starts, pid_t leader, unsigned *left);

/* group.c: of a sandbox with workers, whose processes are a group, led by its first.
 * group_watch(): true: they are no more than they may be, and neither is their memory. False: err says
 * which. group_end(): kills and reaps them all, which are children of ours when their parents are gone:
 * we are a subreaper. */
MUST_CHECK bool group_watch(const struct sandbox *how, pid_t leader, struct err *err);
void group_end(pid_t leader);
/* still.c: measures how long the sandbox has been idle. The broker looks at it every look_ns. */
struct still {
	uint64_t most_ns; /* 0: as long as it likes */
	uint64_t look_ns;
	uint64_t looked_ns, ticks, idle_ns; /* as of the last look */
	bool was_still;
};
void still_begin(struct still *s, const struct sandbox *how);
/* is_owed: an answer of ours is what it waits for. */
bool still_is_over(struct still *s, const struct sandbox *how, bool is_owed);

/* enter.c: bytes that one process may have for writing. */
uint64_t sandbox_memory(void);

#endif
