/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that wait for a connection of a pool that has as many as it may have.
 * That also happens to a busy pool, so it is a warning only once half of these goroutines
 * have waited long. */
#include <inttypes.h>

#include "src/findings/program/pools.h"

enum { VERY_MANY = 100, HOLDERS_TOLD = 4 };

static void say_holders(const struct finder *f, const struct pools *p, struct text *text,
			const struct pool *pool)
{
	if (pool->kind->one_of && !pool->holder_count && pools_saw_all(p, pool))
		text_add(text, " No goroutine has one in its variables: most likely some "
			       "were not closed.");
	for (size_t i = 0; i < pool->holder_count && i < HOLDERS_TOLD; i++) {
		text_add(text, " Goroutine %" PRIu64 " has one and ",
			 id_of(f, pool->holders[i].goroutine));
		say_state(f, text, pool->holders[i].goroutine);
		text_add(text, ".");
	}
}

static void tell(struct finder *f, struct pools *p, struct pool *pool)
{
	const bool lasts = pool->long_waiters * 2 >= pool->waiters;

	pools_find_holders(f, p, pool);
	struct finding *finding = finding_add(
		f, "pool_exhausted", lasts ? SEVERITY_WARNING : SEVERITY_INFO,
		pool->waiters,
		"Find out why the goroutines that have a connection keep it: a missing "
		"Close, or a peer that does not answer.");
	struct text *text = &finding->text;
	text_add_counted(text, pool->waiters, "goroutine");
	text_add(text, pool->waiters == 1 ? " waits for a connection"
					  : " wait for a connection");
	say_where(f, text, pool->longest);
	if (lasts) {
		text_add(text, ", for at least ");
		text_add_duration(text, (int64_t)finder_age(f, pool->longest));
	}
	text_add(text, ": %s 0x%" PRIx64 " has all ", pool->kind->name, pool->value.addr);
	text_add_count(text, pool->most);
	text_add(text, " in use that it may have");
	if (pool->kind->say_part && f->about.hosts_told)
		pool->kind->say_part(text, pool->rt, &pool->value);
	text_add(text, ".");
	say_holders(f, p, text, pool);
	for (size_t i = 0; i < pool->shown_count; i++)
		finding_shows_goroutine(f, finding, pool->shown[i]);
	finding_shows_address(finding, pool->value.addr);
}

void finding_pool_exhausted(struct finder *f)
{
	struct pools pools;

	pools_find(&pools, f);
	for (size_t i = 0; i < pools.count; i++) {
		struct pool *pool = pools.list[i];
		if (pool->is_exhausted && !f->told[pool->longest] &&
		    (pool->long_waiters * 2 >= pool->waiters ||
		     (pool->waiters >= VERY_MANY && pool->waiters >= 10 * pool->most)))
			tell(f, &pools, pool);
	}
	pools_done(&pools);
}
