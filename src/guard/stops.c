/* SPDX-License-Identifier: Apache-2.0 */
#include "src/guard/stops.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"

static uint64_t sent_state(uint64_t number)
{
	return number << FAULT_STOP_SHIFT | FAULT_STOP_SENT;
}

static struct fault_stop *stop_of(struct fault_stops *stops, uint64_t number)
{
	return &stops->list[number % FAULT_SLOTS];
}

static bool take(struct fault_stop *stop, __u64 state)
{
	return __atomic_compare_exchange_n(&stop->state, &state, 0, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool stops_take(struct fault_stops *stops, uint64_t number)
{
	return take(stop_of(stops, number), sent_state(number));
}

/* By a descriptor, as its number may be that of another process in between. */
static void continue_process(pid_t pid, uint64_t start_boottime_ns)
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);

	if (process < 0)
		return;
	if (proc_is_of(pid, start_boottime_ns))
		syscall(SYS_pidfd_send_signal, process, SIGCONT, NULL, 0);
	close(process);
}

/* The signal comes first, so that nobody believes that it was sent if we die before. */
static void let_go(struct fault_stop *stop, uint64_t state)
{
	const struct fault_stop copy = *stop;

	if (__atomic_load_n(&stop->state, __ATOMIC_SEQ_CST) != state)
		return;
	continue_process((pid_t)copy.pid, copy.start_boottime_ns);
	take(stop, state);
}

void stops_let_go(struct fault_stops *stops, uint64_t number)
{
	struct fault_stop *stop = stop_of(stops, number);
	const uint64_t state = sent_state(number);

	if (__atomic_load_n(&stop->state, __ATOMIC_SEQ_CST) == state)
		let_go(stop, state);
}

/* One whose signal was not sent yet is left for the next time. */
size_t stops_let_go_before(struct fault_stops *stops, uint64_t at_ns)
{
	size_t left = 0;

	for (size_t i = 0; i < FAULT_SLOTS; i++) {
		struct fault_stop *stop = &stops->list[i];
		const uint64_t state = __atomic_load_n(&stop->state, __ATOMIC_SEQ_CST);
		if (!state)
			continue;
		if (!(state & FAULT_STOP_SENT) || stop->at_ns > at_ns) {
			left++;
			continue;
		}
		if (state >> FAULT_STOP_SHIFT >
		    __atomic_load_n(&stops->heard, __ATOMIC_SEQ_CST))
			stops_forbid(stops);
		let_go(stop, state);
	}
	return left;
}

static bool is_stopped(pid_t pid)
{
	AUTO(xfree) char *stat = proc_file(pid, "stat");
	const char *state = stat ? proc_stat_field(stat, PROC_STAT_STATE) : NULL;

	return state && *state == 'T';
}

/* Many children have the same one. */
size_t stops_let_parents_go(const struct fault_stops *stops, uint64_t since_ns)
{
	size_t may = 0;
	uint32_t last = 0;

	for (size_t i = 0; i < FAULT_SLOTS; i++) {
		const struct fault_stop *stop = &stops->list[i];
		const uint64_t state = __atomic_load_n(&stop->state, __ATOMIC_SEQ_CST);
		const struct fault_stop copy = *stop;
		if (!copy.parent || copy.at_ns < since_ns || copy.parent == last ||
		    __atomic_load_n(&stop->state, __ATOMIC_SEQ_CST) != state)
			continue;
		may++;
		last = copy.parent;
		if (is_stopped((pid_t)copy.parent))
			continue_process((pid_t)copy.parent,
					 copy.parent_start_boottime_ns);
	}
	return may;
}

void stops_heard(struct fault_stops *stops, uint64_t number)
{
	__atomic_store_n(&stops->heard, number, __ATOMIC_SEQ_CST);
	__atomic_store_n(&stops->none, 0, __ATOMIC_SEQ_CST);
}

void stops_forbid(struct fault_stops *stops)
{
	__atomic_store_n(&stops->none, 1, __ATOMIC_SEQ_CST);
}
