/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/cache.h"
#include "lib/base/limit.h"
#include "lib/base/reserve.h"
#include "lib/elf/image_debug.h"
#include "lib/procfs/sockets.h"
#include "lib/procfs/process_lock.h"
#include "lib/ptrace/target_copy.h"
#include "lib/sandbox/sandbox.h"
#include "lib/target/target_extents.h"
#include "src/capture/capture_core.h"
#include "src/capture/capture_priv.h"
#include "src/capture/core_memory.h"
#include "src/capture/debuginfod.h"
#include "src/capture/sandboxed.h"

enum { AHEAD_PAGES = 64 }; /* read at once */

static void take_subject(struct capture *c)
{
	struct capture_subject *subject = c->options->subject;

	c->live = TAKE(subject->live);
	c->process = TAKE(subject->process);
	c->turn = subject->turn;
	subject->turn = -1;
	c->images = images_open(c->live);
}

static bool look(struct capture *c, struct err *err)
{
	if (!c->options->core.path)
		take_subject(c);
	else if (!capture_open_core(c, err))
		return false;
	c->cache = c->options->reading.no_cache ? NULL : cache_open("names/v1");
	images_use_cache(c->images, c->cache);
	if (c->options->reading.debug_file &&
	    !images_use_debug_file(c->images, c->options->reading.debug_file, err))
		return false;
	core_memory_record(c, c->live);
	c->runtimes =
		runtimes_open(c->live, c->images, c->options->assume_go, c->warnings);
	runtimes_set_noted(c->runtimes, c->options->noted_panics);
	if (c->options->sighted)
		runtimes_set_sighted(c->runtimes, c->options->sighted);
	if (c->options->core.path)
		capture_note_files(c);
	if (c->options->go_only && runtimes_count(c->runtimes) == 0)
		return err_set(err, ERR_CANNOT, "process %d is not a Go program%s",
			       (int)target_pid(c->live),
			       c->options->core.dying
				       ? ""
				       : " (omit --go-only to see its threads)");
	return true;
}

static void note_images(struct capture *c)
{
	size_t left_out = images_left_out(c->images);

	if (images_count(c->images) && image_unpacks_itself(images_get(c->images, 0)))
		warnings_add(c->warnings, "process",
			     "the program unpacked itself into memory and does not run "
			     "from its file, so C function names and debug "
			     "information are not available");

	if (left_out)
		warnings_add(c->warnings, "process",
			     "the files of %zu code mappings were not opened: the limit "
			     "is %d files",
			     left_out, LIMIT_IMAGES);
}

static void note_threads(struct capture *c)
{
	size_t n;
	const struct target_thread *threads = target_threads(c->frozen, &n);
	char where[32];

	if (c->plan.way == CAPTURE_LIVE)
		warnings_add(
			c->warnings, "threads",
			"they ran on and have no registers: the method of capture is "
			"live");
	for (size_t i = 0; c->plan.way != CAPTURE_LIVE && i < n; i++) {
		if (threads[i].stopped)
			continue;
		snprintf(where, sizeof(where), "thread %d", (int)threads[i].tid);
		warnings_add(c->warnings, where, "%s",
			     threads[i].why ? threads[i].why : "could not be stopped");
	}
}

/* Shortly after the release: what a goroutine waited for a moment ago is usually still
 * there, and reading everything during the stop would take too long. */
static struct sockets *read_sockets(const struct capture *c)
{
	size_t n;
	const struct target_thread *threads = target_threads(c->frozen, &n);

	/* Values of files and connections show their descriptors too. */
	if (!runtimes_poll(c->runtimes) && !c->options->values)
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

void capture_note_partial(struct capture *c, const char *why)
{
	if (!c->partial)
		c->partial = xstrdup(why);
}

static void take_instant(struct capture *c)
{
	c->monotonic_ns = c->pause.monotonic_ns;
	c->realtime_ns = c->pause.realtime_ns;
}

static bool start_tracer(struct capture *c, struct err *err)
{
	const struct tracer_options options = {
		.max_hold_ns = c->options->max_pause_ns,
		.estimate_ns = c->plan.estimate_ns,
		.max_copy_ns = c->options->max_copy_age_ns,
		.keep = c->turn,
		.patient = c->starved,
	};

	c->tracer = c->options->service ? tracer_join(c->live, c->options->service)
					: tracer_start(c->live, &options, err);
	return c->tracer != NULL;
}

static void note_leftovers(struct capture *c)
{
	size_t n;

	if (!sandboxed_leftovers(c->options->pid, &n))
		warnings_add(c->warnings, "process",
			     "cannot tell whether zombies of its copy remain: check with "
			     "gosnap doctor");
	else if (n)
		warnings_add(c->warnings, "process",
			     "%zu zombie%s of its copy remain%s (harmless): gosnap "
			     "doctor --clear or the next snapshot by a copy removes them",
			     n, n > 1 ? "s" : "", n > 1 ? "" : "s");
}

static void end_tracer(struct capture *c)
{
	if (c->tracer && !tracer_settle(c->tracer))
		note_leftovers(c);
	tracer_end(TAKE(c->tracer));
}

static void end_turn(struct capture *c)
{
	end_tracer(c);
	if (c->turn >= 0)
		close(c->turn);
	c->turn = -1;
}

static void let_go(struct capture *c)
{
	bool gone = target_live_gone(c->live);

	target_extents_seal(c->frozen);
	bool whole = tracer_release(c->tracer);
	c->pause = tracer_pause(c->tracer);
	c->held = false;
	if (gone)
		capture_note_partial(c, "the process exited while it was being read");
	else if (!whole)
		capture_note_partial(
			c, c->options->max_pause_ns
				   ? "the process was resumed before everything was "
				     "read: --max-pause expired"
				   : "the process was resumed before everything was "
				     "read: gosnap stalled or took too long");
}

bool capture_has_values(const struct capture *c)
{
	return c->options->values == VALUES_ALWAYS ||
	       (c->options->values == VALUES_UNLESS_HELD &&
		(c->options->core.path || c->plan.way == CAPTURE_COPY ||
		 c->plan.way == CAPTURE_GATHER));
}

/* Is memory still read while the document is written? */
static bool reads_on(const struct capture *c)
{
	return capture_has_values(c) || c->options->globals;
}

static void set_time_for_values(struct capture *c)
{
	const uint64_t max = c->options->max_pause_ns;

	if (c->plan.stands_still) {
		c->ahead_until_ns = UINT64_MAX; /* it waits for nothing */
		return;
	}
	c->ahead_until_ns =
		plan_values_ns(max) +
		(max ? c->pause.monotonic_ns - c->pause.stopping_ns : monotonic_ns());
}

bool capture_has_time(const struct capture *c)
{
	return monotonic_ns() < c->ahead_until_ns;
}

/* For tests. GOSNAP_GATHER_PAGES=N: time is up after N pages. GOSNAP_GATHER_PAGE_NS=N: each page counts as N
 * nanoseconds, whatever the clock says. */
static bool is_time_up(struct capture *c, size_t pages)
{
#ifdef GOSNAP_FAULTS
	const char *most = getenv("GOSNAP_GATHER_PAGES"),
		   *each = getenv("GOSNAP_GATHER_PAGE_NS");

	if (each)
		c->ahead_until_ns =
			pages * strtoull(each, NULL, 10) <
					plan_values_ns(c->options->max_pause_ns)
				? UINT64_MAX
				: 0;
	if (most && pages >= strtoull(most, NULL, 10))
		c->ahead_until_ns = 0;
#else
	(void)pages;
#endif
	return !capture_has_time(c);
}

static void read_ahead(struct capture *c)
{
	size_t i = 0;

	set_time_for_values(c);
	target_extents_keep_all(c->frozen);
	while (i < c->ahead_count && !is_time_up(c, i)) {
		size_t n = c->ahead_count - i;
		if (n > AHEAD_PAGES)
			n = AHEAD_PAGES;
		target_extents_add(c->frozen, c->ahead + i, n, NULL);
		i += n;
	}
	c->ahead_left = c->ahead_count - i;
}

/* The process is stopped until everything needed for the document has been read; values
 * come last. */
static bool capture_by_stop(struct capture *c, struct err *err)
{
	AUTO(target_close)
	struct target *frozen =
		target_extents_prepare(c->live, runtimes_expected_bytes(c->runtimes) +
							c->ahead_count * PAGE_BYTES);

	if (!start_tracer(c, err) || !tracer_hold(c->tracer, err))
		return false;
	target_extents_begin(frozen);
	c->frozen = TAKE(frozen);
	core_memory_record(c, c->live);
	runtimes_capture(c->runtimes, c->live, c->frozen, false);
	keep_code(c);
	core_memory_keep(c, c->live);
	c->held = true;
	c->pause = tracer_pause(c->tracer);
	if (!reads_on(c))
		let_go(c);
	else if (c->plan.way == CAPTURE_GATHER)
		read_ahead(c);
	take_instant(c);
	return true;
}

/* Why it is; NULL: it exists. */
static const char *copy_ended(const struct capture *c)
{
	const char *ended = tracer_copy_ended(c->tracer);

	return !ended && target_copy_is_gone(c->copy) ? "it was killed" : ended;
}

const char *capture_ended_early(const struct capture *c)
{
	if (c->partial)
		return c->partial;
	return c->copy && c->tracer ? copy_ended(c) : NULL;
}

/* The process is stopped while it is copied; the copy is then read. */
static bool capture_by_copy(struct capture *c, struct err *err)
{
	pid_t pid;

	if (!start_tracer(c, err) || !tracer_copy(c->tracer, &pid, err))
		return false;
	c->pause = tracer_pause(c->tracer);
	take_instant(c);
	c->copy = target_copy_open(pid, c->live, err);
	if (!c->copy && tracer_copy_ended(c->tracer))
		return capture_give_up_copy(c, tracer_copy_ended(c->tracer), err);
	if (!c->copy)
		return false;
	c->frozen = target_extents_new(c->copy);
	c->warnings_before = warnings_count(c->warnings);
	core_memory_record(c, c->copy);
	runtimes_capture(c->runtimes, c->copy, c->frozen, !c->options->verify);
	if (copy_ended(c) && capture_can_do_without_copy(c))
		return capture_give_up_copy(c, copy_ended(c), err);
	runtimes_mark_changeable(c->runtimes, target_copy_is_foreign, c->copy);
	keep_code(c);
	core_memory_choose(c, c->copy);
	return true;
}

void capture_finish(struct capture *c)
{
	if (c->held) {
		let_go(c);
		end_turn(c);
	}
	if (c->frozen && !c->copy)
		target_extents_seal(c->frozen);
	if (!c->copy)
		return;
	target_extents_seal(c->frozen);
	const char *ended = copy_ended(c);
	if (ended) {
		AUTO(xfree)
		char *why = xasprintf(
			"the copy was discarded while it was being read: %s", ended);
		capture_note_partial(c, why);
	}
	uint64_t foreign = target_copy_foreign_bytes(c->copy);
	if (foreign)
		warnings_add(c->warnings, "process",
			     "%" PRIu64
			     " bytes were read from the running process: memory that is "
			     "shared, or that the program excludes from copies",
			     foreign);
	target_close(TAKE(c->copy));
	/* Our output may take any length of time: the lock is released when the tracer
	 * exits. */
	tracer_finish(c->tracer);
	close(c->turn);
	c->turn = -1;
}

void capture_settle(struct capture *c)
{
	end_tracer(c);
}

/* The process is never stopped. */
static bool capture_by_reading(struct capture *c, struct err *err)
{
	if (!target_live_list(c->live, err))
		return false;
	c->monotonic_ns = monotonic_ns();
	c->realtime_ns = realtime_ns();
	c->frozen = target_extents_new(c->live);
	runtimes_capture(c->runtimes, c->live, c->frozen, false);
	runtimes_mark_changed(c->runtimes, c->live);
	keep_code(c);
	if (!reads_on(c))
		target_extents_seal(c->frozen);
	if (target_live_gone(c->live))
		capture_note_partial(c, "the process exited while it was being read");
	return true;
}

static bool capture_as_planned(struct capture *c, struct err *err)
{
	switch (c->plan.way) {
	case CAPTURE_COPY:
		return capture_by_copy(c, err);
	case CAPTURE_LIVE:
		return capture_by_reading(c, err);
	default:
		return capture_by_stop(c, err);
	}
}

/* Half the lifetime of a copy is reserved for reading it. */
static void ask_servers(struct capture *c)
{
	uint64_t age = c->options->max_copy_age_ns;

	if (!c->options->reading.debuginfod || !reads_on(c))
		return;
	if (c->held)
		warnings_add(c->warnings, "debuginfod",
			     "no server was queried, as the process stays stopped until "
			     "its values are read: use --capture=copy");
	else
		debuginfod_fetch(c->runtimes, c->images, monotonic_ns() + age / 2,
				 c->warnings);
}

bool capture_is_gathering(const struct capture *c)
{
	return c->held && c->options->can_rehearse && c->plan.way == CAPTURE_GATHER;
}

static void note_failure(struct capture *c)
{
	if (!c->tracer)
		return;
	c->pause = tracer_pause(c->tracer);
	c->starvations += tracer_was_starved(c->tracer);
	c->starved = tracer_was_starved(c->tracer);
}

static bool hold(struct capture *c, struct err *err)
{
	runtimes_find_state(c->runtimes);
	while (!capture_as_planned(c, err)) {
		note_failure(c);
		end_tracer(c);
		if (!capture_plan_again(c, err))
			return false;
	}
	note_images(c);
	note_threads(c);
	if (!capture_is_gathering(c)) {
		c->sockets = read_sockets(c);
		ask_servers(c);
	}
	return true;
}

bool capture_open(struct capture *c, const struct capture_options *options,
		  struct err *err)
{
	*c = (struct capture){ .options = options,
			       .turn = -1,
			       .warnings = warnings_new() };
	sandboxed_begin();
	AUTO(reserve_free) struct reserve *after = reserve_new(FILES_AFTER, err);
	AUTO(reserve_free)
	struct reserve *before = after ? reserve_new(FILES_BEFORE, err) : NULL;
	if (!before)
		return false;
	reserve_free(TAKE(before));
	if (options->core.path)
		return look(c, err);
	bool looked = look(c, err);
	reserve_free(TAKE(after));
	if (looked && capture_plan(c, err))
		return true;
	end_turn(c);
	return false;
}

bool capture_look(struct capture *c, const struct capture_options *options,
		  struct err *err)
{
	*c = (struct capture){ .options = options,
			       .turn = -1,
			       .warnings = warnings_new() };
	sandboxed_begin();
	const bool looked = look(c, err);
	end_turn(c);
	return looked;
}

bool capture_begin(struct capture *c, int turn, struct err *err)
{
	c->turn = turn;
	process_free(TAKE(c->process));
	c->process = process_read(c->options->pid, err);
	return c->process && target_live_refresh(c->live, err) && capture_plan(c, err);
}

uint64_t capture_code_key(struct capture *c)
{
	struct err ignored;
	size_t n;
	uint64_t key = 0;

	if (!target_live_refresh(c->live, &ignored))
		return 0;
	const struct target_mapping *m = target_mappings(c->live, &n);
	for (size_t i = 0; i < n; i++)
		if (m[i].executable)
			key = (key ^ m[i].start ^ (m[i].end << 1) ^ m[i].inode) *
			      UINT64_C(0x9e3779b97f4a7c15);
	return key | 1;
}

bool capture_wants_rehearsal(const struct capture *c)
{
	return !c->options->core.path && c->plan.way == CAPTURE_GATHER && reads_on(c);
}

bool capture_rehearse(struct capture *c)
{
	struct err ignored; /* a process that is gone fails capture_take(), too */

	if (!target_live_list(c->live, &ignored))
		return false;
	c->monotonic_ns = monotonic_ns();
	c->realtime_ns = realtime_ns();
	c->frozen = target_extents_new(c->live);
	target_extents_record(c->frozen);
	core_memory_record(c, c->live);
	c->warnings_before = warnings_count(c->warnings);
	runtimes_capture(c->runtimes, c->live, c->frozen, false);
	ask_servers(c);
	return true;
}

void capture_rehearsed(struct capture *c)
{
	c->ahead = target_extents_recorded(c->frozen, &c->ahead_count);
	core_memory_forget_stacks(c);
	capture_plan_anew(c);
	runtimes_rewind(c->runtimes, c->live);
	target_live_unlist(c->live);
	target_close(TAKE(c->frozen));
	warnings_cut(c->warnings, c->warnings_before);
}

static void note_left(struct capture *c, bool whole)
{
	if (c->ahead_left)
		warnings_add(
			c->warnings, "values",
			"%zu of %zu pages with values were not read: the process "
			"would have been stopped for too long (raise --max-pause, or "
			"use --capture=copy)",
			c->ahead_left, c->ahead_count);
	if (!whole)
		warnings_add(
			c->warnings, "values",
			"some values of goroutines that ran a moment before were not "
			"read: the process would have been stopped for too long "
			"(raise --max-pause, or use --capture=copy)");
}

void capture_resume(struct capture *c, bool whole)
{
	let_go(c);
	c->sockets = read_sockets(c);
	end_turn(c);
	note_left(c, whole);
}

uint64_t capture_missed(const struct capture *c)
{
	return c->frozen ? target_missed(c->frozen) : 0;
}

/* What a core has stays readable, as a copy does. */
static void capture_core(struct capture *c)
{
	c->frozen = target_extents_new(c->live);
	core_memory_record(c, c->live);
	runtimes_capture(c->runtimes, c->live, c->frozen, !c->options->verify);
	keep_code(c);
	core_memory_choose(c, c->live);
	note_images(c);
	ask_servers(c);
}

bool capture_take(struct capture *c, struct err *err)
{
	if (c->options->core.path) {
		capture_core(c);
		return true;
	}
	if (hold(c, err)) {
		if (!c->copy && !c->held)
			end_turn(c);
		else if (!runtimes_streams(c->runtimes) && !reads_on(c) &&
			 !c->options->core_file && !(c->copy && c->options->keep_copy))
			capture_finish(c);
		return true;
	}
	end_turn(c);
	if (!err_is(err, ERR_GONE) || !c->runtimes)
		return false;
	/* The process exited meanwhile: what is known so far is still useful. */
	c->realtime_ns = realtime_ns();
	c->monotonic_ns = monotonic_ns();
	capture_note_partial(c, err->text);
	return true;
}

void capture_forked(struct capture *c)
{
	if (c->tracer)
		tracer_forked(c->tracer);
	if (c->turn >= 0)
		close(c->turn);
	c->turn = -1;
	sandbox_trespass("worker");
}

void capture_done(struct capture *c)
{
	end_turn(c);
	runtimes_close(c->runtimes);
	target_close(c->frozen);
	target_close(c->copy);
	images_close(c->images);
	cache_close(c->cache);
	target_close(c->live);
	process_free(c->process);
	sockets_free(c->sockets);
	memory_set_free(c->core.regions);
	memory_set_free(c->core.read);
	memory_set_free(c->core.words);
	xfree(c->ahead);
	warnings_free(c->warnings);
	xfree(c->partial);
}
