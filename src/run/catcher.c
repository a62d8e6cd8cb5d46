/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/catcher.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Optional, since it takes CAP_SYS_NICE. */
void catcher_run_first(int flags)
{
	const struct sched_param priority = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO | flags, &priority);
}

pid_t catcher_fork(void)
{
	const int policy = sched_getscheduler(0);
	struct sched_param priority;

	sched_getparam(0, &priority);
	catcher_run_first(0);
	const pid_t child = fork();
	if (child != 0)
		sched_setscheduler(0, policy, &priority);
	return child;
}

/* A SIGKILL from the kernel's own timer, which works even if somebody stops us. */
void catcher_put_off(struct catcher_life *life)
{
	const struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)(life->max_ns / SECOND_NS) + 1 }
	};

	if (life->has_timer)
		timer_settime(life->timer, 0, &when, NULL);
}

/* Links of probes that are closed here are not those of our parent; but while we had them, they would stay
 * when it is killed. */
void catcher_drop_descriptors(const int *keep, size_t n)
{
	unsigned from = STDERR_FILENO + 1;

	for (;;) {
		unsigned next = ~0U;
		for (size_t i = 0; i < n; i++)
			if (keep[i] >= (int)from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from)
			close_range(from, next - 1, 0);
		if (next == ~0U)
			return;
		from = next + 1;
	}
}

struct catcher_life catcher_begin(uint64_t max_ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct catcher_life life = { .max_ns = max_ns };
	sigset_t none;

	prctl(PR_SET_NAME, "gosnap-catcher");
	life.has_timer = timer_create(CLOCK_MONOTONIC, &event, &life.timer) == 0;
	catcher_put_off(&life);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return life;
}

static int take_status(pid_t reader)
{
	int status = 0;

	while (waitpid(reader, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

/* False: there is no reader. */
static bool stand_for(struct watch *w, const struct catcher_reading *reading,
		      const char *values_failed, uint64_t until, int *ret_status,
		      struct err *err)
{
	const struct tracer_service *service;
	const pid_t reader = watch_fork(w, &service, err);

	if (reader == 0) {
		reading->read(reading->arg, service, values_failed);
		_exit(EXIT_SUCCESS);
	}
	if (reader < 0)
		return false;
	watch_stand(w, until);
	*ret_status = take_status(reader);
	return true;
}

static void put_off(void *arg, uint64_t ns)
{
	struct catcher_life *life = arg;

	life->max_ns = ns;
	catcher_put_off(life);
}

bool catcher_read(struct watch *w, const struct catcher_reading *reading, int *ret_status,
		  struct err *err)
{
	const uint64_t until = monotonic_ns() + reading->max_pause_ns;
	const struct watch_copying copying = { .wanted = reading->goes_on,
					       .max_ns = reading->max_copy_ns,
					       .put_off = put_off,
					       .arg = reading->life };
	struct traced_result *result = reading->result;

	watch_permit_copy(w, &copying);
	if (!stand_for(w, reading, NULL, until, ret_status, err))
		return false;
	if (!result->without_values)
		return true;
	const struct err why = result->why;
	*result = (struct traced_result){ .done = false };
	return stand_for(w, reading, why.text, until, ret_status, err);
}
