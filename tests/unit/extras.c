/* SPDX-License-Identifier: Apache-2.0 */
/* What goroutines carry, as a hostile subject may have it: it ends, and says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "limit.h"
#include "pseudo.h"

enum {
	G = PSEUDO_FREE, /* the goroutine's g, never read itself */
	OBJECT = PSEUDO_FREE + 0x1000,
	MAP = PSEUDO_FREE + 0x1100,
	BUCKETS = PSEUDO_FREE + 0x2000,
	OLD_BUCKETS = PSEUDO_FREE + 0x3000,
	TEXTS = PSEUDO_FREE + 0x8000,
	LIST_GO = 24,
	MAP_GO = 23,
	BUCKET = 272,
	WILD = 0x666,
};

static const struct pseudo_func funcs[] = {
	{ "runtime.goexit", 0, PCLNTAB_TOPFRAME },
	{ "runtime.text", 0, 0 },
};

static const struct goroutine goroutine = { .addr = G };

static struct pseudo *carrying(int minor, enum extra_kind kind, uint64_t object)
{
	struct pseudo *p = pseudo_new(minor, funcs, ARRAY_SIZE(funcs));
	struct extra_list *l = &p->rt->extras.kinds[kind];

	GROW(l->list, l->count, l->cap);
	l->list[l->count++] = (struct extra){ G, object };
	return p;
}

static void put_text(struct pseudo *p, uint64_t addr, const char *s)
{
	for (size_t i = 0; i <= strlen(s); i += 8) {
		uint64_t word = 0;
		strncpy((char *)&word, s + i, sizeof(word));
		pseudo_put(p, addr + i, word);
	}
}

static void put_string(struct pseudo *p, uint64_t at, uint64_t addr, uint64_t len)
{
	pseudo_put(p, at, addr);
	pseudo_put(p, at + 8, len);
}

static const struct label_set *labels_of(struct pseudo *p)
{
	extras_capture(p->rt);
	return runtime_labels(p->rt, &goroutine);
}

static struct pseudo *with_list(uint64_t array, uint64_t len)
{
	struct pseudo *p = carrying(LIST_GO, EXTRA_LABELS, OBJECT);

	put_string(p, OBJECT, array, len);
	put_text(p, TEXTS, "beta");
	put_text(p, TEXTS + 8, "alpha");
	put_string(p, BUCKETS, TEXTS, 4);
	put_string(p, BUCKETS + 16, TEXTS + 8, 5);
	put_string(p, BUCKETS + 32, TEXTS + 8, 5);
	put_string(p, BUCKETS + 48, TEXTS, 4);
	return p;
}

static void test_list(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = with_list(BUCKETS, 2);
	const struct label_set *set = labels_of(p);

	(void)state;
	assert_int_equal(set->count, 2);
	assert_int_equal(set->elided, 0);
	assert_int_equal(set->unreadable, 0);
	assert_memory_equal(set->list[0].key.bytes, "alpha", 5);
	assert_memory_equal(set->list[1].value.bytes, "alpha", 5);
	assert_null(runtime_labels(p->rt, &(struct goroutine){ .addr = G + 8 }));
}

static void test_list_hostile(void **state)
{
	AUTO(pseudo_free) struct pseudo *wild = with_list(WILD, 2);
	AUTO(pseudo_free) struct pseudo *huge = with_list(BUCKETS, UINT64_MAX);
	AUTO(pseudo_free) struct pseudo *nowhere = carrying(LIST_GO, EXTRA_LABELS, WILD);
	const struct label_set *set = labels_of(huge);

	(void)state;
	assert_true(labels_of(wild)->unreadable);
	assert_true(labels_of(nowhere)->unreadable);
	assert_int_equal(set->count, LIMIT_LABELS);
	assert_int_equal(set->elided, UINT64_MAX - LIMIT_LABELS);
}

static void test_bad_text(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = with_list(BUCKETS, 2);

	(void)state;
	put_string(p, BUCKETS + 16, WILD, 5);
	put_string(p, BUCKETS + 48, TEXTS, UINT64_MAX);
	const struct label_set *set = labels_of(p);
	assert_int_equal(set->count, 2);
	assert_int_equal(set->list[0].value.len, LIMIT_TEXT_BYTES);
	assert_int_equal(set->list[0].value.elided, UINT64_MAX - LIMIT_TEXT_BYTES);
	assert_true(set->list[1].value.unreadable);
}

static struct pseudo *with_map(uint64_t count, uint64_t bits)
{
	struct pseudo *p = carrying(MAP_GO, EXTRA_LABELS, OBJECT);

	pseudo_put(p, OBJECT, MAP);
	pseudo_field(p, MAP, L_hmap_count, count);
	pseudo_field(p, MAP, L_hmap_b, bits);
	pseudo_field(p, MAP, L_hmap_buckets, BUCKETS);
	put_text(p, TEXTS, "text");
	return p;
}

/* n entries of tophash, each with the one text. */
static void put_bucket(struct pseudo *p, uint64_t at, uint8_t tophash, size_t n,
		       uint64_t overflow)
{
	uint64_t hashes = 0;

	memset(&hashes, tophash, n);
	pseudo_put(p, at, hashes);
	for (size_t i = 0; i < 2 * n; i++)
		put_string(p, at + 8 + 16 * (i % n) + 128 * (i / n), TEXTS, 4);
	pseudo_put(p, at + BUCKET - 8, overflow);
}

static void test_map(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = with_map(9, 1);

	(void)state;
	put_bucket(p, BUCKETS, 5, 2, BUCKETS + 2 * BUCKET);
	put_bucket(p, BUCKETS + BUCKET, 1, 8, 0); /* empty */
	put_bucket(p, BUCKETS + 2 * BUCKET, 0xff, 7, 0);
	const struct label_set *set = labels_of(p);
	assert_int_equal(set->count, 9);
	assert_int_equal(set->elided, 0);
	assert_memory_equal(set->list[8].value.bytes, "text", 4);
}

/* Half of the old buckets were moved; or all of them have as many new ones. */
static void test_map_grows(void **state)
{
	static const struct {
		uint64_t flags;
		size_t count;
	} cases[] = { { 0, 3 }, { 8, 7 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(pseudo_free) struct pseudo *p = with_map(cases[i].count, 2);
		pseudo_field(p, MAP, L_hmap_flags, cases[i].flags);
		pseudo_field(p, MAP, L_hmap_oldbuckets, OLD_BUCKETS);
		put_bucket(p, BUCKETS + BUCKET, 9, 1, 0);
		put_bucket(p, OLD_BUCKETS, 2, 8, 0);
		put_bucket(p, OLD_BUCKETS + BUCKET, 9, 2, 0);
		put_bucket(p, OLD_BUCKETS + 3 * BUCKET, 9, 4, 0);
		assert_int_equal(labels_of(p)->count, cases[i].count);
		assert_int_equal(labels_of(p)->elided, 0);
	}
}

static void test_map_hostile(void **state)
{
	AUTO(pseudo_free) struct pseudo *circle = with_map(1 << 20, 0);
	AUTO(pseudo_free) struct pseudo *empty_circle = with_map(1, 0);
	AUTO(pseudo_free) struct pseudo *huge = with_map(1, 60);
	AUTO(pseudo_free) struct pseudo *wild = with_map(1, 0);
	AUTO(pseudo_free) struct pseudo *nil = with_map(1, 0);

	(void)state;
	put_bucket(circle, BUCKETS, 5, 8, BUCKETS);
	assert_int_equal(labels_of(circle)->count, LIMIT_LABELS);
	assert_int_equal(labels_of(circle)->elided, (1 << 20) - LIMIT_LABELS);
	put_bucket(empty_circle, BUCKETS, 1, 8, BUCKETS);
	assert_int_equal(labels_of(empty_circle)->count, 0);
	assert_int_equal(labels_of(empty_circle)->elided, 1);
	assert_true(labels_of(huge)->unreadable);
	put_bucket(wild, BUCKETS, 5, 1, WILD);
	assert_true(labels_of(wild)->unreadable);
	pseudo_put(nil, OBJECT, 0);
	assert_int_equal(labels_of(nil)->count, 0);
	assert_int_equal(labels_of(nil)->unreadable, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),	  cmocka_unit_test(test_list_hostile),
		cmocka_unit_test(test_bad_text),  cmocka_unit_test(test_map),
		cmocka_unit_test(test_map_grows), cmocka_unit_test(test_map_hostile),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
