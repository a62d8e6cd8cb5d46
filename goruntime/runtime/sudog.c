/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/sudog.h"

bool sudog_is_known(const struct layout *l)
{
	struct slot size = l->slot[L_sudog_size];

	return size.off > 0 && size.off <= SUDOG_MAX;
}

struct sudog sudog_parse(const struct layout *l, const uint8_t *bytes)
{
	size_t len = (size_t)l->slot[L_sudog_size].off;

	return (struct sudog){
		.g = layout_get(l, L_sudog_g, bytes, len),
		.channel = layout_get(l, L_sudog_c, bytes, len),
		.elem = layout_get(l, L_sudog_elem, bytes, len),
		.next = layout_get(l, L_sudog_next, bytes, len),
		.prev = layout_get(l, L_sudog_prev, bytes, len),
		.next_case = layout_get(l, L_sudog_waitlink, bytes, len),
	};
}
