/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of struct bucket: each is followed by its pcs and its counts. Buckets are neither moved nor
 * freed. */
#include "goruntime/profiles/profile_records.h"

#include <inttypes.h>
#include <string.h>

#include "goruntime/profiles/profile_variables.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/runtime_variable.h"
#include "lib/base/limit.h"
#include "lib/base/table.h"

enum {
	HEAD_BYTES = 128,    /* struct bucket has 48 */
	COUNTS_BYTES = 1024, /* memRecord has 128 */
};

struct bucket {
	uint64_t next, type, bytes, depth;
};

struct walk_of_list {
	struct runtime *rt;
	enum profile_list which;
	bool has_cycle; /* of memory: the one that is being published */
	uint64_t cycle;
	/* Of memory: no collection has published anything yet. */
	bool nothing_published;
	struct profile_record
		*everything; /* with what is not published, in the same order */
	size_t everything_cap;
	uint8_t *bytes; /* of one record: pcs and counts */
};

static uint64_t word_in(const uint8_t *bytes, struct slot slot)
{
	uint64_t word;

	memcpy(&word, bytes + slot.off, sizeof(word));
	return word;
}

static uint32_t end_of(struct slot slot)
{
	return (uint32_t)slot.off + slot.size;
}

static bool is_word(struct slot slot, uint32_t max)
{
	return slot.off >= 0 && slot.size == WORD && end_of(slot) <= max;
}

/* Is everything where it can be read, in as much as it is used? */
static bool is_known(const struct slot *slot)
{
	return is_word(slot[L_bucket_allnext], HEAD_BYTES) &&
	       is_word(slot[L_bucket_typ], HEAD_BYTES) &&
	       is_word(slot[L_bucket_bytes], HEAD_BYTES) &&
	       is_word(slot[L_bucket_nstk], HEAD_BYTES);
}

static bool are_counts_known(const struct slot *slot, enum profile_list which)
{
	const uint32_t cycle = slot[L_memrecord_active].size;

	if (which != PROFILE_MEMORY)
		return is_word(slot[L_blockrecord_count], COUNTS_BYTES) &&
		       is_word(slot[L_blockrecord_cycles], COUNTS_BYTES);
	return slot[L_memrecord_active].off >= 0 && slot[L_memrecord_future].off >= 0 &&
	       end_of(slot[L_memrecord_active]) <= COUNTS_BYTES &&
	       end_of(slot[L_memrecord_future]) <= COUNTS_BYTES &&
	       slot[L_memrecord_future].size >= cycle &&
	       is_word(slot[L_memcycle_allocs], cycle) &&
	       is_word(slot[L_memcycle_frees], cycle);
}

/* nstk is the last field. */
static uint64_t head_bytes(const struct slot *slot)
{
	return end_of(slot[L_bucket_nstk]);
}

static uint64_t counts_bytes(const struct slot *slot, enum profile_list which)
{
	return which == PROFILE_MEMORY ? end_of(slot[L_memrecord_future])
				       : end_of(slot[L_blockrecord_cycles]);
}

static bool read_bucket(struct runtime *rt, enum profile_list which, uint64_t addr,
			struct bucket *ret, struct err *err)
{
	const struct slot *slot = rt->layout.slot;
	uint8_t bytes[HEAD_BYTES];

	if (!target_read(rt->target, addr, bytes, head_bytes(slot), err))
		return false;
	*ret = (struct bucket){ .next = word_in(bytes, slot[L_bucket_allnext]),
				.type = word_in(bytes, slot[L_bucket_typ]),
				.bytes = word_in(bytes, slot[L_bucket_bytes]),
				.depth = word_in(bytes, slot[L_bucket_nstk]) };
	if (ret->type != which || ret->depth > LIMIT_PROFILE_DEPTH)
		return err_set(err, ERR_BAD_DATA,
			       "no record of the profile at 0x%" PRIx64, addr);
	return true;
}

static bool is_list(struct runtime *rt, uint64_t addr, enum profile_list which)
{
	uint64_t first;
	struct bucket b;
	struct err err;

	if (!target_read_uint(rt->target, addr, WORD, &first, &err) || !first)
		return false;
	/* Of a list that a small core lacks, this is not known; that it is empty is not, either. */
	return read_bucket(rt, which, first, &b, &err) || err_is(&err, ERR_ABSENT) ||
	       err_is(&err, ERR_MISSED);
}

static bool is_memory(struct runtime *rt, uint64_t addr)
{
	return is_list(rt, addr, PROFILE_MEMORY);
}

static bool is_blocking(struct runtime *rt, uint64_t addr)
{
	return is_list(rt, addr, PROFILE_BLOCKING);
}

static bool is_mutexes(struct runtime *rt, uint64_t addr)
{
	return is_list(rt, addr, PROFILE_MUTEXES);
}

static const struct runtime_variable lists[] = {
	[PROFILE_MEMORY] = { .symbol = "runtime.mbuckets",
			     .functions = { "runtime.mProf_FlushLocked",
					    "runtime.mProf_PostSweep",
					    "runtime.stkbucket" },
			     .agrees = is_memory },
	[PROFILE_BLOCKING] = { .symbol = "runtime.bbuckets",
			       .functions = { "runtime.stkbucket" },
			       .agrees = is_blocking },
	[PROFILE_MUTEXES] = { .symbol = "runtime.xbuckets",
			      .functions = { "runtime.stkbucket" },
			      .agrees = is_mutexes },
};

/* *ret 0: nothing is recorded. */
static bool find_first(struct runtime *rt, enum profile_list which, uint64_t *ret,
		       struct err *err)
{
	const char *symbol = lists[which].symbol;
	struct image_range range;
	const uint64_t addr = image_symbol(rt->image, symbol, &range)
				      ? range.addr
				      : runtime_variable_find(rt, &lists[which]);

	*ret = 0;
	if (addr && !target_read_uint(rt->target, addr, WORD, ret, err))
		return err_prefix(err, "%s", symbol);
	return true;
}

static uint64_t sum(uint64_t a, const uint8_t *cycle, struct slot slot)
{
	return a + word_in(cycle, slot);
}

/* runtime.MemProfile (1.27): `active`, and what it publishes first. */
static void read_memory(struct walk_of_list *w, const uint8_t *counts,
			struct profile_record *ret, struct profile_record *ret_everything)
{
	const struct slot *slot = w->rt->layout.slot, allocs = slot[L_memcycle_allocs],
			  frees = slot[L_memcycle_frees];
	const uint32_t size = slot[L_memrecord_active].size,
		       future = (uint32_t)slot[L_memrecord_future].off,
		       cycles = slot[L_memrecord_future].size / size;
	const uint8_t *active = counts + slot[L_memrecord_active].off;

	ret->memory.allocs = word_in(active, allocs);
	ret->memory.frees = word_in(active, frees);
	*ret_everything = *ret;
	for (uint32_t i = 0; i < cycles; i++) {
		const uint8_t *cycle = counts + future + i * size;
		ret_everything->memory.allocs =
			sum(ret_everything->memory.allocs, cycle, allocs);
		ret_everything->memory.frees =
			sum(ret_everything->memory.frees, cycle, frees);
		if (!w->has_cycle || i != w->cycle % cycles)
			continue;
		ret->memory.allocs = sum(ret->memory.allocs, cycle, allocs);
		ret->memory.frees = sum(ret->memory.frees, cycle, frees);
	}
	w->nothing_published =
		w->nothing_published && !ret->memory.allocs && !ret->memory.frees;
}

/* A number of events, or a float64 of as many as they stand for, in newer releases. No number is as large as
 * the bits of 1.0. */
static int64_t count_in(uint64_t word)
{
	double count;

	if (word < UINT64_C(1) << 52)
		return (int64_t)word;
	memcpy(&count, &word, sizeof(count));
	return count >= 0 && count < 0x1p63 ? (int64_t)count : 0;
}

static void read_counts(struct walk_of_list *w, const uint8_t *counts,
			struct profile_record *ret, struct profile_record *ret_everything)
{
	const struct slot *slot = w->rt->layout.slot;

	if (w->which == PROFILE_MEMORY) {
		read_memory(w, counts, ret, ret_everything);
		return;
	}
	ret->waits.count = count_in(word_in(counts, slot[L_blockrecord_count]));
	ret->waits.cycles = (int64_t)word_in(counts, slot[L_blockrecord_cycles]);
	/* As runtime.BlockProfile does. */
	if (w->which == PROFILE_BLOCKING && !ret->waits.count)
		ret->waits.count = 1;
}

static void add_pcs(struct profile_records *to, const uint8_t *bytes, uint64_t n)
{
	while (to->pc_count + n > to->pc_cap)
		to->pcs = grow_(to->pcs, to->pc_cap, &to->pc_cap, sizeof(*to->pcs));
	if (n)
		memcpy(to->pcs + to->pc_count, bytes, n * WORD);
	to->pc_count += n;
}

static bool add_record(struct walk_of_list *w, uint64_t addr, const struct bucket *b,
		       struct profile_records *to, struct err *err)
{
	const struct slot *slot = w->rt->layout.slot;
	struct profile_record everything,
		r = { .first_pc = to->pc_count,
		      .pc_count = (uint32_t)b->depth,
		      .object_bytes = w->which == PROFILE_MEMORY ? b->bytes : 0 };

	if (!target_read(w->rt->target, addr + head_bytes(slot), w->bytes,
			 b->depth * WORD + counts_bytes(slot, w->which), err))
		return false;
	add_pcs(to, w->bytes, b->depth);
	read_counts(w, w->bytes + b->depth * WORD, &r, &everything);
	GROW(to->list, to->count, to->cap);
	to->list[to->count] = r;
	if (w->which == PROFILE_MEMORY) {
		GROW(w->everything, to->count, w->everything_cap);
		w->everything[to->count] = everything;
	}
	to->count++;
	return true;
}

static const char *damage_of(const struct err *err)
{
	if (err_is(err, ERR_ABSENT))
		return "the rest is not in the core";
	if (err_is(err, ERR_MISSED))
		return "there was no time for the rest";
	return err_is(err, ERR_BAD_DATA) ? "their list is damaged"
					 : "the rest could not be read";
}

static void follow(struct walk_of_list *w, uint64_t addr, struct profile_records *to)
{
	struct table seen = { .slots = NULL };
	struct err err;
	struct bucket b;

	for (; addr && !to->damage; addr = b.next) {
		if (!table_add(&seen, addr, 0))
			to->damage = "their list is a circle";
		else if (to->count == LIMIT_PROFILE_RECORDS ||
			 to->pc_count > LIMIT_PROFILE_PCS)
			to->damage = "there are more than gosnap reads";
		else if (!read_bucket(w->rt, w->which, addr, &b, &err) ||
			 !add_record(w, addr, &b, to, &err))
			to->damage = damage_of(&err);
	}
	table_free(&seen);
}

static bool set_unknown(struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED,
		       "the records of this release's profiles are not known");
}

bool runtime_profile_records(struct runtime *rt, enum profile_list which,
			     struct profile_records *ret, struct err *err)
{
	struct walk_of_list w = { .rt = rt, .which = which, .nothing_published = true };
	uint64_t first;

	if (!rt->modules)
		return err_set(err, ERR_CANNOT, "%s", rt->unusable);
	if (!is_known(rt->layout.slot))
		return set_unknown(err);
	target_budget_unit(rt->target);
	if (!find_first(rt, which, &first, err))
		return false;
	/* Debug information may lack what a program does not use. */
	if (!first)
		return true;
	if (!are_counts_known(rt->layout.slot, which))
		return set_unknown(err);
	w.has_cycle = which == PROFILE_MEMORY && profile_cycle(rt, &w.cycle);
	w.bytes = xmalloc(LIMIT_PROFILE_DEPTH * WORD + COUNTS_BYTES);
	follow(&w, first, ret);
	xfree(w.bytes);
	if (which == PROFILE_MEMORY && w.nothing_published && ret->count)
		memcpy(ret->list, w.everything, ret->count * sizeof(*ret->list));
	xfree(w.everything);
	return ret->count ||
	       err_set(err, ERR_CANNOT, "no record of the profile was read: %s",
		       ret->damage);
}

void profile_records_done(struct profile_records *records)
{
	xfree(records->list);
	xfree(records->pcs);
	*records = (struct profile_records){ .list = NULL };
}

bool runtime_labels_empty_records(const struct runtime *rt)
{
	return rt->layout.slot[L_memcycle_alloc_bytes].off < 0;
}
