/* SPDX-License-Identifier: Apache-2.0 */
#include "src/guard/stops.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"
#include "tests/unit/unit.h"

enum { NUMBER = FAULT_SLOTS + 3, AT_NS = 1000 };

static struct fault_stops stops;
static pid_t child;

static uint64_t start_ns(pid_t pid)
{
	return proc_started(pid) *
	       (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

static struct fault_stop *stopped(void)
{
	struct fault_stop *stop = &stops.list[NUMBER % FAULT_SLOTS];

	*stop = (struct fault_stop){ .state =
					     NUMBER << FAULT_STOP_SHIFT | FAULT_STOP_SENT,
				     .at_ns = AT_NS,
				     .start_boottime_ns = start_ns(child),
				     .pid = (uint32_t)child };
	return stop;
}

static int begin(void **state)
{
	(void)state;
	stops = (struct fault_stops){ .none = 0 };
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	kill(child, SIGSTOP);
	return waitpid(child, NULL, WUNTRACED) != child;
}

static int end(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	return waitpid(child, NULL, 0) != child;
}

static bool goes_on(void)
{
	siginfo_t info = { .si_pid = 0 };

	assert_int_equal(waitid(P_PID, (id_t)child, &info, WCONTINUED | WNOHANG), 0);
	return info.si_code == CLD_CONTINUED;
}

static void let_go(void **state)
{
	const struct fault_stop *stop = stopped();

	(void)state;
	stops_let_go(&stops, NUMBER + FAULT_SLOTS); /* another one was there before */
	assert_false(goes_on());
	stops_let_go(&stops, NUMBER);
	assert_true(goes_on());
	assert_int_equal(stop->state, 0);
	assert_false(stops_take(&stops, NUMBER));
}

static void taken(void **state)
{
	(void)state;
	stopped();
	assert_true(stops_take(&stops, NUMBER));
	assert_false(stops_take(&stops, NUMBER));
	stops_let_go(&stops, NUMBER);
	assert_int_equal(stops_let_go_before(&stops, UINT64_MAX), 0);
	assert_false(goes_on());
}

/* It has the number of one that has ended. */
static void another_process(void **state)
{
	struct fault_stop *stop = stopped();

	(void)state;
	stop->start_boottime_ns -= UINT64_C(1000000000);
	stops_let_go(&stops, NUMBER);
	assert_false(goes_on());
	assert_int_equal(stop->state, 0);
}

static void when_it_is_time(void **state)
{
	struct fault_stop *stop = stopped();
	(void)state;
	assert_int_equal(stops_let_go_before(&stops, AT_NS - 1), 1);
	assert_false(goes_on());
	assert_int_equal(stops.none, 0);
	/* A SIGCONT before the SIGSTOP would be in vain. */
	stop->state &= ~(uint64_t)FAULT_STOP_SENT;
	assert_int_equal(stops_let_go_before(&stops, UINT64_MAX), 1);
	assert_false(goes_on());
	stop->state |= FAULT_STOP_SENT;
	assert_int_equal(stops_let_go_before(&stops, AT_NS), 0);
	assert_true(goes_on());
	assert_int_equal(stops.none, 1);
	stops_heard(&stops, NUMBER);
	assert_int_equal(stops.none, 0);
	stopped();
	stops_let_go_before(&stops, AT_NS);
	assert_int_equal(stops.none, 0);
}

/* Unless it was stopped before. */
static void parents(void **state)
{
	struct fault_stop *stop = stopped();

	(void)state;
	*stop = (struct fault_stop){ .at_ns = AT_NS,
				     .parent = (uint32_t)child,
				     .parent_start_boottime_ns = start_ns(child) };
	assert_int_equal(stops_let_parents_go(&stops, AT_NS + 1), 0);
	assert_false(goes_on());
	stop->parent = 0;
	assert_int_equal(stops_let_parents_go(&stops, AT_NS), 0);
	assert_false(goes_on());
	stop->parent = (uint32_t)child;
	assert_int_equal(stops_let_parents_go(&stops, AT_NS), 1);
	assert_true(goes_on());
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(let_go, begin, end),
		cmocka_unit_test_setup_teardown(taken, begin, end),
		cmocka_unit_test_setup_teardown(another_process, begin, end),
		cmocka_unit_test_setup_teardown(parents, begin, end),
		cmocka_unit_test_setup_teardown(when_it_is_time, begin, end),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
