/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - what /proc says of a process as a whole. Reads, never stops, changes nothing. */
#ifndef GOSNAP_PROCESS_H
#define GOSNAP_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct process_file {
	int fd;
	char *target; /* as readlink says: "socket:[123]", "/var/log/x" */
};

struct process_limit {
	char *name; /* "Max open files" */
	char *soft, *hard,
		*units; /* as the kernel prints them; priorities have no units */
};

/* Words with a NUL behind each. */
struct process_words {
	char *bytes; /* NULL: not readable */
	size_t len;
};

/* Strings are NULL, numbers carry has_, when the kernel does not say. */
struct process {
	pid_t pid, ppid;
	pid_t pid_inside; /* in the pid namespace that it lives in; 0: in ours */
	char *exe, *cwd, *cgroup, *container, *comm;
	bool exe_deleted; /* its name is another file's by now, or nobody's */
	bool has_ids;
	uid_t uid;
	gid_t gid;
	bool has_started;
	uint64_t started_at_ns; /* CLOCK_REALTIME */
	bool has_rss;
	uint64_t rss_bytes;
	struct process_file *files;
	size_t file_count;
	bool files_readable;
	struct process_limit *limits;
	size_t limit_count;
	struct process_words args,
		environment; /* as they are now: it may have written there */
};

/* The word behind this one, the first behind NULL; NULL: there are no more. */
const char *process_next_word(const struct process_words *words, const char *word);

/* NULL only when there is no such process. */
struct process *process_read(pid_t pid, struct err *err);
void process_free(struct process *p);
DEFINE_AUTO(struct process, process_free)

/* Of a leader that has ended /proc has no files any more. The first thread of pid for which
 * it has them; pid itself when there is none. */
pid_t process_with_files(pid_t pid);

/* Of what /proc/PID/cgroup says, the path of version 2, "0::/x"; when that says nothing,
 * the first of version 1 that does. The caller's; NULL: there is none. */
char *process_cgroup(const char *text);
/* Docker, containerd, podman and Kubernetes all name the innermost group after the
 * container: 64 hexadecimal digits, with "docker-", ".scope" and the like around them. The
 * caller's; NULL: no container, or no path. */
char *process_container(const char *cgroup);

struct process_candidate {
	pid_t pid;
	char name[64]; /* its comm, any bytes */
};

/* Calls fn for each process but our own. */
typedef void process_fn(void *arg, const struct process_candidate *process);
void process_each(process_fn *fn, void *arg);

/* Processes whose comm, or the last part of whose executable, is name: for a user who
 * gave a name in place of a pid. At most max, sorted by pid; returns the count. */
size_t process_find(const char *name, struct process_candidate *ret, size_t max);

#endif
