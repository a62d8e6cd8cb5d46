/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/value_printers.h"

#define SECOND INT64_C(1000000000)

bool snapshot_time_until(const struct snapshot_time *m, const struct time_value *t,
			 int64_t *ret)
{
	int64_t ns;

	if (!m || !m->now_ns)
		return false;
	if (t->monotonic_ns) {
		*ret = (int64_t)(t->monotonic_ns - m->now_ns);
		return true;
	}
	if (__builtin_mul_overflow(t->seconds, SECOND, &ns) ||
	    __builtin_add_overflow(ns, t->ns, &ns) ||
	    __builtin_sub_overflow(ns, (int64_t)m->realtime_ns, ret))
		return false;
	return true;
}

void print_instant(struct sink *out, const char *name, const struct time_value *t)
{
	if (t->seconds < 0 || t->seconds >= INT64_MAX / SECOND)
		return;
	sink_name(out, name);
	sink_time(out, (uint64_t)(t->seconds * SECOND + t->ns));
}
