/* SPDX-License-Identifier: Apache-2.0 */
/* What goroutines carry, as a hostile subject may have it: it ends, and says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/goroutines/extras_priv.h"
#include "goruntime/runtime/go_text_priv.h"
#include "goruntime/types/type_name.h"
#include "lib/base/limit.h"
#include "lib/base/utf8.h"
#include "tests/unit/goruntime/pseudo.h"
#include "tests/unit/unit.h"

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

static const struct goroutine goroutine = { .addr = G, .stack = NO_STACK };

static struct pseudo *carrying(int minor, enum extra_kind kind, uint64_t object)
{
	struct pseudo *p = pseudo_new(minor, funcs, ARRAY_SIZE(funcs));
	struct extra_list *l = &p->rt->extra_lists.kinds[kind];

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
	assert_int_equal(set->omitted, 0);
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
	assert_int_equal(set->omitted, UINT64_MAX - LIMIT_LABELS);
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
	assert_int_equal(set->list[0].value.omitted, UINT64_MAX - LIMIT_TEXT_BYTES);
	assert_true(set->list[1].value.unreadable);
}

/* A text is cut in front of the character that the limit goes through. */
static void test_cut_text(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = with_list(BUCKETS, 1);

	(void)state;
	assert_int_equal(utf8_cut("", 0), 0);
	assert_int_equal(utf8_cut("a\xc3\xa9", 3), 3);
	assert_int_equal(utf8_cut("a\xc3", 2), 1);
	assert_int_equal(utf8_cut("\xe2\x80\x9c", 3), 3);
	assert_int_equal(utf8_cut("\xe2\x80", 2), 0);
	assert_int_equal(utf8_cut("a\xf0\x9f\x8d", 4), 1);
	assert_int_equal(utf8_cut("a\xf0\x9f\x8d\x8e", 5), 5);
	assert_int_equal(utf8_cut("\x80\x80\x80\x80\x80", 5), 5); /* is none anyway */
	for (uint64_t i = 0; i < LIMIT_TEXT_BYTES + 16; i += 8)
		pseudo_put(p, TEXTS + i, UINT64_C(0x61a9c3a9c3a9c361)); /* "aéééa" */
	put_string(p, BUCKETS + 16, TEXTS + 2, LIMIT_TEXT_BYTES + 8);
	put_string(p, BUCKETS, TEXTS + 1, 6);
	const struct label_set *set = labels_of(p);
	assert_int_equal(set->list[0].key.len, 6);
	assert_int_equal(set->list[0].key.omitted, 0);
	assert_int_equal(set->list[0].value.len, LIMIT_TEXT_BYTES - 1);
	assert_int_equal(set->list[0].value.omitted, 9);
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
	assert_int_equal(set->omitted, 0);
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
		assert_int_equal(labels_of(p)->omitted, 0);
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
	assert_int_equal(labels_of(circle)->omitted, (1 << 20) - LIMIT_LABELS);
	put_bucket(empty_circle, BUCKETS, 1, 8, BUCKETS);
	assert_int_equal(labels_of(empty_circle)->count, 0);
	assert_int_equal(labels_of(empty_circle)->omitted, 1);
	assert_true(labels_of(huge)->unreadable);
	put_bucket(wild, BUCKETS, 5, 1, WILD);
	assert_true(labels_of(wild)->unreadable);
	pseudo_put(nil, OBJECT, 0);
	assert_int_equal(labels_of(nil)->count, 0);
	assert_int_equal(labels_of(nil)->unreadable, 0);
}

enum {
	PANIC_GO = 25,
	TYPES = PSEUDO_TYPES,
	INT_TYPE = TYPES + 0x100,
	NAME = 0x800, /* from TYPES */
	VALUE = TEXTS + 0x100,
};

/* A panic at OBJECT of the int 5. */
static struct pseudo *panicking(void)
{
	struct pseudo *p = carrying(PANIC_GO, EXTRA_PANIC, OBJECT);

	pseudo_field(p, INT_TYPE, L_type_kind, KIND_INT);
	pseudo_field(p, INT_TYPE, L_type_str, NAME);
	put_text(p, TYPES + NAME, "\1\3int");
	pseudo_put(p, VALUE, 5);
	put_string(p, OBJECT + (uint64_t)p->rt->layout.slot[L_panic_arg].off, INT_TYPE,
		   VALUE);
	return p;
}

static const struct panic_list *panics_of(struct pseudo *p)
{
	extras_capture(p->rt);
	return runtime_panics(p->rt, &goroutine);
}

static void assert_words(const struct go_text *text, const char *words)
{
	assert_int_equal(text->len, strlen(words));
	assert_memory_equal(text->bytes, words, text->len);
}

static void test_panic(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = panicking();
	const struct panic_list *l = panics_of(p);

	(void)state;
	assert_int_equal(l->count, 1);
	assert_int_equal(l->unreadable, 0);
	assert_words(&l->list[0].type, "int");
	assert_words(&l->list[0].printed, "5");
	assert_null(runtime_panics(p->rt, &(struct goroutine){ .addr = G + 8 }));
}

/* The length of a name: two bytes up to Go 1.16; the first letter may not count. */
static void test_type_names(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = panicking();
	uint64_t old_form;

	(void)state;
	memcpy(&old_form, "\1\0\4*int", sizeof(old_form));
	pseudo_put(p, TYPES + NAME, old_form);
	assert_words(&panics_of(p)->list[0].type, "*int");
	pseudo_field(p, INT_TYPE, L_type_tflag, 2);
	assert_words(&panics_of(p)->list[0].type, "int");
}

static void test_panics_hostile(void **state)
{
	static const struct {
		enum layout_slot slot;
		uint64_t value;
	} cases[] = {
		{ L_type_str, 0xfffffffd },
		{ L_type_str, 0x900 }, /* all zeros */
		{ L_type_kind, KIND_STRING },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(pseudo_free) struct pseudo *p = panicking();
		pseudo_field(p, INT_TYPE, cases[i].slot, cases[i].value);
		pseudo_put(p, VALUE, WILD);
		pseudo_put(p, VALUE + 8, 16);
		assert_int_equal(panics_of(p)->count, 1);
		assert_true(panics_of(p)->list[0].unreadable);
	}
}

static void test_panic_chain(void **state)
{
	AUTO(pseudo_free) struct pseudo *circle = panicking();
	AUTO(pseudo_free) struct pseudo *wild = panicking();

	(void)state;
	pseudo_field(circle, OBJECT, L_panic_link, OBJECT);
	assert_int_equal(panics_of(circle)->count, LIMIT_PANICS);
	assert_true(panics_of(circle)->unreadable);
	pseudo_field(wild, OBJECT, L_panic_link, WILD);
	assert_int_equal(panics_of(wild)->count, 1);
	assert_true(panics_of(wild)->unreadable);
}

enum {
	DEFER_GO = 24,
	CLOSURE = TEXTS + 0x200,
	HEAD = TEXTS + 0x300,
	INNER = TEXTS + 0x400,
};

/* A record at OBJECT of runtime.goexit, linked to next. */
static struct pseudo *deferring(uint64_t next)
{
	struct pseudo *p = carrying(DEFER_GO, EXTRA_DEFER, OBJECT);

	pseudo_field(p, OBJECT, L_defer_fn, CLOSURE);
	pseudo_field(p, OBJECT, L_defer_link, next);
	pseudo_put(p, CLOSURE, pseudo_pc(p, "runtime.goexit", 0));
	return p;
}

static const struct defer_list *defers_of(struct pseudo *p)
{
	static const struct goroutine parked = { .addr = G, .stack = NO_STACK };

	extras_capture(p->rt);
	return runtime_defers(p->rt, &parked);
}

static void test_defers(void **state)
{
	AUTO(pseudo_free) struct pseudo *one = deferring(0);
	AUTO(pseudo_free) struct pseudo *circle = deferring(OBJECT);
	AUTO(pseudo_free) struct pseudo *wild = deferring(WILD);

	(void)state;
	assert_int_equal(defers_of(one)->count, 1);
	assert_int_equal(defers_of(one)->list[0].function,
			 pseudo_pc(one, "runtime.goexit", 0));
	assert_int_equal(defers_of(one)->list[0].frame, -1);
	assert_int_equal(defers_of(circle)->count, LIMIT_DEFERS);
	assert_true(defers_of(circle)->unreadable);
	assert_int_equal(defers_of(wild)->count, 1);
	assert_true(defers_of(wild)->unreadable);
}

static void test_defers_bad_function(void **state)
{
	static const uint64_t closures[] = { 0, WILD, TEXTS + 0x600 /* no pc */ };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(closures); i++) {
		AUTO(pseudo_free) struct pseudo *p = deferring(0);
		pseudo_field(p, OBJECT, L_defer_fn, closures[i]);
		assert_int_equal(defers_of(p)->count, 1);
		assert_int_equal(defers_of(p)->list[0].function, 0);
		assert_true(defers_of(p)->list[0].unreadable);
	}
}

/* A loop over a function: one call, a circle, a list that is nowhere, one that is closed. */
static void test_defers_of_loop(void **state)
{
	static const struct {
		uint64_t inner_link, head;
		size_t count;
		bool unreadable;
	} cases[] = {
		{ 1, INNER, 1, false },
		{ INNER, INNER, LIMIT_DEFERS - 1, true },
		{ 0, WILD, 0, true },
		{ 0, 1, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(pseudo_free) struct pseudo *p = deferring(0);
		pseudo_field(p, OBJECT, L_defer_rangefunc, 1);
		pseudo_field(p, OBJECT, L_defer_head, HEAD);
		pseudo_put(p, HEAD, cases[i].head);
		pseudo_field(p, INNER, L_defer_fn, CLOSURE);
		pseudo_field(p, INNER, L_defer_link, cases[i].inner_link);
		const struct defer_list *l = defers_of(p);
		assert_int_equal(l ? l->count : 0, cases[i].count);
		assert_int_equal(l && l->unreadable, cases[i].unreadable);
	}
}

enum {
	BUBBLE_GO = 25,
	ANCESTOR_GO = 24,
	ANCESTORS = BUCKETS,
	PCS = OLD_BUCKETS,
};

static void test_bubble(void **state)
{
	AUTO(pseudo_free) struct pseudo *p = carrying(BUBBLE_GO, EXTRA_BUBBLE, OBJECT);
	AUTO(pseudo_free) struct pseudo *wild = carrying(BUBBLE_GO, EXTRA_BUBBLE, WILD);
	struct bubble b;

	(void)state;
	pseudo_field(p, OBJECT, L_bubble_id, 7);
	pseudo_field(p, OBJECT, L_bubble_root, WILD);
	extras_capture(p->rt);
	assert_true(runtime_bubble(p->rt, &goroutine, &b));
	assert_true(b.has_id && b.has_now && b.has_total && b.has_running);
	assert_int_equal(b.id, 7);
	assert_int_equal(b.root, 0);
	extras_capture(wild->rt);
	assert_true(runtime_bubble(wild->rt, &goroutine, &b));
	assert_false(b.has_id || b.has_now || b.has_total || b.has_running);
	assert_true(b.unreadable);
	assert_false(runtime_bubble(p->rt, &(struct goroutine){ .addr = G + 8 }, &b));
}

/* n ancestors, the first of which was in as many calls as pcs says. */
static struct pseudo *descending(uint64_t n, uint64_t pcs)
{
	struct pseudo *p = carrying(ANCESTOR_GO, EXTRA_ANCESTORS, OBJECT);

	put_string(p, OBJECT, ANCESTORS, n);
	pseudo_field(p, ANCESTORS, L_ancestor_goid, 5);
	put_string(p, ANCESTORS + (uint64_t)p->rt->layout.slot[L_ancestor_pcs].off, PCS,
		   pcs);
	pseudo_put(p, PCS, pseudo_pc(p, "runtime.text", 1));
	pseudo_put(p, PCS + 8, pseudo_pc(p, "runtime.goexit", 1));
	return p;
}

static const struct ancestor_list *ancestors_of(struct pseudo *p)
{
	extras_capture(p->rt);
	return runtime_ancestors(p->rt, &goroutine);
}

static void test_ancestors(void **state)
{
	AUTO(pseudo_free) struct pseudo *two = descending(1, 2);
	AUTO(pseudo_free) struct pseudo *cut = descending(1, 1);
	AUTO(pseudo_free) struct pseudo *huge = descending(UINT64_MAX, UINT64_MAX);
	AUTO(pseudo_free) struct pseudo *wild = descending(1, 1);
	const struct ancestor_list *l = ancestors_of(two);

	(void)state;
	assert_int_equal(l->count, 1);
	assert_int_equal(l->list[0].id, 5);
	assert_int_equal(l->list[0].pc_count, 2);
	assert_false(l->list[0].truncated);
	assert_true(ancestors_of(cut)->list[0].truncated);
	l = ancestors_of(huge);
	assert_int_equal(l->count, LIMIT_ANCESTORS);
	assert_int_equal(l->omitted, UINT64_MAX - LIMIT_ANCESTORS);
	assert_int_equal(l->list[0].pc_count, ANCESTOR_PCS);
	put_string(wild, OBJECT, WILD, 1);
	assert_int_equal(ancestors_of(wild)->count, 0);
	assert_true(ancestors_of(wild)->unreadable);
}

/* Addresses of each other, lengths and nonsense, where all that a goroutine carries lies. */
static uint64_t random_word(const struct pseudo *p)
{
	const uint64_t words[] = {
		0,
		(uint64_t)rand() % 16,
		~UINT64_C(0) - (uint64_t)rand() % 64,
		UINT64_C(1) << rand() % 64,
		WILD,
		INT_TYPE,
		PSEUDO_STACK + (uint64_t)rand() % PSEUDO_STACK_SIZE,
		pseudo_pc(p, "runtime.goexit", 1),
		OBJECT + (uint64_t)rand() % 64 * 8,
		OBJECT + (uint64_t)rand() % 0x1000 * 8,
		TYPES + (uint64_t)rand() % 0x1000,
		TEXTS + (uint64_t)rand() % 0x100,
	};
	return words[(size_t)rand() % ARRAY_SIZE(words)];
}

static struct pseudo *carrying_anything(int minor)
{
	struct pseudo *p = carrying(minor, EXTRA_LABELS, OBJECT + 8);

	for (int kind = EXTRA_LABELS + 1; kind < EXTRA_KINDS; kind++) {
		struct extra_list *l = &p->rt->extra_lists.kinds[kind];
		GROW(l->list, l->count, l->cap);
		l->list[l->count++] =
			(struct extra){ G, OBJECT + (uint64_t)rand() % 64 * 8 };
	}
	for (size_t i = 0; i < 0x100; i++)
		pseudo_put(p, OBJECT + i * 8, random_word(p));
	for (size_t i = 0; i < 0x1000; i++)
		pseudo_put(p, OBJECT + (uint64_t)rand() % 0x8000, random_word(p));
	for (size_t i = 0; i < 0x100; i++)
		pseudo_put(p, TYPES + (uint64_t)rand() % 0xff8, random_word(p));
	put_text(p, TYPES + NAME, "\1\3int");
	for (int i = rand() % 3; i-- > 0;)
		pseudo_field(p, INT_TYPE, L_type_kind, (uint64_t)rand() % 32);
	pseudo_field(p, INT_TYPE, L_type_str, rand() % 2 ? NAME : (uint64_t)rand());
	return p;
}

static void test_random(void **state)
{
	static const int minors[] = { 15, 18, 21, 23, 24, 25, 27 };
	struct bubble b;

	(void)state;
	srand(1);
	for (size_t round = 0; round < 700; round++) {
		AUTO(pseudo_free)
		struct pseudo *p = carrying_anything(minors[round % ARRAY_SIZE(minors)]);
		const struct label_set *labels = labels_of(p);
		assert_true(labels->count <= LIMIT_LABELS);
		const struct panic_list *panics = runtime_panics(p->rt, &goroutine);
		assert_true(!panics || panics->count <= LIMIT_PANICS);
		const struct defer_list *defers = defers_of(p);
		assert_true(!defers || defers->count <= LIMIT_DEFERS);
		const struct ancestor_list *l = runtime_ancestors(p->rt, &goroutine);
		assert_true(!l || l->count <= LIMIT_ANCESTORS);
		assert_true(runtime_bubble(p->rt, &goroutine, &b));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_list_hostile),
		cmocka_unit_test(test_bad_text),
		cmocka_unit_test(test_cut_text),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_map_grows),
		cmocka_unit_test(test_map_hostile),
		cmocka_unit_test(test_panic),
		cmocka_unit_test(test_type_names),
		cmocka_unit_test(test_panics_hostile),
		cmocka_unit_test(test_panic_chain),
		cmocka_unit_test(test_defers),
		cmocka_unit_test(test_defers_bad_function),
		cmocka_unit_test(test_defers_of_loop),
		cmocka_unit_test(test_bubble),
		cmocka_unit_test(test_ancestors),
		cmocka_unit_test(test_random),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
