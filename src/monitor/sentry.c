/* SPDX-License-Identifier: Apache-2.0 */
#include "src/monitor/sentry.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"

enum { STEPS = 50, STEP_MIN_NS = 10 * 1000 * 1000, STEP_MAX_NS = 500 * 1000 * 1000 };

/* Both write to it. */
struct progress {
	_Atomic uint64_t served;
	_Atomic bool waits;
};

struct sentry {
	struct progress *shared;
	pid_t pid;
};

struct post {
	const struct progress *shared;
	pid_t monitor;
	int pipe;
	int ready; /* to be closed when nothing that stops the monitor stops us */
	uint64_t limit_ns;
};

/* False: nobody writes any more. */
static bool is_waited_for(const struct post *p, int timeout_ms)
{
	struct pollfd in = { .fd = p->pipe, .events = POLLIN };

	while (poll(&in, 1, timeout_ms) < 0 && errno == EINTR)
		;
	return in.revents & POLLIN;
}

static bool is_stopped(pid_t pid)
{
	AUTO(xfree) char *stat = proc_file(pid, "stat");
	const char *state = proc_stat_field(stat, PROC_STAT_STATE);

	return state && (*state == 'T' || *state == 't');
}

/* Time in which we were kept from running ourselves does not count, so that a service that was frozen as a whole
 * goes on with its monitor. */
static bool waits_in_vain(const struct post *p)
{
	uint64_t step = p->limit_ns / STEPS, waited = 0;
	const uint64_t served = atomic_load(&p->shared->served);

	step = step < STEP_MIN_NS ? STEP_MIN_NS : step > STEP_MAX_NS ? STEP_MAX_NS : step;
	while (waited < p->limit_ns || (p->shared->waits && !is_stopped(p->monitor))) {
		nanosleep(&(struct timespec){ .tv_nsec = (long)step }, NULL);
		waited += step;
		if (atomic_load(&p->shared->served) != served || !is_waited_for(p, 0))
			return false;
	}
	return true;
}

static void __attribute__((noreturn)) stand(const struct post *p)
{
	const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_NAME, "gosnap-sentry");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != p->monitor || nothing < 0 || setsid() < 0)
		_exit(EXIT_FAILURE);
	dup2(nothing, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	/* Before Linux 5.9 there is no such call. */
	if (close_range(STDERR_FILENO + 1, ~0U, 0))
		close(p->ready);
	while (is_waited_for(p, -1))
		if (waits_in_vain(p))
			kill(p->monitor, SIGKILL);
	_exit(EXIT_SUCCESS);
}

struct sentry *sentry_start(int pipe, uint64_t limit_ns)
{
	AUTO(sentry_end) struct sentry *s = xcalloc(1, sizeof(*s));
	struct post post = { .monitor = getpid(), .pipe = pipe, .limit_ns = limit_ns };
	int ready[2];
	char nothing;

	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->shared == MAP_FAILED) {
		s->shared = NULL;
		return NULL;
	}
	post.shared = s->shared;
	if (pipe2(ready, O_CLOEXEC))
		return NULL;
	post.ready = ready[1];
	s->pid = fork();
	if (s->pid == 0)
		stand(&post);
	close(ready[1]);
	while (s->pid > 0 && read(ready[0], &nothing, 1) < 0 && errno == EINTR)
		;
	close(ready[0]);
	return s->pid < 0 ? NULL : TAKE(s);
}

void sentry_served(struct sentry *s)
{
	if (s)
		atomic_fetch_add(&s->shared->served, 1);
}

void sentry_permit(struct sentry *s, bool waits)
{
	if (s)
		atomic_store(&s->shared->waits, waits);
}

void sentry_end(struct sentry *s)
{
	if (!s)
		return;
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (s->shared)
		munmap(s->shared, sizeof(*s->shared));
	xfree(s);
}
