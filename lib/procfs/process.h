/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - facts about a process as a whole, from /proc. Never stops or changes
 * it. What is returned is a copy, which the caller frees; it was true when it was
 * read. Knows the kernel's files, but neither ptrace nor memory nor ELF. */
#ifndef GOSNAP_PROCESS_H
#define GOSNAP_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct process_file {
	int fd;
	char *target; /* as from readlink: "socket:[123]", "/var/log/x" */
};

struct process_limit {
	char *name; /* "Max open files" */
	char *soft, *hard,
		*units; /* as printed by the kernel; priorities have no units */
};

/* NUL-terminated strings, one after the other. */
struct process_words {
	char *bytes; /* NULL: not readable */
	size_t len;
};

/* Unknown strings are NULL; numbers that may be unknown have a has_ flag. */
struct process {
	pid_t pid;
	pid_t ppid;   /* -1: unknown */
	pid_t ns_pid; /* in its own pid namespace; 0: in ours */
	char *exe, *cwd, *cgroup, *container, *comm;
	bool exe_deleted; /* its file was deleted or replaced */
	bool has_ids;
	uid_t uid;
	gid_t gid;
	bool has_started;
	uint64_t started_at_ns; /* CLOCK_REALTIME */
	bool has_rss;
	uint64_t rss_bytes;
	uint64_t peak_rss_bytes; /* 0: unknown */
	bool has_cpu;
	uint64_t cpu_ns;    /* that all its threads have used */
	uint64_t cpu_at_ns; /* CLOCK_MONOTONIC: when cpu_ns was read */
	struct process_file *files;
	size_t file_count;
	bool files_readable;
	struct process_limit *limits;
	size_t limit_count;
	struct process_words args,
		environment; /* as of now: the process may have overwritten them */
};

/* The string after word, the first for NULL. NULL: no more. */
const char *process_next_word(const struct process_words *words, const char *word);

/* NULL: only if there is no such process. */
struct process *process_read(pid_t pid, struct err *err);
void process_free(struct process *p);
/* Reads the processor time that all threads of pid have used. False: there is no such process. */
MUST_CHECK bool process_cpu(pid_t pid, uint64_t *ret_ns);
DEFINE_AUTO(struct process, process_free)

/* /proc shows no files for a thread-group leader that has exited. The first thread of pid
 * for which it does, or pid itself. */
pid_t process_with_files(pid_t pid);

/* From the contents of /proc/PID/cgroup: the version 2 path ("0::/x"), or else the first
 * path of version 1. The caller frees it. NULL: none. */
char *process_cgroup(const char *text);
/* The container ID in a cgroup path: Docker, containerd, podman and Kubernetes all name
 * the innermost group after the container, 64 hexadecimal digits within "docker-",
 * ".scope" and the like. The caller frees it. NULL: not in a container, or no path. */
char *process_container(const char *cgroup);

struct process_candidate {
	pid_t pid;
	char name[64]; /* its comm, any bytes */
};

/* Calls fn for each process except our own. */
typedef void process_fn(void *arg, const struct process_candidate *process);
void process_each(process_fn *fn, void *arg);

/* Processes whose comm or executable's base name is name, for users who gave a name
 * instead of a pid. At most max, sorted by pid; returns the count. */
size_t process_find(const char *name, struct process_candidate *ret, size_t max);

#endif
