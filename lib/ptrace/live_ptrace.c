/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all tracing code: the one ptrace call, waiting for a thread, priority. */
#include "lib/ptrace/live_priv.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/proc_file.h"

enum { NAP_FIRST_NS = 5 * 1000, NAP_MAX_NS = 100 * 1000 };

#ifdef GOSNAP_FAULTS
/* For tests/kill.test: GOSNAP_DIE_AT=N and GOSNAP_STOP_AT=N send us a signal right after
 * the N-th call. */
static void fault_switch(void)
{
	static const struct {
		const char *name;
		int signal;
	} switches[] = { { "GOSNAP_DIE_AT", SIGKILL }, { "GOSNAP_STOP_AT", SIGSTOP } };
	static unsigned long calls;

	calls++;
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		const char *at = getenv(switches[i].name);
		if (at && strtoul(at, NULL, 10) == calls)
			kill(getpid(), switches[i].signal);
	}
}
#endif

long live_ptrace(int request, pid_t tid, uint64_t addr, void *data)
{
	long r = ptrace(request, tid, (void *)(uintptr_t)addr, data);
#ifdef GOSNAP_FAULTS
	int saved = errno;
	fault_switch();
	errno = saved;
#endif
	return r;
}

bool live_trace(int request, pid_t tid, uint64_t data)
{
	return live_ptrace(request, tid, 0, (void *)(uintptr_t)data) == 0;
}

int live_signal_of(int status)
{
	bool event = status >> 16 || WSTOPSIG(status) == (SIGTRAP | SYSCALL_STOP);

	return event ? 0 : WSTOPSIG(status);
}

bool live_is_event(int status, int event)
{
	return status > 0 && status >> 8 == (SIGTRAP | event << 8);
}

void live_backoff(uint64_t *ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)*ns }, NULL);
	*ns = *ns == 0 ? NAP_FIRST_NS : *ns * 2 < NAP_MAX_NS ? *ns * 2 : NAP_MAX_NS;
}

static enum live_event look(pid_t tid, int options, int *ret_status)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)tid, &info,
		   WEXITED | WSTOPPED | WNOWAIT | __WALL | options))
		return errno == EINTR ? LIVE_NOTHING : LIVE_ENDED;
	if (info.si_pid == 0)
		return LIVE_NOTHING;
	if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
		*ret_status = W_STOPCODE(info.si_status);
		return LIVE_STOP;
	}
	waitpid(tid, NULL, __WALL | WNOHANG);
	return LIVE_ENDED;
}

enum live_event tracee_poll(pid_t tid, int *ret_status)
{
	return look(tid, WNOHANG, ret_status);
}

enum live_event tracee_wait(pid_t tid, int *ret_status)
{
	return look(tid, 0, ret_status);
}

/* Or has one. */
static bool wants_processor(pid_t tid)
{
	AUTO(xfree) char *stat = proc_file(tid, "stat");
	const char *state = proc_stat_field(stat, PROC_STAT_STATE);

	return state && *state == 'R';
}

int live_wait_stop(pid_t tid, uint64_t limit_ns)
{
	const uint64_t begun = monotonic_ns();
	uint64_t nap_ns = 0, limit = begun + limit_ns, now;
	int status;

	for (;;) {
		switch (tracee_poll(tid, &status)) {
		case LIVE_STOP:
			return status;
		case LIVE_ENDED:
			return LIVE_WAIT_GONE;
		case LIVE_NOTHING:
			break;
		}
		now = monotonic_ns();
		if (now >= limit) {
			if (now - begun >= LIMIT_STARVED_NS || !wants_processor(tid))
				return LIVE_WAIT_LATE;
			limit = now + limit_ns;
		}
		live_backoff(&nap_ns);
	}
}

void live_set_realtime(bool on)
{
	struct sched_param priority = { .sched_priority = on };

	/* To be what one is takes long. */
	if (on && sched_getscheduler(0) == (SCHED_FIFO | SCHED_RESET_ON_FORK))
		return;
	/* Optional, since it takes CAP_SYS_NICE. */
	sched_setscheduler(0, (on ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK,
			   &priority);
}
