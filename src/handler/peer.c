/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: include/uapi/linux/coredump.h, pidfd.h and fs/coredump.c of Linux 6.18. */
#include "src/handler/peer.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "src/handler/crashed.h"
#include "src/handler/head.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

struct request {
	uint32_t size, size_ack;
	uint64_t mask;
};
struct acknowledgement {
	uint32_t size, spare;
	uint64_t mask;
};
enum { KERNEL_WRITES = 1, WAITS = 8 };

/* PIDFD_GET_INFO. */
struct process_info {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
	uint32_t coredump_mask, coredump_signal;
};
enum { ASKS_COREDUMP = 1 << 4, IS_USERS = 1 << 2 };

enum { GROWTH = 1 << 16, NAME_BYTES = 64 };

/* What a request is answered with is a mark of four bytes, zero if all is well. */
static bool acknowledge(int connection, struct err *err)
{
	const struct acknowledgement ack = { .size = sizeof(ack),
					     .mask = KERNEL_WRITES | WAITS };
	struct request request;
	uint32_t mark;

	if (!read_fully(connection, &request, sizeof(request)) ||
	    request.size < sizeof(request) || request.size_ack < sizeof(ack))
		return err_set(err, ERR_BAD_DATA,
			       "the kernel's request is not understood");
	for (uint32_t left = request.size - sizeof(request); left > 0; left--)
		if (!read_fully(connection, &(char){ 0 }, 1))
			return err_sys(err, "cannot read the kernel's request");
	if (!write_fully(connection, &ack, sizeof(ack)) ||
	    !read_fully(connection, &mark, sizeof(mark)))
		return err_sys(err, "the kernel does not send the core");
	return mark == 0 || err_set(err, ERR_UNSUPPORTED,
				    "the kernel does not agree: mark %" PRIu32, mark);
}

/* "@@" or "@"? */
static bool begin(int connection, struct err *err)
{
	char magic[SELFMAG];

	if (recv(connection, magic, sizeof(magic), MSG_PEEK | MSG_WAITALL) !=
	    (ssize_t)sizeof(magic))
		return err_set(err, ERR_BAD_DATA, "the kernel sent nothing");
	return memcmp(magic, ELFMAG, SELFMAG) == 0 || acknowledge(connection, err);
}

static bool read_head(int connection, struct core_source *source, struct err *err)
{
	uint8_t *bytes = NULL;
	size_t len = 0, cap = 0;

	for (uint64_t wanted; (wanted = head_length(bytes, len)) > len;) {
		if (len == cap)
			bytes = xreallocarray(bytes, cap += GROWTH, 1);
		const ssize_t n = read(connection, bytes + len, cap - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	*source = (struct core_source){
		.fd = connection, .head = bytes, .head_len = len, .copy = -1
	};
	return len > 0 || err_set(err, ERR_BAD_DATA, "the kernel sent no core");
}

static void set(struct crash *crash, char letter, char *word)
{
	crash->word[(unsigned char)letter] = word;
}

static void set_number(struct crash *crash, char letter, uint64_t number)
{
	set(crash, letter, xasprintf("%" PRIu64, number));
}

/* As the kernel makes part of a file's name of it. */
static void set_name(struct crash *crash, char letter, const char *name)
{
	char *word = xstrdup(name);

	for (char *c = word; *c; c++)
		if (*c == '/')
			*c = '!';
	if (strcmp(word, ".") == 0 || strcmp(word, "..") == 0)
		word[0] = '!';
	set(crash, letter, *word ? word : strcpy(xmalloc(2), "!"));
}

static void read_names(struct crash *crash)
{
	AUTO(xfree) char *path = xasprintf("/proc/%d/exe", (int)crash->pid);
	AUTO(xfree) char *executable = xreadlink(path);
	AUTO(xfree) char *comm = proc_file(crash->pid, "comm");
	char host[NAME_BYTES + 1] = "";

	gethostname(host, NAME_BYTES);
	if (comm)
		comm[strcspn(comm, "\n")] = '\0';
	const char *slash = executable ? strrchr(executable, '/') : NULL;
	set_name(crash, 'h', host);
	set_name(crash, 'e', comm ? comm : "");
	set_name(crash, 'E', executable ? executable : "");
	set_name(crash, 'f', slash ? slash + 1 : "");
}

/* Does the kernel call the core its user's? */
static bool is_guarded(int pidfd)
{
	struct process_info info = { .mask = ASKS_COREDUMP };

	return pidfd < 0 ||
	       ioctl(pidfd, _IOWR(0xff, 11, struct process_info), &info) < 0 ||
	       !(info.mask & ASKS_COREDUMP) || !(info.coredump_mask & IS_USERS);
}

static void read_ids(struct crash *crash)
{
	AUTO(xfree) char *status = proc_file(crash->pid, "status");
	pid_t ids[PROC_NAMESPACES];
	const size_t n = status ? proc_ids(status, ids, PROC_NAMESPACES) : 0;
	struct rlimit limit;

	set_number(crash, 'P', (uint64_t)crash->pid);
	set_number(crash, 'p', (uint64_t)(n ? ids[n - 1] : crash->pid));
	set_number(crash, 'u', status ? proc_number(status, "Uid", 10) : 0);
	set_number(crash, 'g', status ? proc_number(status, "Gid", 10) : 0);
	if (prlimit(crash->pid, RLIMIT_CORE, NULL, &limit) == 0)
		crash->limit = limit.rlim_cur;
	set_number(crash, 'c', crash->limit);
}

bool peer_read(int connection, struct crash *ret, struct core_source *ret_source,
	       struct err *err)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);
	uint16_t signal;
	uint32_t tid;

	*ret = (struct crash){ .pidfd = -1, .folder = -1 };
	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || !peer.pid)
		return err_sys(err, "cannot tell whose core it is");
	ret->pid = peer.pid;
	len = sizeof(ret->pidfd);
	if (getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &ret->pidfd, &len) < 0)
		ret->pidfd = -1;
	if (!begin(connection, err) || !read_head(connection, ret_source, err))
		return false;
	head_signal(ret_source->head, ret_source->head_len, &signal, &tid);
	ret->guarded = is_guarded(ret->pidfd);
	ret->signal = signal;
	ret->tid = (pid_t)tid;
	read_ids(ret);
	read_names(ret);
	crashed_open(ret);
	if (!crashed_is_there(ret)) /* and what was read may be of another */
		ret->guarded = true;
	set_number(ret, 's', signal);
	set_number(ret, 'd', ret->guarded ? 2 : 1);
	set_number(ret, 't', (uint64_t)time(NULL));
	set_number(ret, 'i', tid);
	set_number(ret, 'I', tid);
	if (ret->pidfd >= 0)
		set_number(ret, 'F', (uint64_t)ret->pidfd);
	return true;
}
