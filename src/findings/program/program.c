/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/program/program.h"

#include <string.h>

bool sends(const struct finder *f, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	struct wait wait;

	return runtime_wait(it.runtime, it.goroutine, &wait) &&
	       wait.operation == WAIT_SEND;
}

bool is_opposite(const struct finder *f, uint32_t goroutine, enum operation operation)
{
	return operation == OPERATION_CLOSE ||
	       operation == (sends(f, goroutine) ? OPERATION_RECEIVE : OPERATION_SEND);
}

bool is_timed_channel(const struct wait_channel *channel)
{
	return channel->when != 0 ||
	       (channel->element_type && strcmp(channel->element_type, "time.Time") == 0);
}
