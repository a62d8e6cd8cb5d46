/* SPDX-License-Identifier: Apache-2.0 */
/* Is it a panic of which there is a snapshot already? Only if all that is noted of it is still so: the
 * same value may be panicked with again, and a goroutine panic again. */
#include <string.h>

#include "goruntime/fault/fault_priv.h"
#include "goruntime/goroutines/extras.h"

enum {
	/* Between a deferred function's frame and the argument of gopanic: gopanic's own frame, and, in
	 * old releases, those of what calls a function by its address. */
	FRAMES_MAX_BYTES = 2048,
};

void runtimes_set_noted(struct runtimes *all, uint64_t addr)
{
	all->noted_at = addr;
}

void fault_capture_noted(struct runtimes *all)
{
	struct noted_panic list[NOTED_PANICS];
	struct err ignored;

	xfree(TAKE(all->noted));
	if (!all->noted_at ||
	    !target_read(all->target, all->noted_at, list, sizeof(list), &ignored))
		return;
	all->noted = xmalloc(sizeof(list));
	memcpy(all->noted, list, sizeof(list));
}

static bool is_it(const struct noted_panic *noted, const struct goroutine *g,
		  const struct panic *panic)
{
	return noted->goroutine == g->id && noted->value[0] &&
	       memcmp(noted->value, panic->value, sizeof(panic->value)) == 0 &&
	       noted->frame < panic->value_at &&
	       panic->value_at - noted->frame <= FRAMES_MAX_BYTES;
}

/* What a deferred function panics with later is another panic: it is the innermost then. */
bool fault_is_noted(struct runtimes *all, const struct fault *fault)
{
	const struct panic_list *panics;

	if (!all->noted || fault->kind != FAULT_PANIC || !fault->goroutine)
		return false;
	panics = runtime_panics(fault->runtime, fault->goroutine);
	for (size_t i = 0; panics && panics->count && i < NOTED_PANICS; i++)
		if (is_it(&all->noted[i], fault->goroutine, &panics->list[0]))
			return true;
	return false;
}
