/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/series.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "src/findings/analysis/earlier_looks.h"
#include "src/run/file_name.h"
#include "src/snapshot/output.h"

/* quota.c knows these names. */
static const char file_pattern[] = "gosnap-%e-%p-%t-%n.json.zst";

/* How often conditions are looked at. */
#define CHECK_NS (UINT64_C(1) * 1000 * 1000 * 1000)

/* Processes for one round: one that counts goroutines, one for the snapshot, and once more without values. */
enum { STARTS = 3 };

bool series_process_has_ended(const struct series_host *s)
{
	struct pollfd process = { .fd = s->process, .events = POLLIN };

	return poll(&process, 1, 0) > 0;
}

bool series_wait(const struct series_host *s)
{
	struct pollfd process = { .fd = s->process, .events = POLLIN };

	for (;;) {
		const uint64_t now = monotonic_ns();
		const uint64_t left = s->due_ns > now ? s->due_ns - now : 0;
		const struct timespec time = { (time_t)(left / 1000000000),
					       (long)(left % 1000000000) };
		int n = ppoll(&process, 1, &time, NULL);
		if (n >= 0)
			return n == 0;
		if (errno != EINTR)
			return false;
	}
}

bool series_is_complete(const struct series_host *s)
{
	return s->options->count && s->taken >= s->options->count;
}

static bool make_folder(const char *folder, struct err *err)
{
	struct stat st;

	if (mkdir(folder, 0700) == 0)
		return true;
	if (errno != EEXIST)
		return err_sys(err, "cannot make the folder %s", folder);
	return (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) ||
	       err_set(err, ERR_SYS, "%s is not a folder", folder);
}

bool series_has_folder(const struct series_host *s, struct err *err)
{
	if (err_is(&s->no_folder, ERR_NONE))
		return true;
	*err = s->no_folder;
	return false;
}

static void next(void *arg, const struct question *q, int fd, struct answer *ret,
		 int *ret_fd)
{
	struct series_host *s = arg;

	(void)q, (void)fd, (void)ret_fd;
	capture_host_rest(s->host); /* after the first look */
	if (!s->looked)
		s->over = !make_folder(s->options->folder, &s->no_folder);
	s->looked = s->asked = true;
	s->allowance.until_ns = 0;
	ret->result = ANSWER_LATER;
}

/* The round that begins now is followed by another soon, unless a snapshot is taken. */
static bool finish_next(void *arg, struct answer *ret, int *ret_fd,
			struct answer_wait *ret_wait)
{
	struct series_host *s = arg;
	const uint64_t now = monotonic_ns(), every = s->options->every_ns;

	(void)ret_fd;
	s->over = s->over || series_is_complete(s) || series_process_has_ended(s);
	*ret_wait = (struct answer_wait){ .fd = s->process, .until_ns = s->due_ns };
	if (!s->over && now < s->due_ns)
		return false;
	s->due_ns = now + (every < CHECK_NS ? every : CHECK_NS);
	s->allowance = (struct sandbox_allowance){ .starts = STARTS,
						   .until_ns = now + LIMIT_SANDBOX_NS };
	ret->result = s->over ? -ESRCH : (int)(s->taken & INT_MAX);
	return true;
}

static struct output *open_output(struct series_host *s, struct err *err)
{
	const struct record_options *o = s->options;
	const struct file_name name = {
		.program = s->name,
		.pid = o->snap.capture.pid,
		.time_ns = realtime_ns(),
		.number = s->taken + 1,
	};
	AUTO(xfree) char *file = file_name_make(file_pattern, &name);

	snprintf(s->path, sizeof(s->path), "%s/%s", o->folder, file);
	return output_open_at_once(s->path, err);
}

static void turn(void *arg, const struct question *q, int fd, struct answer *ret,
		 int *ret_fd)
{
	struct series_host *s = arg;
	struct err err;

	(void)q, (void)fd;
	if (s->out || s->over) {
		ret->result = -EPERM;
		return;
	}
	s->due_ns = monotonic_ns() + s->options->every_ns;
	s->without_values = false;
	s->out = open_output(s, &err);
	if (!s->out || !capture_host_begin(s->host, &err)) {
		output_close(TAKE(s->out));
		s->taken++;
		s->options->failed(&err);
		ret->result = -EIO;
		return;
	}
	remains_clear(s->remains);
	output_keep_remains_in(s->out, s->remains);
	if (capture_host_turn(s->host) >= 0)
		*ret_fd = fcntl(capture_host_turn(s->host), F_DUPFD_CLOEXEC, 0);
}

static void output(void *arg, const struct question *q, int fd, struct answer *ret,
		   int *ret_fd)
{
	struct series_host *s = arg;

	(void)q, (void)fd;
	ret->result = s->out ? 0 : -EPERM;
	if (s->out)
		*ret_fd = fcntl(output_fd(s->out), F_DUPFD_CLOEXEC, 0);
}

static void end_snapshot(struct series_host *s)
{
	struct err why;

	capture_host_rest(s->host);
	output_close(TAKE(s->out));
	s->taken++;
	s->allowance.until_ns = 0;
	if (!quota_enforce(s->options->folder, &s->options->quota, &why))
		s->options->failed(&why);
}

static void keep(struct series_host *s)
{
	struct err err;

	if (output_commit(s->out, &err))
		s->options->taken(s->path);
	else
		s->options->failed(&err);
}

/* What had been written is a document. */
static void mend(struct series_host *s, const struct err *why)
{
	struct err err;
	const bool mended = output_mend(s->out, why->text, &err);
	AUTO(xfree)
	char *text = xasprintf(mended ? "incomplete snapshot in %s: %s"
				      : "no snapshot in %s: %s",
			       s->path, why->text);

	if (mended)
		keep(s);
	err_set(&err, ERR_SYS, "%s", text);
	s->options->failed(&err);
}

/* Once: it may be written to at any time. */
void series_why(const struct series_host *s, struct err *ret)
{
	*ret = *s->why;
	ret->text[sizeof(ret->text) - 1] = 0;
	if ((unsigned)ret->code > ERR_USAGE || ret->code == ERR_NONE)
		ret->code = ERR_BAD_DATA;
}

static void describe_end(int status, struct err *ret)
{
	if (WIFSIGNALED(status))
		err_set(ret, ERR_SYS,
			"the process that read it was killed by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == SNAPSHOT_NO_MEMORY)
		err_set(ret, ERR_SYS, "there was not enough memory");
	else
		err_set(ret, ERR_SYS, "the process that read it ended with status %d",
			WEXITSTATUS(status));
}

/* Values are read before anything is written. */
static bool can_do_without_values(struct series_host *s)
{
	const struct capture_options *capture = &s->options->snap.capture;
	struct err err;

	return !s->without_values &&
	       (capture->values != VALUES_NONE || capture->globals) &&
	       output_begin_again(s->out) && capture_host_begin(s->host, &err);
}

static void take_end(void *arg, const struct question *q, int fd, struct answer *ret,
		     int *ret_fd)
{
	struct series_host *s = arg;
	const int status = q->number;
	struct err why;

	(void)fd;
	if (!s->out) {
		ret->result = -EPERM;
		return;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == SNAPSHOT_TAKEN) {
		keep(s);
	} else if (WIFEXITED(status) && WEXITSTATUS(status) == SNAPSHOT_FAILED) {
		series_why(s, &why);
		s->options->failed(&why);
	} else {
		describe_end(status, &why);
		if (can_do_without_values(s)) {
			s->without_values = true;
			err_prefix(&why, "it is taken again without values");
			s->options->failed(&why);
			ret->result = 1;
			if (capture_host_turn(s->host) >= 0)
				*ret_fd = fcntl(capture_host_turn(s->host),
						F_DUPFD_CLOEXEC, 0);
			return;
		}
		mend(s, &why);
	}
	end_snapshot(s);
}

void series_reader_died(struct series_host *s, const struct err *why)
{
	if (s->out) {
		mend(s, why);
		end_snapshot(s);
		return;
	}
	s->taken++;
	s->due_ns = monotonic_ns() + s->options->every_ns;
	s->options->failed(why);
}

void series_answer(struct series_host *s, const struct question *q, struct answer *ret,
		   int *ret_fd)
{
	struct answer_wait wait;

	*ret = (struct answer){ .result = 0 };
	*ret_fd = -1;
	for (const struct sandbox_service *service = s->services; service->kind;
	     service++)
		if (service->kind == q->kind)
			service->serve(service->arg, q, -1, ret, ret_fd);
	if (ret->result == ANSWER_LATER) {
		(void)series_wait(s);
		(void)!finish_next(s, ret, ret_fd, &wait);
	}
}

static bool open_process(struct series_host *s, struct err *err)
{
	const pid_t pid = s->options->snap.capture.pid;
	struct err ignored;

	s->process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (s->process < 0 && errno == ESRCH)
		return err_set(err, ERR_NOT_FOUND, "there is no process %d", (int)pid);
	if (s->process < 0)
		return err_sys(err, "cannot watch process %d", (int)pid);
	AUTO(process_free) struct process *process = process_read(pid, &ignored);
	s->name = xstrdup(process && process->comm ? process->comm : "process");
	return true;
}

bool series_begin(struct series_host *s, const struct record_options *options,
		  struct err *err)
{
	const struct sandbox_service services[] = {
		{ ASK_SERIES_NEXT, next, s, finish_next },
		{ ASK_SERIES_TURN, turn, s, NULL },
		{ ASK_SERIES_OUTPUT, output, s, NULL },
		{ ASK_SERIES_DONE, take_end, s, NULL },
	};

	*s = (struct series_host){ .options = options, .process = -1 };
	memcpy(s->services, services, sizeof(services));
	s->why = xshared(sizeof(*s->why));
	s->earlier = earlier_looks_new();
	s->remains = remains_new();
	if (!s->remains)
		out_of_memory();
	return (new_uuid(s->id) || err_sys(err, "cannot name the series")) &&
	       open_process(s, err);
}

void series_done(struct series_host *s)
{
	if (s->process >= 0)
		close(s->process);
	xfree(s->name);
	remains_free(s->remains);
	earlier_looks_free(s->earlier);
	munmap(s->why, sizeof(*s->why));
}
