/* SPDX-License-Identifier: Apache-2.0 */
#include "side.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_uint_fast64_t received, received_sum, sent, sent_sum;
static atomic_bool ending;
static pthread_t sender, target;

static int number(void)
{
	return SIGRTMIN + 5;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	atomic_fetch_add(&received_sum, (uint64_t)info->si_value.sival_int);
	atomic_fetch_add(&received, 1);
}

static void *stay(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void *send_all(void *arg)
{
	struct timespec moment = { 0, 100000 };
	int n = 1;

	(void)arg;
	while (!atomic_load(&ending)) {
		union sigval value = { .sival_int = n };
		int failed = n & 1 ? sigqueue(getpid(), number(), value)
				   : pthread_sigqueue(target, number(), value);
		if (!failed) {
			atomic_fetch_add(&sent_sum, (uint64_t)n);
			atomic_fetch_add(&sent, 1);
			n++;
		}
		/* A burst, and room for the rest of the process. */
		if (failed || n % 8 == 0)
			nanosleep(&moment, NULL);
	}
	return NULL;
}

void storm_begin(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

	sigfillset(&action.sa_mask);
	if (sigaction(number(), &action, NULL) ||
	    pthread_create(&target, NULL, stay, NULL) ||
	    pthread_create(&sender, NULL, send_all, NULL))
		abort();
}

void storm_end(void)
{
	atomic_store(&ending, true);
	pthread_join(sender, NULL);
}

struct storm_tally storm_tally(void)
{
	return (struct storm_tally){ atomic_load(&sent), atomic_load(&received),
				     atomic_load(&sent_sum), atomic_load(&received_sum) };
}
