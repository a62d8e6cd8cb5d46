/* SPDX-License-Identifier: Apache-2.0 */
/* How the process will be captured, from what is known of it and the machine. */
#include <stdio.h>
#include <time.h>

#include "lib/procfs/conditions.h"
#include "src/capture/capture_priv.h"
#include "src/capture/core_memory.h"
#include "src/capture/sandboxed.h"

enum {
	NAP_NS = 250 * 1000,
	NAP_MAX_NS = 64 * 1000 * 1000,
};

/* Smaller copies cost so little that measuring the current price is not worthwhile. */
#define PRICED_BYTES (UINT64_C(64) << 20)

/* A reason against a copy; NULL: none. */
static const char *why_never(const struct capture_options *o)
{
	return o->service && !tracer_service_copies(o->service)
		       ? "it is traced already, by gosnap itself"
		       : NULL;
}

static bool make_plan(struct capture *c, const char *no_copy, struct err *err)
{
	struct plan_demand demand = {
		.wanted = c->options->way,
		.max_pause_ns = c->options->max_pause_ns,
		.goroutines = runtimes_expected_goroutines(c->runtimes),
		.stack_bytes = runtimes_expected_bytes(c->runtimes),
		.value_pages = c->ahead_count,
		.no_copy = no_copy ? no_copy : why_never(c->options),
		.values = c->options->values != VALUES_NONE || c->options->globals,
		.values_anyway =
			c->options->values == VALUES_ALWAYS || c->options->globals,
		.can_gather = c->options->can_rehearse && !c->options->stands,
	};

	if (c->options->keep_copy && demand.wanted == CAPTURE_AUTO && !demand.no_copy) {
		demand.wanted = CAPTURE_COPY;
		if (plan_make(&c->conditions, &demand, &c->plan, err))
			return true;
		demand.wanted = CAPTURE_AUTO;
	}
	return plan_make(&c->conditions, &demand, &c->plan, err);
}

/* Why it is not copied, which is planned otherwise; "": it is not to be. */
static const char *plan_copy(struct capture *c, const char *no_copy)
{
	struct err ignored;

	if (no_copy)
		return no_copy;
	if (!tracer_service_copies(c->options->service))
		return "";
	if (c->turn < 0)
		return "it is being read already";
	if (make_plan(c, NULL, &ignored) && c->plan.way == CAPTURE_COPY)
		return NULL;
	return c->plan.of[CAPTURE_COPY].why;
}

/* It stands still, and runs on once it is copied, or else when it was read. */
static void plan_standing(struct capture *c, const char *no_copy)
{
	const char *why = plan_copy(c, no_copy);

	if (!why)
		return;
	c->plan.way = CAPTURE_STOP;
	c->plan.estimate_ns = 0;
	snprintf(c->plan.why, sizeof(c->plan.why), "it stands still anyway%s%s",
		 *why ? "; no copy: " : "", why);
}

/* The tracer had no processor for long, and is given more time the next time. Whoever promises a limit, promises it for
 * the whole. */
static bool try_again(struct capture *c, const struct err *why, bool *ret,
		      struct err *err)
{
	char pause[16];

	if (!c->starved || c->options->max_pause_ns || c->plan.way == CAPTURE_LIVE ||
	    (c->starvations > 1 && c->plan.way != CAPTURE_COPY))
		return false;
	plan_duration(c->pause.pause_ns, pause, sizeof(pause));
	warnings_add(c->warnings, "process",
		     "it was stopped for %s and captured anew: gosnap had no processor "
		     "meanwhile (is the machine overloaded?)",
		     pause);
	*ret = c->starvations == 1 || make_plan(c, why->text, err);
	if (*ret && c->starvations > 1)
		warnings_add(c->warnings, "process",
			     "the copy was given up, and it was read while it was "
			     "stopped");
	return true;
}

bool capture_can_do_without_copy(const struct capture *c)
{
	return c->options->way == CAPTURE_AUTO && !c->options->keep_copy &&
	       !c->options->service;
}

bool capture_give_up_copy(struct capture *c, const char *why, struct err *err)
{
	c->lost_copy = capture_can_do_without_copy(c);
	err_set(err, c->lost_copy ? ERR_CANNOT : ERR_LIMIT,
		"the copy was discarded before it was read: %s", why);
	if (!c->copy)
		return false;
	core_memory_forget_stacks(c);
	runtimes_rewind(c->runtimes, c->live);
	target_live_unlist(c->live);
	target_close(TAKE(c->frozen));
	target_close(TAKE(c->copy));
	warnings_cut(c->warnings, c->warnings_before);
	return false;
}

/* What its values are on was not found out. */
static bool plan_without_lost(struct capture *c, const char *why, struct err *err)
{
	warnings_add(c->warnings, "process",
		     "it was stopped once more, and read meanwhile: %s", why);
	if (!make_plan(c, why, err))
		return false;
	if (c->plan.way == CAPTURE_GATHER)
		c->plan.way = CAPTURE_STOP;
	return true;
}

/* If the kernel refuses a copy, fall back to a stop. If a process had to be released
 * early, reading what can be read while it runs is better than nothing. */
bool capture_plan_again(struct capture *c, struct err *err)
{
	struct err why = *err;
	bool planned;

	/* What it does from now on is not what was asked for. */
	if (c->options->stands && tracer_service_has_copied(c->options->service))
		return false;
	if (c->options->stands && c->plan.way == CAPTURE_COPY &&
	    !err_is(&why, ERR_GONE)) {
		plan_standing(c, why.text);
		return true;
	}
	if (c->plan.way == CAPTURE_COPY && c->lost_copy)
		return plan_without_lost(c, why.text, err);
	if (c->plan.way == CAPTURE_COPY && err_is(&why, ERR_CANNOT))
		return make_plan(c, why.text, err);
	if (err_is(&why, ERR_LIMIT) && try_again(c, &why, &planned, err))
		return planned;
	if (c->plan.way == CAPTURE_LIVE || !err_is(&why, ERR_LIMIT))
		return false;
	capture_note_partial(c, why.text);
	c->plan.way = CAPTURE_LIVE;
	c->plan.estimate_ns = 0;
	snprintf(c->plan.why, sizeof(c->plan.why), "%.300s", why.text);
	return true;
}

/* For obstacles to a copy that are only temporary, such as an execve in progress. */
static bool wait_a_little(uint64_t *nap_ns)
{
	if (*nap_ns > NAP_MAX_NS)
		return false;
	nanosleep(&(struct timespec){ .tv_nsec = (long)*nap_ns }, NULL);
	*nap_ns *= 2;
	return true;
}

/* Its tracer is on our side. */
static bool plan_served(struct capture *c, struct err *err)
{
	if (!c->options->stands || tracer_service_copies(c->options->service)) {
		sandboxed_conditions(c->options->pid, &c->conditions);
		c->conditions.tracer = 0;
	}
	if (!c->options->stands)
		return make_plan(c, NULL, err);
	plan_standing(c, NULL);
	return true;
}

bool capture_plan(struct capture *c, struct err *err)
{
	uint64_t nap_ns = NAP_NS;
	bool planned;

	if (c->options->service)
		return plan_served(c, err);

	do {
		sandboxed_conditions(c->options->pid, &c->conditions);
		if (c->options->max_pause_ns || c->conditions.anonymous >= PRICED_BYTES)
			c->conditions.machine.page_ns = sandboxed_price();
		planned = make_plan(c, NULL, err);
	} while (c->plan.of[CAPTURE_COPY].passing && wait_a_little(&nap_ns));
	return planned;
}

/* With what a rehearsal has counted. A copy may take less time, after all. */
void capture_plan_anew(struct capture *c)
{
	const struct plan before = c->plan;
	struct err ignored;

	if (!make_plan(c, NULL, &ignored))
		c->plan = before;
}
