/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/taking.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/base/limit.h"
#include "lib/procfs/proc_file.h"
#include "src/capture/capture.h"
#include "src/handler/child.h"
#include "src/handler/hand_on.h"
#include "src/handler/head.h"
#include "src/handler/report.h"
#include "src/spool/spool.h"

#define SECOND_NS UINT64_C(1000000000)

enum { BUFFER = 1 << 16, BLOCK = 4096, MEGABYTE_SHIFT = 20 };

/* The device and number of the file that it ran; its name, if that is not known. */
static uint64_t key_of(const struct crash *crash)
{
	const char *path = crash->word['E'] ? crash->word['E'] : "";
	AUTO(xfree) char *exe = xasprintf("/proc/%d/exe", (int)crash->pid);
	struct stat st;

	if (stat(exe, &st) == 0)
		return st.st_ino * 0x9e3779b97f4a7c15 ^ st.st_dev;
	return hash_name(path, strlen(path));
}

static bool same_user(const char *line, unsigned n, unsigned long *ret)
{
	char *end = (char *)(uintptr_t)line;

	if (!line)
		return false;
	*ret = strtoul(end, &end, 10);
	for (unsigned i = 1; i < n; i++)
		if (strtoul(end, &end, 10) != *ret)
			return false;
	return true;
}

/* Root, if it had rights that its user has not. */
static void owner_of(const struct crash *crash, uid_t *ret_uid, gid_t *ret_gid)
{
	enum { IDS = 4 }; /* real, effective, saved, of the file system */
	AUTO(xfree) char *status = proc_file(crash->pid, "status");
	unsigned long uid, gid;

	*ret_uid = 0;
	*ret_gid = 0;
	if (crash->guarded || !status ||
	    !same_user(proc_line(status, "Uid"), IDS, &uid) ||
	    !same_user(proc_line(status, "Gid"), IDS, &gid))
		return;
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
}

/* Does the descriptor that the kernel gave us agree? */
static bool is_same(const struct crash *crash)
{
	AUTO(xfree) char *path = xasprintf("/proc/self/fdinfo/%d", crash->pidfd);
	AUTO(xfree) char *text = crash->pidfd < 0 ? NULL : slurp(path, BLOCK, NULL);
	const char *pid = text ? proc_line(text, "Pid") : NULL;

	return !pid || strtol(pid, NULL, 10) == crash->pid;
}

static int open_memory(const struct crash *crash)
{
	AUTO(xfree) char *path = xasprintf("/proc/%d/mem", (int)crash->pid);

	return is_same(crash) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static bool keep(struct spool *spool, int file, enum spool_kind kind,
		 const struct crash *crash, struct err *err)
{
	const struct spool_name name = {
		.realtime_ns = crash->realtime_ns,
		.program = crash->word['e'] ? crash->word['e'] : "",
		.pid = crash->pid,
	};
	uid_t uid;
	gid_t gid;

	owner_of(crash, &uid, &gid);
	return spool_keep(spool, file, kind, &name, uid, gid, NULL, err);
}

static bool write_document(const struct handler *handler, const struct settings *settings,
			   const struct crash *crash, const struct dying *dying,
			   struct spool *spool, struct err *err)
{
	int file = spool_create(spool, err);

	if (file < 0)
		return false;
	const bool ok = handler->snapshot(handler->arg, settings, dying, file, err) &&
			keep(spool, file, SPOOL_DOCUMENT, crash, err);
	close(file);
	return ok;
}

static enum taking failed(const struct err *err)
{
	report("no snapshot: %s", err->text);
	return TAKING_FAILED;
}

static void prune(struct spool *spool, const struct settings *settings)
{
	const struct spool_quota quota = {
		.bytes = settings->quota_megabytes << MEGABYTE_SHIFT,
		.files = settings->quota_files,
	};
	struct err err;

	if (!spool_prune(spool, &quota, false, NULL, NULL, &err))
		report("%s", err.text);
}

/* The notes stay, at least, for gosnap core and gdb. */
static void keep_notes(struct spool *spool, const struct crash *crash, int head)
{
	AUTO(xfree) char *bytes = NULL;
	struct stat st;
	struct err err;
	int file = spool_create(spool, &err);
	bool ok = file >= 0 && fstat(head, &st) == 0 &&
		  (uint64_t)st.st_size <= LIMIT_NOTE_BYTES;

	if (ok) {
		bytes = xmalloc((size_t)st.st_size + 1);
		ok = pread(head, bytes, (size_t)st.st_size, 0) == st.st_size &&
		     write_fully(file, bytes, (size_t)st.st_size) &&
		     keep(spool, file, SPOOL_NOTES, crash, &err);
	}
	if (!ok)
		report("its notes could not be kept either");
	if (file >= 0)
		close(file);
}

/* In a child of its own, as it reads what the process wrote. head is this process's, too. */
static enum taking take(const struct handler *handler, const struct settings *settings,
			const struct crash *crash, struct dying *dying,
			struct spool *spool, uint64_t until_ns)
{
	struct child child;
	struct err err;
	int how;

	if (!child_start(&child)) {
		report("no snapshot: cannot fork: %s", strerror(errno));
		return TAKING_FAILED;
	}
	if (child.pid == 0) {
		const bool ok =
			write_document(handler, settings, crash, dying, spool, &err);
		if (!ok)
			report("no snapshot: %s", err.text);
		_exit(ok			 ? TAKING_DONE
		      : err_is(&err, ERR_CANNOT) ? TAKING_FAILED
						 : TAKING_BROKEN);
	}
	switch (child_wait(&child, until_ns, &how)) {
	case CHILD_EXITED:
		if (how == TAKING_DONE || how == TAKING_FAILED)
			return (enum taking)how;
		break;
	case CHILD_KILLED:
		report("no snapshot: gosnap died of signal %d as it read the process; "
		       "its notes are kept",
		       how);
		break;
	case CHILD_LATE:
		report("no snapshot: it would have taken too long; its notes are kept");
		break;
	}
	if (dying->memory >= 0)
		keep_notes(spool, crash, dying->head);
	return TAKING_FAILED;
}

static bool is_turn(struct spool *spool, const struct settings *settings,
		    const struct crash *crash, uint64_t *ret_missed)
{
	struct err err;

	if (spool_turn(spool, (unsigned)settings->at_once) < 0) {
		report("no snapshot: %u are being taken", (unsigned)settings->at_once);
		return false;
	}
	if (spool_rate(spool, key_of(crash), settings->interval_seconds * SECOND_NS,
		       ret_missed, &err))
		return true;
	/* A storm is not to fill the log as well. */
	if (!err_is(&err, ERR_LIMIT))
		report("no snapshot: %s", err.text);
	return false;
}

static struct spool *open_spool(const struct settings *settings)
{
	struct err err;
	struct spool *spool = spool_open_folder(settings->spool, true, &err);

	if (!spool)
		report("no snapshot: %s", err.text);
	return spool;
}

enum taking taking_run(const struct handler *handler, const struct settings *settings,
		       const struct crash *crash, const struct core_source *source,
		       uint64_t until_ns)
{
	AUTO(spool_close) struct spool *spool = open_spool(settings);
	struct dying dying = { .source = handler->source, .pid = crash->pid, .head = -1 };
	struct err err;

	if (!spool || !is_turn(spool, settings, crash, &dying.missed))
		return TAKING_DONE;
	dying.memory = open_memory(crash);
	if (dying.memory < 0)
		return TAKING_WANTS_STREAM;
	dying.head = source->head_len ? head_keep(source->head, source->head_len, &err)
				      : head_copy(source->fd, &err);
	if (dying.head < 0)
		return err_is(&err, ERR_CANNOT) ? TAKING_WANTS_STREAM : failed(&err);
	const enum taking taken = take(handler, settings, crash, &dying, spool, until_ns);
	prune(spool, settings);
	return taken;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* With holes for what is zero. */
static bool receive(int pipe, int file, struct err *err)
{
	AUTO(xfree) uint8_t *buffer = xmalloc(BUFFER);
	off_t at = 0;

	for (;;) {
		size_t len = 0;
		ssize_t n = 1;
		while (len < BUFFER && n != 0) {
			n = read(pipe, buffer + len, BUFFER - len);
			if (n < 0 && errno != EINTR)
				return err_sys(err, "cannot read the core");
			len += n > 0 ? (size_t)n : 0;
		}
		for (size_t i = 0; i < len; i += BLOCK) {
			const size_t size = len - i < BLOCK ? len - i : BLOCK;
			if (!is_zero(buffer + i, size) &&
			    pwrite(file, buffer + i, size, at + (off_t)i) !=
				    (ssize_t)size)
				return err_sys(err, "cannot copy the core");
		}
		at += (off_t)len;
		if (len < BUFFER)
			return ftruncate(file, at) == 0 ||
			       err_sys(err, "cannot copy the core");
	}
}

enum taking taking_receive(const struct handler *handler, const struct settings *settings,
			   const struct crash *crash, int pipe, uint64_t until_ns)
{
	AUTO(spool_close) struct spool *spool = open_spool(settings);
	struct dying dying = { .source = handler->source,
			       .pid = crash->pid,
			       .memory = -1,
			       .is_gone = kill(crash->pid, 0) < 0 || !is_same(crash) };
	struct err err;

	if (!spool)
		return TAKING_FAILED;
	dying.head = spool_create(spool, &err);
	if (dying.head < 0 || !receive(pipe, dying.head, &err))
		return failed(&err);
	const enum taking taken = take(handler, settings, crash, &dying, spool, until_ns);
	prune(spool, settings);
	return taken;
}
