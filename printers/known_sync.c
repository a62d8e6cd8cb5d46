/* SPDX-License-Identifier: Apache-2.0 */
/* sync/mutex.go, rwmutex.go, waitgroup.go, once.go. The fields moved, their meaning did not. */
#include <inttypes.h>
#include <string.h>

#include "known.h"

enum { LOCKED = 1, STARVING = 4, WAITERS = 3 /* shift */ };
#define READERS_MAX (1 << 30) /* rwmutexMaxReaders */
#define WAITERS_MASK UINT32_C(0x7fffffff)

static const char state_paths[] = "mu.state|state"; /* 1.24 */

static bool add_mutex(struct printing *p, const struct value *v, const char *unlocked,
		      const char *locked, struct known_words *ret)
{
	uint64_t state;

	if (!known_number(p, v, state_paths, &state))
		return false;
	known_add(ret, "%s", state & LOCKED ? locked : unlocked);
	if (state >> WAITERS)
		known_add(ret, ", %" PRIu64 " waiting", state >> WAITERS);
	if (state & STARVING)
		known_add(ret, ", starving");
	return true;
}

bool text_of_mutex(struct printing *p, const struct value *v, struct known_words *ret)
{
	return add_mutex(p, v, "unlocked", "locked", ret);
}

/* readerCount is less by READERS_MAX while a writer has it or waits for readers to leave. */
bool text_of_rwmutex(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t count, leaving, state;
	struct value writers;

	if (!known_number(p, v, "readerCount.v|readerCount", &count) ||
	    !known_number(p, v, "readerWait.v|readerWait", &leaving) ||
	    !known_field(p, v, "w", &writers) ||
	    !known_number(p, &writers, state_paths, &state))
		return false;
	int32_t readers = (int32_t)count;
	if (readers >= 0) {
		known_add(ret, readers ? "%d reading" : "unlocked", readers);
		return true;
	}
	readers += READERS_MAX;
	if ((int32_t)leaving > 0)
		known_add(ret, "%d reading, one waits to write", (int32_t)leaving);
	else
		known_add(ret, "locked for writing");
	if (readers > (int32_t)leaving)
		known_add(ret, ", %d wait to read", readers - (int32_t)leaving);
	if (state >> WAITERS)
		known_add(ret, ", %" PRIu64 " wait to write", state >> WAITERS);
	return true;
}

/* One word from Go 1.20 on, the counter above; before that three of four bytes, or eight and
 * four, in one of two orders: those have no text. */
bool text_of_waitgroup(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t state;

	if (!known_number(p, v, "state.v", &state))
		return false;
	known_add(ret, "%d to go", (int32_t)(state >> 32));
	if ((uint32_t)state & WAITERS_MASK)
		known_add(ret, ", %" PRIu32 " waiting", (uint32_t)state & WAITERS_MASK);
	return true;
}

bool text_of_once(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t done;

	if (!known_number(p, v, "done.v|done", &done))
		return false;
	known_add(ret, done ? "done" : "not done");
	return true;
}

bool text_of_atomic(struct printing *p, const struct value *v, struct known_words *ret)
{
	const char *name = type_name(v->type) + strlen("sync/atomic.");
	uint64_t value;

	if (!known_number(p, v, "v", &value))
		return false;
	if (strcmp(name, "Bool") == 0)
		known_add(ret, "%s", value ? "true" : "false");
	else if (strcmp(name, "Int32") == 0)
		known_add(ret, "%d", (int32_t)value);
	else if (strcmp(name, "Int64") == 0)
		known_add(ret, "%" PRId64, (int64_t)value);
	else
		known_add(ret, "%" PRIu64, value);
	return true;
}
