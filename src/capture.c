/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"

#include <pthread.h>
#include <string.h>

#include "limit.h"
#include "printers.h"
#include "sockets.h"
#include "target_extents.h"

static bool look(struct capture *c, struct err *err)
{
	c->live = target_live_open(c->options->pid, err);
	if (!c->live)
		return false;
	c->process = process_read(c->options->pid, err);
	if (!c->process)
		return false;
	c->images = images_open(c->live);
	c->runtimes =
		runtimes_open(c->live, c->images, c->options->assume_go, c->warnings);
	if (c->options->go_only && runtimes_count(c->runtimes) == 0)
		return err_set(err, ERR_CANNOT,
			       "process %d is not a Go program (leave --go-only out to "
			       "see its threads)",
			       (int)c->options->pid);
	return true;
}

static void note_images(struct capture *c)
{
	size_t left_out = images_left_out(c->images);

	if (left_out)
		warnings_add(c->warnings, "process",
			     "%zu mappings of code are of files that were not opened: "
			     "more than %d in all",
			     left_out, LIMIT_IMAGES);
}

static void note_threads(struct capture *c)
{
	size_t n;
	const struct target_thread *threads = target_threads(c->frozen, &n);
	char where[32];

	for (size_t i = 0; i < n; i++) {
		if (threads[i].stopped)
			continue;
		snprintf(where, sizeof(where), "thread %d", (int)threads[i].tid);
		warnings_add(c->warnings, where, "%s",
			     threads[i].why ? threads[i].why : "it could not be stopped");
	}
}

/* Soon after it was let go: what a goroutine waited for a moment ago is most often still
 * there, and reading it all while the process is held would take too long. */
static struct sockets *read_sockets(const struct capture *c)
{
	size_t n;
	const struct target_thread *threads = target_threads(c->frozen, &n);

	if (!runtimes_poll(c->runtimes))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (threads[i].stopped)
			return sockets_read(threads[i].tid);
	return NULL;
}

static void keep_code(struct capture *c)
{
	size_t n, count = 0;
	const struct target_thread *threads = target_threads(c->frozen, &n);
	AUTO(xfree) struct extent_range *ranges = xcalloc(n + 1, sizeof(*ranges));
	unsigned pc = target_arch(c->frozen)->pc;

	for (size_t i = 0; i < n; i++)
		if (threads[i].stopped)
			ranges[count++] = (struct extent_range){
				threads[i].regs.value[pc] - THREAD_CODE_BEFORE,
				THREAD_CODE_BEFORE + THREAD_CODE_AFTER,
			};
	target_extents_add(c->frozen, ranges, count, NULL);
}

/* Holds the process for as short as can be: read what the document needs, let go. */
static bool hold(struct capture *c, struct err *err)
{
	AUTO(target_close)
	struct target *frozen =
		target_extents_prepare(c->live, runtimes_expected_bytes(c->runtimes));

	if (!target_live_stop(c->live, err))
		return false;
	c->monotonic_ns = monotonic_ns();
	c->realtime_ns = realtime_ns();
	target_extents_begin(frozen);
	c->frozen = TAKE(frozen);
	runtimes_capture(c->runtimes, c->frozen);
	keep_code(c);
	bool gone = target_live_gone(c->live);
	target_extents_seal(c->frozen);
	target_live_release(c->live);
	c->pause = target_live_pause(c->live);
	c->sockets = read_sockets(c);
	if (gone)
		c->partial = xstrdup("the process ended while it was read");
	note_images(c);
	note_threads(c);
	return true;
}

struct job {
	struct capture *capture;
	struct err *err;
	bool ok;
};

static void *run(void *arg)
{
	struct job *job = arg;

	job->ok = look(job->capture, job->err) && hold(job->capture, job->err);
	return NULL;
}

bool capture_take(struct capture *c, const struct snap_options *options, struct err *err)
{
	struct job job = { .capture = c, .err = err };
	pthread_t thread;

	*c = (struct capture){ .options = options, .warnings = warnings_new() };
	int failure = pthread_create(&thread, NULL, run, &job);
	if (failure)
		return err_set(err, ERR_SYS, "no thread for tracing: %s",
			       strerror(failure));
	pthread_join(thread, NULL);
	if (job.ok || err->code != ERR_GONE || !c->runtimes)
		return job.ok;
	/* It ended under our hands: what is known of it is still worth having. */
	c->realtime_ns = realtime_ns();
	c->monotonic_ns = monotonic_ns();
	c->partial = xstrdup(err->text);
	return true;
}

void capture_done(struct capture *c)
{
	runtimes_close(c->runtimes);
	target_close(c->frozen);
	images_close(c->images);
	target_close(c->live);
	process_free(c->process);
	sockets_free(c->sockets);
	warnings_free(c->warnings);
	xfree(c->partial);
}
