/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/running.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "src/capture/sandboxed.h"
#include "src/findings/analysis/second_look.h"
#include "src/run/catcher.h"
#include "src/watch/inspect.h"

/* Only so that a child that hangs does not keep its place: a process that it has stopped has a time limit of
 * its own. */
#define LIMIT_LIFE_NS (2 * LIMIT_SANDBOX_NS)

struct counting {
	const struct capture_options *capture;
	struct counted {
		uint64_t goroutines;
		struct err why;
	} * ret;
};

enum { COUNTED, NOT_COUNTED };

/* In the sandbox, which ends afterwards. */
static int count(void *arg)
{
	const struct counting *counting = arg;
	struct capture c;
	const bool looked = capture_look(&c, counting->capture, &counting->ret->why);
	const bool known = looked && runtimes_count(c.runtimes) &&
			   !runtime_unusable(runtimes_get(c.runtimes, 0));

	if (known)
		counting->ret->goroutines = runtimes_living(c.runtimes, c.live);
	capture_done(&c);
	return known ? COUNTED : NOT_COUNTED;
}

static bool count_goroutines(const struct inspection *i, uint64_t *ret)
{
	struct sandbox sandbox = { .max_ns = LIMIT_SANDBOX_NS, .threads = 1 };
	struct capture_options options = i->snap.capture;
	struct counted *counted = xshared(sizeof(*counted));
	struct counting counting = { &options, counted };
	int status = NOT_COUNTED;
	struct err err;

	options.pid = i->pid;
	AUTO(capture_host_free)
	struct capture_host *host =
		capture_host_new(&options, i->snap.no_sandbox, &sandbox, &err);
	if (!host ||
	    !sandboxed_run(i->snap.no_sandbox, &sandbox, count, &counting, &status,
			   &err) ||
	    status != COUNTED)
		return false;
	*ret = counted->goroutines;
	return true;
}

/* Puts the number of goroutines among the measures. */
static bool meets(const struct condition *condition, uint64_t goroutines,
		  struct trigger *trigger)
{
	struct trigger all = { .kind = trigger->kind, .condition = trigger->condition };
	size_t measured = 0;

	for (size_t i = 0; i < condition->count; i++) {
		struct trigger_measure *to = &all.measures[all.measure_count++];
		if (condition->terms[i].quantity != QUANTITY_GOROUTINES) {
			*to = trigger->measures[measured++];
			continue;
		}
		if (!condition_holds(condition, i, goroutines))
			return false;
		*to = (struct trigger_measure){ quantity_name(QUANTITY_GOROUTINES),
						goroutines };
	}
	*trigger = all;
	return true;
}

static uid_t owner_of(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 ? st.st_uid : 0;
}

static void report(const struct catching *how, const struct inspection *i)
{
	const struct traced_result *taken = &i->result->taken;
	AUTO(xfree) char *sentence = NULL;

	if (taken->done)
		sentence =
			xasprintf("%s: snapshot %s", i->trigger.condition, i->result->id);
	else
		sentence = xasprintf("%s: no snapshot: %s", i->trigger.condition,
				     *taken->why.text ? taken->why.text
						      : "it was not finished");
	inspection_say(i, how->log, taken->done ? "snapshot" : "failed", 0, 0, sentence);
}

static void take(const struct catching *how, const struct condition *condition,
		 struct inspection *i, struct caught *ret)
{
	uint64_t goroutines = 0;

	if (condition_has(condition, QUANTITY_GOROUTINES) &&
	    (!count_goroutines(i, &goroutines) ||
	     !meets(condition, goroutines, &i->trigger))) {
		ret->outcome = WATCH_NOT_MET;
		return;
	}
	/* It runs on, and nobody waits for the document. */
	i->snap.look_again_ns = SECOND_LOOK_NS;
	i->snap.capture.max_copy_age_ns += SECOND_LOOK_NS;
	inspect(i, NULL);
	ret->outcome = i->result->taken.done ? WATCH_SNAPSHOT : WATCH_FAILED;
	snprintf(ret->id, sizeof(ret->id), "%s", i->result->id);
	report(how, i);
}

pid_t running_start(const struct catching *how, pid_t pid,
		    const struct condition *condition, const struct trigger *trigger,
		    struct caught *ret)
{
	*ret = (struct caught){ .outcome = WATCH_FAILED, .is_past = true, .pid = pid };
	const pid_t child = fork();

	if (child != 0)
		return child;
	const int keep = spool_descriptor(how->spool);
	char program[64];
	struct inspection i = { .snap = *how->snap,
				.spool = how->spool,
				.pid = pid,
				.owner = owner_of(pid),
				.trigger = *trigger };
	catcher_begin(LIMIT_LIFE_NS);
	catcher_drop_descriptors(&keep, 1);
	inspection_name_program(pid, program, sizeof(program));
	i.program = program;
	i.result = xshared(sizeof(*i.result));
	take(how, condition, &i, ret);
	_exit(EXIT_SUCCESS);
}
