/* SPDX-License-Identifier: Apache-2.0 */
/* Is it a panic of which there is a snapshot already? The same value may be panicked with again, and a
 * goroutine panic again: only if the same calls led to it as well. Its stack may have moved. */
#include <string.h>

#include "goruntime/fault/fault_priv.h"
#include "goruntime/goroutines/extras.h"

void runtimes_set_noted(struct runtimes *all, uint64_t addr)
{
	all->noted_at = addr;
}

void fault_capture_noted(struct runtimes *all)
{
	const size_t size = NOTED_PANICS * sizeof(*all->noted);
	struct err ignored;

	xfree(TAKE(all->noted));
	if (!all->noted_at)
		return;
	all->noted = xmalloc(size);
	if (!target_read(all->target, all->noted_at, all->noted, size, &ignored))
		xfree(TAKE(all->noted));
}

static uint64_t hash_calls(struct stack stack, uint32_t from)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t ret = UINT64_C(0xcbf29ce484222325); /* FNV-1a, of words */

	for (uint32_t i = from; i < stack.count; i++)
		ret = (ret ^ stack.frames[i].pc) * prime;
	return ret;
}

static bool is_it(const struct noted_panic *noted, const struct noted_panic *panic)
{
	const uint64_t *said = (const uint64_t *)noted, *found = (const uint64_t *)panic;

	for (size_t i = 0; i < sizeof(*noted) / sizeof(*said); i++)
		if (said[i] != found[i] && said[i] != NOTED_ANY)
			return false;
	return true;
}

/* What a deferred function panics with later is another panic: it is the innermost then. */
void fault_identify(struct runtimes *all, struct fault *fault)
{
	const struct goroutine *g = fault->goroutine;
	const struct panic_list *panics;

	if (fault->kind != FAULT_PANIC || !g || g->stack == NO_STACK)
		return;
	panics = runtime_panics(fault->runtime, g);
	if (!panics || panics->count == 0 || !panics->list[0].value[0])
		return;
	fault->identity.goroutine = g->id;
	memcpy(fault->identity.value, panics->list[0].value,
	       sizeof(panics->list[0].value));
	fault->identity.calls =
		hash_calls(runtimes_stack(all, g->stack), panics->list[0].caller);
	for (size_t i = 0; all->noted && i < NOTED_PANICS; i++)
		fault->noted |= is_it(&all->noted[i], &fault->identity);
}
