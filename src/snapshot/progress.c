/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/thread.h"

enum {
	PATIENCE_NS = 1000000000,
	STEP_NS = 200000000,
	LINE_BYTES = 160,
	NS_PER_S = 1000000000,
};

struct progress {
	enum progress_when when;
	struct thread *thread; /* NULL: there is no line */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	uint64_t started_ns;
	/* Protected by the lock: */
	bool over;
	const char *done, *things;
	const progress_count *count;
	uint64_t total;
	int drawn; /* columns */
};

/* "1,234,567" */
static void format_count(uint64_t n, char ret[32])
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n), at = 0;
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			ret[at++] = ',';
		ret[at++] = digits[i];
	}
	ret[at] = '\0';
}

static void erase(struct progress *p)
{
	if (p->drawn > 0)
		fprintf(stderr, "\r%*s\r", p->drawn, "");
	p->drawn = 0;
}

static void draw(struct progress *p)
{
	char line[LINE_BYTES], count[32], total[32];
	int width;
	if (!p->done)
		return;
	format_count(*p->count, count);
	format_count(p->total, total);
	snprintf(line, sizeof(line), "gosnap: %s %s%s%s %s, %" PRIu64 " s", p->done,
		 count, p->total ? " of " : "", p->total ? total : "", p->things,
		 (monotonic_ns() - p->started_ns) / NS_PER_S);
	width = (int)strlen(line);
	fprintf(stderr, "\r%-*s", p->drawn, line);
	p->drawn = width;
	fflush(stderr);
}

static void draw_again(void *arg)
{
	struct progress *p = arg;
	uint64_t next = p->started_ns + PATIENCE_NS;
	pthread_mutex_lock(&p->lock);
	while (!p->over) {
		struct timespec at = { (time_t)(next / NS_PER_S),
				       (long)(next % NS_PER_S) };
		if (pthread_cond_timedwait(&p->ended, &p->lock, &at) == 0)
			continue;
		draw(p);
		next = monotonic_ns() + STEP_NS;
	}
	pthread_mutex_unlock(&p->lock);
}

bool progress_is_wanted(enum progress_when when)
{
	return when == PROGRESS_ALWAYS ||
	       (when == PROGRESS_AUTO && isatty(STDERR_FILENO));
}

struct progress *progress_begin(enum progress_when when)
{
	struct progress *p = xcalloc(1, sizeof(*p));
	pthread_condattr_t attributes;
	p->when = when;
	p->started_ns = monotonic_ns();
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&p->ended, &attributes);
	pthread_condattr_destroy(&attributes);
	p->thread = progress_is_wanted(when) ? thread_start(draw_again, p) : NULL;
	return p;
}

static void draw_always(struct progress *p)
{
	if (p->thread && p->when == PROGRESS_ALWAYS)
		draw(p);
}

void progress_phase(struct progress *p, const char *done, const char *things,
		    const progress_count *count, uint64_t total)
{
	pthread_mutex_lock(&p->lock);
	draw_always(p); /* the end of the previous phase */
	p->done = done;
	p->things = things;
	p->total = total;
	p->count = count;
	draw_always(p);
	pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	draw_always(p);
	p->over = true;
	pthread_cond_signal(&p->ended);
	pthread_mutex_unlock(&p->lock);
	if (p->thread)
		thread_join(p->thread);
	erase(p);
	pthread_cond_destroy(&p->ended);
	pthread_mutex_destroy(&p->lock);
	xfree(p);
}
