/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/document/waiters.h"

#include <string.h>

#include "lib/base/util.h"
#include "src/viewer/model/model.h"

void waiters_done(struct waiters *waiters)
{
	table_free(&waiters->counts);
}

/* Many waiters are normal elsewhere, such as workers that receive. */
static bool is_contended(const struct model *m, const struct model_goroutine *goroutine)
{
	static const char *const kinds[] = { "mutex", "rwmutex", "semaphore",
					     "waitgroup" };
	const char *kind = model_text_of(m, goroutine->waits_kind);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	return strcmp(kind, "channel") == 0 &&
	       strcmp(model_text_of(m, goroutine->waits_operation), "send") == 0;
}

void waiters_add(struct waiters *waiters, const struct model *m,
		 const struct model_goroutine *goroutine)
{
	const uint64_t addr = goroutine->waits_address;

	if (addr && is_contended(m, goroutine))
		table_set(&waiters->counts, addr, 0, waiters_of(waiters, addr) + 1);
}

uint64_t waiters_of(const struct waiters *waiters, uint64_t addr)
{
	return table_get(&waiters->counts, addr, 0);
}
