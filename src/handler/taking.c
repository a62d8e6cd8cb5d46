/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/taking.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/base/limit.h"
#include "src/capture/capture.h"
#include "src/handler/child.h"
#include "src/handler/crashed.h"
#include "src/handler/hand_on.h"
#include "src/handler/head.h"
#include "src/handler/report.h"
#include "src/spool/spool.h"

enum {
	BUFFER = 1 << 16,
	BLOCK = 4096,
	DISK_BLOCK = 512, /* of st_blocks */
	SHARE = 4,
};

/* By the file that it ran, else by its name. */
static uint64_t program_of(const struct crash *crash)
{
	const int exe = crashed_file(crash, "exe", O_RDONLY | O_NONBLOCK | O_NOCTTY);
	const char *path = crash->word['E'] ? crash->word['E'] : "";
	const uint64_t program = spool_program(exe);

	if (exe >= 0)
		close(exe);
	return program ? program : hash_name(path, strlen(path));
}

struct job {
	const struct handler *handler;
	const struct settings *settings;
	const struct crash *crash;
	struct spool *spool;
	struct dying dying;
	/* As of before the core was read, when it was there for certain. */
	uid_t uid;
	gid_t gid;
	uint64_t until_ns;
};

/* What one crash may take of the spool, so that it cannot push all others out. 0: no bound. */
static uint64_t share_of(const struct settings *settings)
{
	return settings_quota_bytes(settings) / SHARE;
}

static bool is_within(const struct job *job, int file, struct err *err)
{
	const uint64_t most = share_of(job->settings);
	struct stat st;

	if (fstat(file, &st) < 0)
		return err_sys(err, "cannot look at a file in the spool");
	if (!st.st_size)
		return err_set(err, ERR_BAD_DATA, "there is nothing in its file");
	const uint64_t bytes = (uint64_t)st.st_blocks * DISK_BLOCK;
	return !most || bytes <= most ||
	       err_set(err, ERR_LIMIT,
		       "it has %" PRIu64 " kB, and one may have a quarter of "
		       "quota_megabytes",
		       bytes / 1024);
}

static bool keep(const struct job *job, int file, enum spool_kind kind, struct err *err)
{
	const struct crash *crash = job->crash;
	const struct spool_name name = {
		.realtime_ns = crash->realtime_ns,
		.program = crash->word['e'] ? crash->word['e'] : "",
		.pid = crash->pid,
	};

	return is_within(job, file, err) &&
	       spool_keep(job->spool, file, kind, &name, job->uid, job->gid, NULL, err);
}

/* True, and err: it is incomplete. */
static bool write_document(const struct job *job, struct err *err)
{
	int file = spool_create(job->spool, err);

	if (file < 0)
		return false;
	*err = (struct err){ .code = ERR_NONE };
	const bool ok =
		job->handler->snapshot(job->handler->arg, job->settings, &job->dying,
				       share_of(job->settings), file, err) &&
		keep(job, file, SPOOL_DOCUMENT, err);
	close(file);
	return ok;
}

static enum taking failed(const struct err *err)
{
	report("no snapshot: %s", err->text);
	return TAKING_FAILED;
}

static void prune(const struct job *job)
{
	const struct spool_quota quota = {
		.bytes = settings_quota_bytes(job->settings),
		.files = job->settings->quota_files,
	};
	struct err err;

	if (!spool_prune(job->spool, &quota, false, NULL, NULL, &err))
		report("%s", err.text);
}

/* The beginning of the core, up to the end of its notes. Allocated. */
static uint8_t *read_head(int core, size_t *ret_len)
{
	struct stat st;
	const size_t most = fstat(core, &st) < 0		      ? 0
			    : (uint64_t)st.st_size < LIMIT_NOTE_BYTES ? (size_t)st.st_size
								      : LIMIT_NOTE_BYTES;
	uint8_t *bytes = xmalloc(most + 1);
	const ssize_t n = pread(core, bytes, most, 0);
	const uint64_t len = n < 0 ? 0 : head_length(bytes, (size_t)n);

	*ret_len = n < 0 ? 0 : len < (uint64_t)n ? (size_t)len : (size_t)n;
	return bytes;
}

/* They stay, at least, for gosnap core and gdb. */
static void keep_notes(const struct job *job)
{
	size_t len;
	AUTO(xfree) uint8_t *bytes = read_head(job->dying.head, &len);
	struct err err;
	int file = spool_create(job->spool, &err);

	if (file < 0 || !len || !write_fully(file, bytes, len) ||
	    !keep(job, file, SPOOL_NOTES, &err))
		report("its notes could not be kept either");
	if (file >= 0)
		close(file);
}

/* What the child found in the process decides nothing: one that was taken over would say that this is no Go
 * program. */
static bool has_no_snapshot(const struct job *job, enum child_end end, int how)
{
	switch (end) {
	case CHILD_EXITED:
		return how == TAKING_DONE ||
		       (how == TAKING_FAILED && crashed_is_other(job->crash));
	case CHILD_KILLED:
		report("no snapshot: gosnap died of signal %d as it read the process; "
		       "its notes are kept",
		       how);
		return false;
	case CHILD_LATE:
		report("no snapshot: it would have taken too long; its notes are kept");
		return false;
	}
	return false;
}

/* A reader that was taken over would read the core away from who is to get it. */
static void leave_stream(void)
{
	const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (none < 0 || dup2(none, STDIN_FILENO) < 0)
		close(STDIN_FILENO);
}

static enum taking write_and_report(const struct job *job)
{
	struct err err;

	if (!write_document(job, &err)) {
		report("no snapshot: %s", err.text);
		return err_is(&err, ERR_CANNOT) ? TAKING_FAILED : TAKING_BROKEN;
	}
	if (err_is(&err, ERR_NONE))
		return TAKING_DONE;
	report("an incomplete snapshot: %s; its notes are kept", err.text);
	return TAKING_PARTIAL;
}

/* In a child of its own, as it reads what the process wrote. dying.head is this process's, too. */
static enum taking take(const struct job *job)
{
	struct child child;
	int how = 0;

	if (!child_start(&child)) {
		report("no snapshot: cannot fork: %s", strerror(errno));
		return TAKING_FAILED;
	}
	if (child.pid == 0) {
		leave_stream();
		_exit(write_and_report(job));
	}
	const enum child_end end = child_wait(&child, job->until_ns, &how);
	if (!has_no_snapshot(job, end, how))
		keep_notes(job);
	prune(job);
	return end == CHILD_EXITED && (how == TAKING_DONE || how == TAKING_PARTIAL)
		       ? TAKING_DONE
		       : TAKING_FAILED;
}

static bool has_turn(const struct job *job)
{
	const unsigned most = (unsigned)job->settings->at_once;

	if (spool_turn(job->spool, most) >= 0)
		return true;
	report("no snapshot: %u are being taken", most);
	return false;
}

static bool has_rate(struct job *job)
{
	const struct spool_rate rate = { job->settings->interval_seconds * SECOND_NS,
					 job->settings->user_snapshots };
	struct err err;

	if (spool_rate(job->spool, &rate, job->uid, program_of(job->crash),
		       &job->dying.missed, &err))
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

static struct job start(const struct handler *handler, const struct settings *settings,
			const struct crash *crash, uint64_t until_ns)
{
	struct job job = {
		.handler = handler,
		.settings = settings,
		.crash = crash,
		.spool = open_spool(settings),
		.dying = { .source = handler->source,
			   .pid = crash->pid,
			   .head = -1,
			   .memory = -1,
			   .is_gone = !crashed_is_there(crash) },
		.until_ns = until_ns,
	};

	crashed_owner(crash, &job.uid, &job.gid);
	return job;
}

static enum taking run(struct job *job, const struct core_source *source)
{
	struct err err;

	if (!job->spool || !has_turn(job) || !has_rate(job))
		return TAKING_DONE;
	job->dying.memory = crashed_file(job->crash, "mem", O_RDONLY);
	if (job->dying.memory < 0 ||
	    (source->head_len && !head_length(source->head, source->head_len)))
		return TAKING_WANTS_STREAM;
	job->dying.head = source->head_len
				  ? head_keep(source->head, source->head_len, &err)
				  : head_copy(source->fd, &err);
	if (job->dying.head < 0)
		return err_is(&err, ERR_CANNOT) ? TAKING_WANTS_STREAM : failed(&err);
	return take(job);
}

enum taking taking_run(const struct handler *handler, const struct settings *settings,
		       const struct crash *crash, const struct core_source *source,
		       uint64_t until_ns)
{
	struct job job = start(handler, settings, crash, until_ns);
	const enum taking taken = run(&job, source);

	spool_close(job.spool);
	return taken;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* Bytes, fewer at the end only. -1: errno says why. */
static ssize_t fill(int pipe, uint8_t *buffer)
{
	size_t len = 0;

	for (ssize_t n = 1; len < BUFFER && n != 0;) {
		n = read(pipe, buffer + len, BUFFER - len);
		if (n < 0 && errno != EINTR)
			return -1;
		len += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)len;
}

/* Pages of zeros become holes, which need no room. *written: bytes that are no holes; a page that would
 * make them more than most is not written. */
static bool put(int file, const uint8_t *bytes, size_t len, off_t at, uint64_t most,
		uint64_t *written)
{
	for (size_t i = 0; i < len; i += BLOCK) {
		const size_t size = len - i < BLOCK ? len - i : BLOCK;
		if (is_zero(bytes + i, size))
			continue;
		*written += size;
		if (most && *written > most) {
			errno = EFBIG;
			return false;
		}
		if (pwrite(file, bytes + i, size, at + (off_t)i) != (ssize_t)size)
			return false;
	}
	return true;
}

/* What does not fit is left out: the document says that the core is cut. */
static bool receive(const struct job *job, int pipe, struct err *err)
{
	AUTO(xfree) uint8_t *buffer = xmalloc(BUFFER);
	const int file = job->dying.head;
	uint64_t written = 0;
	ssize_t len;

	for (off_t at = 0; (len = fill(pipe, buffer)) >= 0; at += len) {
		const bool all = put(file, buffer, (size_t)len, at,
				     share_of(job->settings), &written);
		if (!all && errno != EFBIG)
			return err_sys(err, "cannot copy the core");
		if (!all)
			report("its core is too large for the spool: the snapshot is of "
			       "the first %" PRIu64 " MB",
			       (uint64_t)at >> 20);
		if (!all || len < BUFFER)
			return ftruncate(file, all ? at + len : at) == 0 ||
			       err_sys(err, "cannot copy the core");
	}
	return err_sys(err, "cannot read the core");
}

static enum taking receive_and_take(struct job *job, int pipe)
{
	struct err err;

	if (!job->spool || !has_turn(job))
		return TAKING_FAILED;
	job->dying.head = spool_create(job->spool, &err);
	if (job->dying.head < 0 || !receive(job, pipe, &err))
		return failed(&err);
	close(pipe); /* nothing waits for more of it */
	job->dying.is_gone = !crashed_is_there(job->crash);
	return take(job);
}

enum taking taking_receive(const struct handler *handler, const struct settings *settings,
			   const struct crash *crash, int pipe, uint64_t until_ns)
{
	struct job job = start(handler, settings, crash, until_ns);
	const enum taking taken = receive_and_take(&job, pipe);

	spool_close(job.spool);
	return taken;
}
