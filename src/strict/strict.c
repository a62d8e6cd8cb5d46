/* SPDX-License-Identifier: Apache-2.0 */
#include "src/strict/strict.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "src/strict/holder.h"
#include "src/strict/mounts.h"

enum { AT_ONCE = 4 };

struct strict {
	int group;  /* until it has begun; then only the holder has it */
	int socket; /* to the holder */
	int mounts; /* see strict_mounts_fd() */
	pid_t holder;
	struct strict_counts *counts; /* borrowed */
	dev_t *met;		      /* file systems */
	size_t met_count, met_cap;
	uint64_t since_ns;
};

/* What the kernel cannot open for the holder, it denies. */
static bool can_open(struct err *err)
{
	AUTO(xfree) char *status = proc_file(getpid(), "status");
	const uint64_t has = status ? proc_number(status, "CapEff", 16) : 0;
	struct rlimit limit;

	if (!has_capability(has, CAP_DAC_READ_SEARCH) &&
	    !has_capability(has, CAP_DAC_OVERRIDE))
		return err_set(err, ERR_PERMISSION,
			       "--strict needs CAP_DAC_READ_SEARCH: programs that may "
			       "not be read could not start");
	return (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
		limit.rlim_max >= HOLDER_DESCRIPTORS) ||
	       err_set(err, ERR_CANNOT, "--strict needs %d open files (ulimit -n)",
		       HOLDER_DESCRIPTORS);
}

static int open_group(struct err *err)
{
	const int group = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK |
						FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS,
					O_RDONLY | O_LARGEFILE | O_CLOEXEC);

	if (group < 0 && errno == EPERM)
		err_set(err, ERR_PERMISSION,
			"--strict is not permitted: it needs CAP_SYS_ADMIN, besides what "
			"watching needs");
	else if (group < 0 && errno == ENOSYS)
		err_set(err, ERR_UNSUPPORTED,
			"--strict is not possible: the kernel has no fanotify");
	else if (group < 0)
		err_sys(err, "--strict is not possible: fanotify");
	return group;
}

/* Can it hold anything? Here, a file that nobody executes. */
static bool can_hold(int group, struct err *err)
{
	const int file = memfd_create("gosnap", MFD_CLOEXEC);
	const bool ok = file >= 0 &&
			fanotify_mark(group, FAN_MARK_ADD, HOLDER_EVENT, file, NULL) == 0;

	if (!ok && errno == EINVAL)
		err_set(err, ERR_UNSUPPORTED,
			"--strict is not possible: the kernel was built without "
			"CONFIG_FANOTIFY_ACCESS_PERMISSIONS");
	else if (!ok)
		err_sys(err, "--strict is not possible: fanotify");
	if (file >= 0)
		close(file);
	return ok;
}

bool strict_is_possible(struct err *err)
{
	const int group = open_group(err);
	const bool ok = group >= 0 && can_hold(group, err) && can_open(err);

	if (group >= 0)
		close(group);
	return ok;
}

struct strict *strict_new(struct strict_counts *counts, struct err *err)
{
	if (!strict_is_possible(err))
		return NULL;
	struct strict *s = xcalloc(1, sizeof(*s));
	*s = (struct strict){
		.socket = -1, .mounts = -1, .counts = counts, .since_ns = monotonic_ns()
	};
	s->group = open_group(err);
	if (s->group >= 0)
		return s;
	strict_free(s);
	return NULL;
}

bool strict_add_file(struct strict *s, const char *file, struct err *err)
{
	AUTO(xfree) char *path = xrealpath(file);
	const char *name = dirname(path);
	const int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = false;

	if (folder < 0)
		err_sys(err, "cannot open %.200s", name);
	else if (!mounts_can_hold(folder, err))
		err_prefix(err, "%.200s", file);
	else if (fanotify_mark(s->group, FAN_MARK_ADD, HOLDER_EVENT | FAN_EVENT_ON_CHILD,
			       folder, NULL) != 0)
		err_sys(err, "cannot hold what is in %.200s (--strict)", name);
	else
		ok = true;
	if (folder >= 0)
		close(folder);
	return ok;
}

bool strict_has_met(const struct strict *s, dev_t device)
{
	for (size_t i = 0; i < s->met_count; i++)
		if (s->met[i] == device)
			return true;
	return false;
}

void strict_meet(struct strict *s, dev_t device)
{
	if (strict_has_met(s, device))
		return;
	GROW(s->met, s->met_count, s->met_cap);
	s->met[s->met_count++] = device;
}

static void add_mount(void *arg, dev_t device, const char *place)
{
	const struct holder_order order = { HOLDER_HOLD, 0 };
	struct strict *s = arg;

	if (strict_has_met(s, device))
		return;
	const int folder = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return;
	if (s->group >= 0 ? holder_hold(s->group, folder)
			  : holder_send(s->socket, &order, sizeof(order), folder))
		strict_meet(s, device);
	close(folder);
}

/* Numbers of file systems that are gone are those of others later. To hold what is held changes nothing. */
void strict_add_mounts(struct strict *s, pid_t pid)
{
	if (pid == 0 && s->mounts < 0)
		s->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (pid == 0)
		s->met_count = 0;
	mounts_each(pid, add_mount, s);
}

bool strict_begin(struct strict *s, struct err *err)
{
	const pid_t us = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_sys(err, "--strict is not possible");
	s->socket = ends[0];
	s->holder = fork();
	if (s->holder == 0)
		holder(s->group, ends[1], us, s->counts);
	close(ends[1]);
	close(s->group);
	s->group = -1;
	return s->holder > 0 || err_sys(err, "--strict is not possible: cannot fork");
}

static void end_holder(struct strict *s)
{
	if (s->holder > 0) {
		kill(s->holder, SIGKILL);
		waitpid(s->holder, NULL, 0);
	}
	s->holder = 0;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void strict_free(struct strict *s)
{
	if (!s)
		return;
	end_holder(s);
	close_if_open(s->group);
	close_if_open(s->socket);
	close_if_open(s->mounts);
	xfree(s->met);
	xfree(s);
}

int strict_fd(const struct strict *s)
{
	return s->socket;
}

int strict_mounts_fd(const struct strict *s)
{
	return s->mounts;
}

/* Scripts, for one. */
static bool is_elf(int file)
{
	char head[SELFMAG];

	return pread(file, head, sizeof(head), 0) == sizeof(head) &&
	       memcmp(head, ELFMAG, SELFMAG) == 0;
}

/* Others wait for us, too. */
static void answer_some(const struct strict *s, strict_fn *fn, void *arg)
{
	struct holder_held held;
	int file;

	for (int i = 0; i < AT_ONCE; i++) {
		if (!holder_receive(s->socket, &held, sizeof(held), &file))
			return;
		const bool always = file >= 0 && (!is_elf(file) || fn(arg, file));
		const struct holder_order order = { always ? HOLDER_ALLOW_ALWAYS
							   : HOLDER_ALLOW,
						    held.number };
		(void)!holder_send(s->socket, &order, sizeof(order), -1);
		close_if_open(file);
	}
}

bool strict_read(struct strict *s, strict_fn *fn, void *arg)
{
	int status;

	answer_some(s, fn, arg);
	const pid_t changed = waitpid(s->holder, &status, WNOHANG | WUNTRACED);
	if (changed == 0)
		return true;
	if (changed > 0 && !WIFSTOPPED(status))
		s->holder = 0;
	end_holder(s);
	return false;
}

uint64_t strict_since(const struct strict *s)
{
	return s->since_ns;
}
