/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/ptrace/live_priv.h"

size_t live_count_near(const struct target_span *spans, size_t n, uint64_t *ret_start,
		       uint64_t *ret_end)
{
	uint64_t start = spans[0].addr & ~(uint64_t)(PAGE_BYTES - 1), end = spans[0].addr;
	size_t i = 0;

	for (; i < n; i++) {
		uint64_t addr = spans[i].addr, len = spans[i].len;
		if (addr < end || addr - end > PAGE_BYTES ||
		    addr > UINT64_MAX - LIVE_WINDOW || len > LIVE_WINDOW ||
		    addr + len - start > LIVE_WINDOW)
			break;
		end = addr + len;
	}
	*ret_start = start;
	*ret_end = end;
	return i;
}

void live_take_near(struct target_span *spans, size_t n, const uint8_t *window,
		    uint64_t start)
{
	for (size_t i = 0; i < n; i++) {
		memcpy(spans[i].buf, window + (spans[i].addr - start), spans[i].len);
		spans[i].done = true;
	}
}
