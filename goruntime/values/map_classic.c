/* SPDX-License-Identifier: Apache-2.0 */
/* Maps up to Go 1.23: runtime/map.go. Chained buckets of eight slots. While a map grows,
 * buckets not yet moved are among the old ones. */
#include <inttypes.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/values/map.h"
#include "goruntime/values/values.h"

enum {
	B_MAX = 40,
};

struct bucket_form {
	uint64_t tops, keys, key_stride, elems, elem_stride, overflow, size;
};

static const struct type_field *array_of(const struct type *type, const char *name,
					 uint64_t *ret_off, uint64_t *ret_stride)
{
	const struct type_field *f = type_field_named(type, name);
	const struct type *of = f && f->type ? type_elem(f->type) : NULL;

	if (!of)
		return NULL;
	*ret_off = f->off;
	*ret_stride = type_size(of);
	return f;
}

static const struct type *bucket_of(const struct type *header)
{
	const struct type_field *buckets = type_field_named(header, "buckets");

	return buckets && buckets->type ? type_elem(buckets->type) : NULL;
}

/* Bucket types made by reflect have no fields, but all have the same layout: nothing in
 * them has stricter alignment than a pointer (runtime/map.go bmap, reflect/type.go
 * bucketOf, 1.23). */
static void compute_form(const struct map_walk *w, struct bucket_form *ret)
{
	const uint64_t pointer = sizeof(uint64_t);

	ret->tops = 0;
	ret->keys = BUCKET_SLOTS;
	ret->key_stride = map_is_indirect(w->key) ? pointer : type_size(w->key);
	ret->elems = ret->keys + BUCKET_SLOTS * ret->key_stride;
	ret->elem_stride = map_is_indirect(w->elem) ? pointer : type_size(w->elem);
	ret->overflow = ret->elems + BUCKET_SLOTS * ret->elem_stride;
	ret->size = ret->overflow + pointer;
}

static bool read_form(const struct map_walk *w, struct bucket_form *ret)
{
	const struct type *bucket = bucket_of(w->header);
	uint64_t one;

	if (!bucket)
		return false;
	const struct type_field *overflow = type_field_named(bucket, "overflow");
	ret->size = type_size(bucket);
	ret->overflow = overflow ? overflow->off : 0;
	return overflow && array_of(bucket, "tophash", &ret->tops, &one) &&
	       array_of(bucket, "keys", &ret->keys, &ret->key_stride) &&
	       array_of(bucket, "values", &ret->elems, &ret->elem_stride);
}

static bool read_tops(struct map_walk *w, const struct bucket_form *form, uint64_t bucket,
		      uint8_t tops[BUCKET_SLOTS], struct err *err)
{
	target_found_in(w->rt->target, bucket, form->size);
	return target_read(w->rt->target, bucket + form->tops, tops, BUCKET_SLOTS, err);
}

/* Visits a bucket and the ones chained to it. */
static bool each_slot(struct map_walk *w, const struct bucket_form *form, uint64_t bucket,
		      struct err *err)
{
	uint8_t tops[BUCKET_SLOTS];

	while (bucket && !w->over) {
		if (!map_count(w, err) || !read_tops(w, form, bucket, tops, err))
			return false;
		for (unsigned i = 0; i < BUCKET_SLOTS && !w->over; i++)
			if (tops[i] >= BUCKET_LIVE_FIRST &&
			    !map_entry(w, bucket + form->keys + i * form->key_stride,
				       bucket + form->elems + i * form->elem_stride, err))
				return false;
		if (!value_words(w->rt, bucket + form->overflow, &bucket, 1, err))
			return false;
	}
	return true;
}

static bool is_evacuated(struct map_walk *w, const struct bucket_form *form,
			 uint64_t bucket, bool *ret, struct err *err)
{
	uint8_t tops[BUCKET_SLOTS];

	if (!read_tops(w, form, bucket, tops, err))
		return false;
	*ret = tops[0] >= BUCKET_EVACUATED_FIRST && tops[0] <= BUCKET_EVACUATED_LAST;
	return true;
}

struct classic {
	uint64_t buckets, old_buckets, b, flags;
	struct bucket_form form;
};

/* While a map grows, there are half as many, or as many, old ones. */
static bool has_old(const struct classic *m, uint64_t i)
{
	const uint64_t n = UINT64_C(1) << m->b;

	return m->old_buckets && i < (m->flags & BUCKETS_SAME_SIZE ? n : n / 2);
}

static bool each_of_old(struct map_walk *w, const struct classic *m, uint64_t i,
			struct err *err)
{
	const uint64_t bucket = m->old_buckets + i * m->form.size;
	bool evacuated;

	return map_count(w, err) && is_evacuated(w, &m->form, bucket, &evacuated, err) &&
	       (evacuated || each_slot(w, &m->form, bucket, err));
}

static bool read_header(const struct map_walk *w, struct classic *m, struct err *err)
{
	if (!w->header)
		return value_by_layout(w->rt, L_hmap_buckets, w->addr, &m->buckets,
				       err) &&
		       value_by_layout(w->rt, L_hmap_oldbuckets, w->addr, &m->old_buckets,
				       err) &&
		       value_by_layout(w->rt, L_hmap_b, w->addr, &m->b, err) &&
		       value_by_layout(w->rt, L_hmap_flags, w->addr, &m->flags, err);
	return value_number(w->rt, w->header, w->addr, "buckets", &m->buckets, err) &&
	       value_number(w->rt, w->header, w->addr, "oldbuckets", &m->old_buckets,
			    err) &&
	       value_number(w->rt, w->header, w->addr, "B", &m->b, err) &&
	       value_number(w->rt, w->header, w->addr, "flags", &m->flags, err);
}

bool map_classic_each(struct map_walk *w, struct err *err)
{
	struct classic m;

	if (!w->header)
		compute_form(w, &m.form);
	else if (!read_form(w, &m.form))
		return err_set(err, ERR_UNSUPPORTED, "unknown map layout");
	if (!read_header(w, &m, err))
		return false;
	if (m.b > B_MAX)
		return err_set(err, ERR_BAD_DATA, "invalid map: 2^%" PRIu64 " buckets",
			       m.b);
	/* A map grows before a bucket has more than eight entries on average. */
	if (!map_fits(w, (uint64_t)BUCKET_SLOTS << m.b, err))
		return false;
	/* New buckets whose old bucket has not been moved are still empty. */
	for (uint64_t i = 0; m.buckets && i < UINT64_C(1) << m.b && !w->over; i++)
		if ((has_old(&m, i) && !each_of_old(w, &m, i, err)) ||
		    (!w->over &&
		     !each_slot(w, &m.form, m.buckets + i * m.form.size, err)))
			return false;
	return true;
}
