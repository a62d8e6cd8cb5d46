/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/handler.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/handler/child.h"
#include "src/handler/crashed.h"
#include "src/handler/hand_on.h"
#include "src/handler/report.h"
#include "src/handler/settings.h"
#include "src/handler/taking.h"

enum { NICE = 5 };

/* What it costs is nobody's loss but the snapshot's. */
static void step_back(void)
{
	const struct rlimit no_core = { 1, 1 }; /* core(5): not even for a handler */
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	setrlimit(RLIMIT_CORE, &no_core);
	setpriority(PRIO_PROCESS, 0, NICE);
	if (fd >= 0 && write(fd, "1000", strlen("1000")) < 0)
		report("cannot set oom_score_adj: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

struct run {
	const struct handler *handler;
	const struct crash *crash;
	struct settings settings;
	uint64_t until_ns; /* of the snapshot */
};

/* A child has less time than its parent waits: it may still have to keep the notes, on a
 * disk that is busy, and to say why it ends. */
static uint64_t inner_until(const struct run *run)
{
	const uint64_t all_ns = run->settings.timeout_seconds * SECOND_NS;
	uint64_t left_ns = all_ns / 10;

	if (left_ns < 2 * SECOND_NS)
		left_ns = 2 * SECOND_NS;
	if (left_ns > all_ns / 2)
		left_ns = all_ns / 2;
	return run->until_ns - left_ns;
}

static void say_end(enum child_end end, int how)
{
	if (end == CHILD_LATE)
		report("no snapshot: it would have taken too long");
	else if (end == CHILD_KILLED)
		report("no snapshot: gosnap died of signal %d", how);
}

/* From the stream as it is, which stays. False: the snapshot needs all of it. */
static bool take(const struct run *run, const struct core_source *source)
{
	struct child child;
	int how = TAKING_DONE;

	if (!child_start(&child)) {
		report("no snapshot: cannot fork: %s", strerror(errno));
		return true;
	}
	if (child.pid == 0) {
		step_back();
		_exit(taking_run(run->handler, &run->settings, run->crash, source,
				 inner_until(run)));
	}
	const enum child_end end = child_wait(&child, run->until_ns, &how);
	say_end(end, how);
	return end != CHILD_EXITED || how != TAKING_WANTS_STREAM;
}

/* A child that gets a copy of the stream. */
static bool start_copy(const struct run *run, struct child *ret,
		       struct core_source *source)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0 || !child_start(ret)) {
		report("no snapshot: cannot fork: %s", strerror(errno));
		return false;
	}
	if (ret->pid == 0) {
		close(ends[1]);
		step_back();
		_exit(taking_receive(run->handler, &run->settings, run->crash, ends[0],
				     inner_until(run)));
	}
	close(ends[0]);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	source->copy = ends[1];
	source->copy_until_ns = run->until_ns;
	return true;
}

static void hand_on_previous(const struct run *run, struct core_source *source)
{
	struct previous previous;
	struct err err;
	const enum previous_known known =
		previous_read(run->handler->folder, &previous, &err);

	/* As long as nobody says otherwise, the kernel's own default. */
	if (known == PREVIOUS_MISSING)
		strcpy(previous.core_pattern, "core");
	else if (known == PREVIOUS_WRONG)
		report("%s; cores go to %s", err.text, previous.core_pattern);
	hand_on(run->crash, previous.core_pattern, source);
}

void handler_run(const struct handler *handler, struct crash *crash,
		 struct core_source *given)
{
	struct run run = { .handler = handler, .crash = crash };
	struct core_source standard_input = { .fd = STDIN_FILENO, .copy = -1 };
	struct core_source *source = given ? given : &standard_input;
	struct child child;
	struct err err;
	int how = 0;

	crash->realtime_ns = realtime_ns();
	report_open(crash->pid);
	if (crash->folder < 0)
		crashed_open(crash);
	if (!settings_read(handler->folder, &run.settings, &err))
		report("%s", err.text);
	run.until_ns = monotonic_ns() + run.settings.timeout_seconds * SECOND_NS;
	const bool copies = !take(&run, source) && start_copy(&run, &child, source);
	hand_on_previous(&run, source);
	if (copies)
		say_end(child_wait(&child, run.until_ns, &how), how);
}
