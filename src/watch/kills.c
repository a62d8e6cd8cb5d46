/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/kills.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/run/catcher.h"
#include "src/watch/inspect.h"
#include "src/killed/killed_core.h"

enum { NS_PER_MS = 1000000 };

struct kill_program kill_program_of(const struct goroutine_list *from, uint32_t id)
{
	struct kill_program ret = {
		.code = from->code,
		.allgs = from->allgs,
		.id = id,
		.g_bytes = from->g_bytes,
		.m_bytes = from->m_bytes,
		.g_stack_lo = from->g_stack_lo,
		.g_stack_hi = from->g_stack_hi,
		.g_m = from->g_m,
		.g_sched_sp = from->g_sched_sp,
		.g_syscallsp = from->g_syscallsp,
		.m_g0 = from->m_g0,
		.m_gsignal = from->m_gsignal,
	};

	for (size_t i = 0, n = 0; i < from->segment_count && n < KILL_RANGES; i++)
		if (from->segments[i].writable)
			ret.data[n++] = (struct kill_range){ from->segments[i].addr,
							     from->segments[i].size };
	return ret;
}

struct writing {
	const struct catching *how;
	const struct killed *killed;
	const struct kill_source *source;
	struct caught *caught;
	char path[4096];
	char *missing; /* a sentence; NULL: nothing */
};

static const char *name_of(const struct writing *w)
{
	const char *slash = strrchr(w->path, '/');

	return slash ? slash + 1 : w->path;
}

static void find_path(struct writing *w)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->source->file);
	const ssize_t n = readlink(link, w->path, sizeof(w->path) - 1);
	w->path[n < 0 ? 0 : n] = '\0';
}

static char *what_is_missing(const struct kill_end *end, uint64_t left_out)
{
	const uint64_t pieces = end->no_room + end->absent + left_out;

	if (!end->cut && !pieces)
		return NULL;
	return xasprintf("of %llu goroutines, %llu were not copied as the kernel's time "
			 "for it was "
			 "over, nor were %llu goroutines or stacks of others, for which "
			 "there was no "
			 "room or which were not in memory",
			 (unsigned long long)end->goroutines,
			 (unsigned long long)end->cut, (unsigned long long)pieces);
}

static struct trigger trigger_of(const struct kill_end *end)
{
	struct trigger ret = { .kind = end->by_oom ? TRIGGER_OOM : TRIGGER_SIGNAL,
			       .signal = SIGKILL };

	if (end->by_kernel)
		return ret;
	snprintf(ret.sender.name, sizeof(ret.sender.name), "%.*s", KILL_NAME,
		 end->sender_name);
	ret.sender.pid = end->sender;
	ret.sender.uid = end->sender_uid;
	return ret;
}

static void say(const struct writing *w, const struct inspection_result *inspected)
{
	const struct traced_result *result = &inspected->taken;
	const struct kill_end *end = &w->killed->end;
	const struct watch_field fields[] = {
		{ "snapshot", WATCH_FIELD_TEXT, result->done ? inspected->id : NULL, 0 },
		{ "verdict", WATCH_FIELD_TEXT, *result->verdict ? result->verdict : NULL,
		  0 },
	};
	const struct watch_line line = { result->done ? "snapshot" : "failed",
					 (pid_t)end->record.pid, name_of(w), fields,
					 ARRAY_SIZE(fields) };
	AUTO(xfree)
	char *by = end->by_oom	    ? xstrdup("killed for want of memory")
		   : end->by_kernel ? xstrdup("killed by the kernel")
				    : xasprintf("killed by %.*s (%u)", KILL_NAME,
						end->sender_name, end->sender);

	if (result->done)
		watch_log(w->how->log, &line,
			  "%s; snapshot %s of goroutines and stacks, copied in %.1f ms",
			  by, inspected->id, (double)end->took_ns / NS_PER_MS);
	else
		watch_log(w->how->log, &line, "%s; no snapshot: %s", by,
			  err_is(&result->why, ERR_NONE) ? "it was not finished"
							 : result->why.text);
}

static void take(struct writing *w, int core, struct inspection_result *result)
{
	AUTO(xfree)
	char *name =
		xasprintf("what was copied of process %u", w->killed->end.record.pid);
	const struct dying dying = { .source = "kernel",
				     .pid = (pid_t)w->killed->end.record.pid,
				     .head = core,
				     .memory = -1,
				     .is_gone = true,
				     .stacks_only = true,
				     .missing = w->missing };
	const struct core_options of = { .path = name,
					 .dying = &dying,
					 .search.running = &w->source->file };
	const struct inspection inspection = {
		.snap = *w->how->snap,
		.spool = w->how->spool,
		.pid = dying.pid,
		.program = name_of(w),
		.owner = w->killed->end.uid,
		.trigger = trigger_of(&w->killed->end),
		.core = &of,
		.result = result,
	};

	inspect(&inspection, NULL);
}

static void write_it(struct writing *w)
{
	struct inspection_result *result = xshared(sizeof(*result));
	uint64_t left_out;

	find_path(w);
	const struct killed_core of = { w->killed, &w->source->goroutines,
					w->source->file, w->path };
	const int core = killed_core_write(&of, &left_out, &result->taken.why);
	if (core >= 0) {
		w->missing = what_is_missing(&w->killed->end, left_out);
		take(w, core, result);
	}
	w->caught->outcome = !result->taken.done ? WATCH_FAILED
			     : w->missing || !err_is(&result->taken.why, ERR_NONE)
				     ? WATCH_INCOMPLETE
				     : WATCH_SNAPSHOT;
	snprintf(w->caught->id, sizeof(w->caught->id), "%s", result->id);
	say(w, result);
	xfree(w->missing);
}

pid_t kills_start(const struct catching *how, const struct killed *killed,
		  const struct kill_source *source, struct caught *ret)
{
	const int keep[] = { spool_descriptor(how->spool), killed->pieces, source->file };

	*ret = (struct caught){ .outcome = WATCH_FAILED,
				.is_past = true,
				.pid = (pid_t)killed->end.record.pid };
	const pid_t child = fork();
	if (child != 0)
		return child;
	struct writing w = {
		.how = how, .killed = killed, .source = source, .caught = ret
	};
	catcher_begin(how->max_pause_ns);
	catcher_drop_descriptors(keep, ARRAY_SIZE(keep));
	write_it(&w);
	_exit(EXIT_SUCCESS);
}
