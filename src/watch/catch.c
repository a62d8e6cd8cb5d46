/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/catch.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "lib/procfs/process.h"
#include "src/guard/guard.h"
#include "src/guard/stops.h"
#include "src/run/catcher.h"
#include "src/watch/inspect.h"

enum { NS_PER_MS = 1000000 };

struct catcher {
	const struct catching *how;
	struct fault_event event;
	struct catcher_life *life;
	struct caught *caught;
	struct inspection inspection;
	char program[64];
	uint64_t let_go_ns; /* monotonic; then only who has seized it keeps it */
};

static void release(void *arg)
{
	struct catcher *c = arg;

	c->let_go_ns = monotonic_ns();
	fault_probes_release(c->how->probes, &c->event);
}

static void continued(void *arg)
{
	struct catcher *c = arg;

	stops_take(fault_probes_stops(c->how->probes), c->event.number);
}

static enum trigger_kind kind_of(uint32_t hook)
{
	switch (hook) {
	case FAULT_HOOK_PANIC:
	case FAULT_HOOK_THROW:
	case FAULT_HOOK_RECOVER:
	case FAULT_HOOK_RECOVERED:
		return TRIGGER_PANIC;
	case FAULT_HOOK_EXIT:
		return TRIGGER_EXIT;
	case FAULT_HOOK_FUNCTION:
		return TRIGGER_FUNCTION;
	default:
		return TRIGGER_SIGNAL;
	}
}

/* NULL: it is none of those that were asked for. */
static const char *function_of(const struct catcher *c)
{
	return c->event.hook == FAULT_HOOK_FUNCTION ? c->how->functions[c->event.function]
						    : NULL;
}

static bool is_death(const struct fault_event *e)
{
	return e->hook != FAULT_HOOK_EXIT && e->hook < FAULT_HOOK_AGAIN;
}

static bool goes_on(const struct fault_event *e)
{
	return e->hook >= FAULT_HOOK_AGAIN;
}

static struct inspection inspection_of(const struct catcher *c)
{
	const struct fault_event *e = &c->event;
	struct inspection ret = {
		.snap = *c->how->snap,
		.spool = c->how->spool,
		.pid = (pid_t)e->pid,
		.program = c->program,
		.owner = e->uid,
		.sighted.thread = is_death(e) ? (int)e->tid : 0,
		.trigger = { .kind = kind_of(e->hook),
			     .thread = e->tid,
			     .function = function_of(c),
			     .recovered = e->hook > FAULT_HOOK_FUNCTION },
	};

	_Static_assert((int)FAULT_TEXT == (int)SIGHTED_TEXT,
		       "one is copied to the other");
	memcpy(ret.sighted.text, e->text, e->text_len);
	return ret;
}

static bool is_incomplete(const struct traced_result *result)
{
	return result->done && !err_is(&result->why, ERR_NONE);
}

/* What ended it, or is to be known of it; allocated. */
static char *what_happened(const struct catcher *c)
{
	const struct traced_result *result = &c->inspection.result->taken;

	if (c->event.hook == FAULT_HOOK_EXIT)
		return xasprintf("it exits with status %u", c->event.status);
	if (function_of(c) && !is_incomplete(result))
		return xasprintf("%s was called", function_of(c));
	return xstrdup(is_incomplete(result) ? result->why.text : result->verdict);
}

static void report(const struct catcher *c, int status)
{
	const struct traced_result *result = &c->inspection.result->taken;
	const double ms = (double)c->caught->pause_ns / NS_PER_MS;
	AUTO(xfree) char *what = what_happened(c), *sentence = NULL;

	if (result->done)
		sentence = xasprintf("%s%s%ssnapshot %s, stood still for %.1f ms", what,
				     *what ? "; " : "",
				     is_incomplete(result) ? "incomplete " : "",
				     c->inspection.result->id, ms);
	else if (!err_is(&result->why, ERR_NONE))
		sentence = xasprintf("no snapshot: %s", result->why.text);
	else
		sentence = xasprintf("no snapshot: it was not finished (signal %d)",
				     WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	inspection_say(&c->inspection, c->how->log, result->done ? "snapshot" : "failed",
		       c->caught->stopping_ns, c->caught->pause_ns, sentence);
}

static void read_in_child(void *arg, const struct tracer_service *service,
			  const char *values_failed)
{
	struct catcher *c = arg;

	c->inspection.values_failed = values_failed;
	inspect(&c->inspection, service);
}

static bool read_it(struct catcher *c, struct watch *w, int *ret_status, struct err *err)
{
	const struct catcher_reading reading = {
		.read = read_in_child,
		.arg = c,
		.result = &c->inspection.result->taken,
		.max_pause_ns = c->how->max_pause_ns,
		.goes_on = goes_on(&c->event),
		.max_copy_ns = c->how->snap->capture.max_copy_age_ns,
		.life = c->life,
	};

	return catcher_read(w, &reading, ret_status, err);
}

static enum watch_outcome outcome_of(const struct traced_result *result)
{
	if (result->done)
		return is_incomplete(result) ? WATCH_INCOMPLETE : WATCH_SNAPSHOT;
	return err_is(&result->why, ERR_GONE) ? WATCH_TOO_LATE : WATCH_FAILED;
}

/* As long as the kernel keeps its thread, it is the process of the event. Later its number may be that of another one. */
static bool is_another(const struct fault_event *e, uint64_t hold_ns)
{
	return monotonic_ns() - e->at_ns > hold_ns &&
	       !proc_is_of((pid_t)e->pid, e->start_boottime_ns);
}

static struct watch *hold(struct catcher *c, struct err *err)
{
	const struct watch_stopped stopped = { .pid = (pid_t)c->event.pid,
					       .thread = (pid_t)c->event.tid,
					       .goes_on = goes_on(&c->event),
					       .continued = continued,
					       .arg = c };
	struct watch *w =
		fault_probes_stops(c->how->probes)
			? watch_catch_stopped(&stopped, err)
			: watch_catch(stopped.pid, stopped.thread, release, c, err);

	if (!w)
		guard_let_go(c->how->probes, &c->event);
	if (!c->let_go_ns)
		c->let_go_ns = monotonic_ns();
	if (!w || !is_another(&c->event, c->how->hold_ns))
		return w;
	watch_end(w);
	err_set(err, ERR_GONE, "process %u has exited", c->event.pid);
	return NULL;
}

static void catch (struct catcher *c)
{
	struct err err = { .code = ERR_NONE };
	int status = 0;
	AUTO(watch_end) struct watch *w = hold(c, &err);

	c->caught->is_past = true;
	if (w)
		c->caught->stopping_ns = watch_stopped_at(w) - c->event.at_ns;
	inspection_name_program((pid_t)c->event.pid, c->program, sizeof(c->program));
	c->inspection = inspection_of(c);
	c->inspection.result = xshared(sizeof(*c->inspection.result));
	if (!w && err_is(&err, ERR_GONE))
		err_set(&err, ERR_GONE,
			"it was not stopped in time: the machine is busy, or it was "
			"killed (--hold)");
	if (!w || !read_it(c, w, &status, &err))
		c->inspection.result->taken.why = err;
	c->caught->outcome = outcome_of(&c->inspection.result->taken);
	snprintf(c->caught->id, sizeof(c->caught->id), "%s", c->inspection.result->id);
	c->caught->pause_ns = (w ? watch_released_at(w) : c->let_go_ns) - c->event.at_ns;
	report(c, status);
}

void catch_prepare(void)
{
	catcher_run_first(SCHED_RESET_ON_FORK);
}

/* The kernel lets go of the process when we exit. */
void catch_now(const struct catching *how, const struct fault_event *event,
	       struct catcher_life *life, struct caught *ret)
{
	struct catcher c = { .how = how, .event = *event, .life = life, .caught = ret };

	catch (&c);
}

enum watch_trigger catch_trigger(const struct fault_event *event)
{
	switch (event->hook) {
	case FAULT_HOOK_PANIC:
		return WATCH_PANIC;
	case FAULT_HOOK_THROW:
		return WATCH_THROW;
	case FAULT_HOOK_FOREIGN:
		return WATCH_FOREIGN;
	case FAULT_HOOK_EXIT:
		return WATCH_EXIT;
	case FAULT_HOOK_FUNCTION:
		return WATCH_FUNCTION;
	case FAULT_HOOK_RECOVER:
	case FAULT_HOOK_RECOVERED:
		return WATCH_RECOVERED;
	default:
		return WATCH_SIGNAL;
	}
}

pid_t catch_start(const struct catching *how, const struct fault_event *event,
		  struct caught *ret)
{
	*ret = (struct caught){ .outcome = WATCH_FAILED, .pid = (pid_t)event->pid };
	const pid_t child = catcher_fork();

	if (child == 0) {
		const int keep = spool_descriptor(how->spool);
		struct catcher_life life = catcher_begin(how->max_pause_ns);
		catcher_drop_descriptors(&keep, 1);
		catch_now(how, event, &life, ret);
		_exit(EXIT_SUCCESS);
	}
	if (child < 0)
		guard_let_go(how->probes, event);
	return child;
}
