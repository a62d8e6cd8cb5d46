/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/pprof/label.go: what g.labels points to is a list of pairs of strings from Go 1.24 on, and a
 * map[string]string before. Up to eight pairs are in the map's first bucket, in the order of their making. */
#include "goruntime/calls/call_labels.h"

#include <string.h>

#include "goruntime/values/map.h"

enum {
	STRING_BYTES = 2 * WORD,
	PAIR_BYTES = 2 * STRING_BYTES,
	MAP_BYTES = 48,		/* runtime/map.go: hmap */
	KEYS_AT = BUCKET_SLOTS, /* in a bucket, behind a byte for each */
	VALUES_AT = KEYS_AT + BUCKET_SLOTS * STRING_BYTES,
	BUCKET_BYTES = VALUES_AT + CALL_LABELS * STRING_BYTES,
};

static void plan_texts(struct call_planner *p, const struct call_place *strings,
		       uint64_t at, size_t n)
{
	struct call_place ignored;

	for (size_t i = 0; i < n; i++)
		(void)call_plan_add(p, strings, at + i * STRING_BYTES,
				    at + i * STRING_BYTES + WORD, 1, CALL_LABEL_MAX,
				    &ignored);
}

static void plan_list(const struct layout *l, struct call_planner *p)
{
	const struct call_place word = { .at = CALL_LABELS_AT, .size = WORD };
	const uint64_t off = (uint64_t)l->slot[L_labels_list].off;
	struct call_place labels, list;

	if (call_plan_add(p, &word, 0, 0, off + STRING_BYTES, off + STRING_BYTES,
			  &labels) &&
	    call_plan_add(p, &labels, off, off + WORD, PAIR_BYTES,
			  CALL_LABELS * PAIR_BYTES, &list))
		plan_texts(p, &list, 0, CALL_LABELS * 2);
}

static void plan_map(const struct layout *l, struct call_planner *p)
{
	const struct call_place word = { .at = CALL_LABELS_AT, .size = WORD };
	struct call_place at, map, bucket;

	if (!call_plan_add(p, &word, 0, 0, WORD, WORD, &at) ||
	    !call_plan_add(p, &at, 0, 0, MAP_BYTES, MAP_BYTES, &map) ||
	    !call_plan_add(p, &map, (uint64_t)l->slot[L_hmap_buckets].off, 0,
			   BUCKET_BYTES, BUCKET_BYTES, &bucket))
		return;
	plan_texts(p, &bucket, KEYS_AT, CALL_LABELS);
	plan_texts(p, &bucket, VALUES_AT, CALL_LABELS);
}

void call_plan_labels(const struct layout *l, struct call_planner *p)
{
	if (!layout_has(l, L_g_labels))
		return;
	if (layout_has(l, L_labels_list))
		plan_list(l, p);
	else if (layout_has(l, L_hmap_buckets))
		plan_map(l, p);
}

static bool read_text(struct target *t, const uint64_t header[2],
		      char ret[CALL_LABEL_MAX], size_t *ret_len, uint64_t *omitted)
{
	struct err ignored;

	*omitted += header[1] < CALL_LABEL_MAX ? 0 : header[1] - CALL_LABEL_MAX;
	*ret_len = header[1] < CALL_LABEL_MAX ? (size_t)header[1] : CALL_LABEL_MAX;
	return target_read(t, header[0], ret, *ret_len, &ignored);
}

static bool read_pair(struct target *t, const uint64_t key[2], const uint64_t value[2],
		      struct call_label *ret)
{
	ret->omitted = 0;
	return read_text(t, key, ret->key, &ret->key_len, &ret->omitted) &&
	       read_text(t, value, ret->value, &ret->value_len, &ret->omitted);
}

static size_t read_list(struct runtime *rt, uint64_t labels,
			struct call_label ret[CALL_LABELS])
{
	struct target *t = rt->target;
	uint64_t header[2], pair[PAIR_BYTES / WORD];
	struct err ignored;
	size_t n = 0;

	if (!target_read(t, labels + (uint64_t)rt->layout.slot[L_labels_list].off, header,
			 sizeof(header), &ignored))
		return 0;
	while (n < CALL_LABELS && n < header[1] &&
	       target_read(t, header[0] + n * sizeof(pair), pair, sizeof(pair),
			   &ignored) &&
	       read_pair(t, pair, pair + 2, &ret[n]))
		n++;
	return n;
}

static size_t read_map(struct runtime *rt, uint64_t labels,
		       struct call_label ret[CALL_LABELS])
{
	const uint64_t buckets_off = (uint64_t)rt->layout.slot[L_hmap_buckets].off;
	struct target *t = rt->target;
	struct {
		uint8_t tophash[BUCKET_SLOTS];
		uint64_t keys[BUCKET_SLOTS][2], values[CALL_LABELS][2];
	} bucket;
	struct err ignored;
	uint64_t at;
	size_t n = 0;

	_Static_assert(sizeof(bucket) == BUCKET_BYTES, "as Go has it in memory");
	if (!target_read_uint(t, labels, WORD, &at, &ignored) ||
	    !target_read_uint(t, at + buckets_off, WORD, &at, &ignored) ||
	    !target_read(t, at, &bucket, sizeof(bucket), &ignored))
		return 0;
	for (size_t i = 0; i < CALL_LABELS; i++)
		if (bucket.tophash[i] >= BUCKET_LIVE_FIRST &&
		    read_pair(t, bucket.keys[i], bucket.values[i], &ret[n]))
			n++;
	return n;
}

size_t call_labels_read(struct runtime *rt, uint64_t labels,
			struct call_label ret[CALL_LABELS])
{
	if (!labels)
		return 0;
	if (layout_has(&rt->layout, L_labels_list))
		return read_list(rt, labels, ret);
	return layout_has(&rt->layout, L_hmap_buckets) ? read_map(rt, labels, ret) : 0;
}
