/* SPDX-License-Identifier: Apache-2.0 */
/* time.Time: time/time.go, unchanged from Go 1.9 to 1.27. */
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/stdlib/stdlib_values.h"
#include "goruntime/types/globals.h"
#include "goruntime/types/type.h"
#include "goruntime/values/values.h"

/* Seconds from year 1 to 1970, and from year 1 to 1885. */
#define UNIX_TO_INTERNAL INT64_C(62135596800)
#define WALL_TO_INTERNAL INT64_C(59453308800)

enum { NANOSECOND_BITS = 30, SECOND_BITS = 33 };

/* The CLOCK_MONOTONIC time that monotonic readings count from; 0: not known. */
static uint64_t start_of_clock(struct runtime *rt)
{
	struct value start;
	struct err ignored;

	if (rt->has_clock_start)
		return rt->clock_start;
	rt->has_clock_start = true;
	if (!runtime_global(rt, "time.startNano", &start, &ignored) ||
	    !target_read_uint(rt->target, start.addr, sizeof(rt->clock_start),
			      &rt->clock_start, &ignored))
		rt->clock_start = 0;
	return rt->clock_start;
}

bool runtime_time(struct runtime *rt, const struct value *v, struct time_value *ret)
{
	uint64_t wall, ext;

	*ret = (struct time_value){ 0 };
	if (!runtime_number(rt, v, "wall", &wall) || !runtime_number(rt, v, "ext", &ext))
		return false;
	ret->ns = (uint32_t)(wall & ((1U << NANOSECOND_BITS) - 1));
	ret->seconds = (int64_t)(ext - UNIX_TO_INTERNAL);
	if (!(wall >> 63))
		return true;
	/* ext is a monotonic clock reading. */
	ret->seconds = (int64_t)(wall << 1 >> (64 - SECOND_BITS)) + WALL_TO_INTERNAL -
		       UNIX_TO_INTERNAL;
	uint64_t start = start_of_clock(rt);
	ret->monotonic_ns = start ? start + ext : 0;
	return true;
}
