/* SPDX-License-Identifier: Apache-2.0 */
/* Which fatal error is in the ring of what the runtime printed last. */
#include "goruntime/fault/fault_backlog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "goruntime/goroutines/panic_message.h"
#include "tests/unit/unit.h"

enum { FIRST = 24, AROUND = FIRST + BACKLOG_BYTES + BACKLOG_ALIGNMENT };

/* Variables at ADDR, the ring at ADDR + FIRST. */
#define ADDR (UINT64_C(0xc0de00) + BACKLOG_ALIGNMENT - FIRST)

typedef bool finding(const char *text, size_t len, struct panic_message *w);

/* expected NULL: nothing is found. */
static void expect(bool found, const struct panic_message *w, const char *text,
		   const char *expected)
{
	if (found != (expected != NULL))
		fail_msg("%s: found %d", text, found);
	assert_int_equal(w->len, expected ? strlen(expected) : 0);
	if (expected)
		assert_memory_equal(w->bytes, expected, w->len);
}

/* text is what was printed last, or all that was printed. */
static void look(finding *find, const char *text, const char *expected)
{
	struct panic_message w = { .len = 0 };
	char ring[BACKLOG_BYTES] = "";
	const size_t len = strlen(text);

	memcpy(ring + sizeof(ring) - len, text, len);
	expect(find(ring, sizeof(ring), &w), &w, text, expected);
}

static void test_last(void **state)
{
	static const char *const cases[][2] = {
		{ "fatal error: asleep\n", "fatal error: asleep\n" },
		{ "a line\nfatal error: asleep\n", "fatal error: asleep\n" },
		{ "runtime: why\nfatal error: asleep\n",
		  "runtime: why\nfatal error: asleep\n" },
		{ "a line\nruntime: one\nunexpected fault address 0x7\nfatal error: "
		  "fault\n",
		  "runtime: one\nunexpected fault address 0x7\nfatal error: fault\n" },
		{ "runtime: one\na line\nfatal error: asleep\n",
		  "fatal error: asleep\n" },
		{ "fatal error: one\n\tindented\n", "fatal error: one\n\tindented\n" },
		{ "fatal error: one\nfatal error: ", "fatal error: one\n" },
		{ "fatal error: one\nfatal error: t", "fatal error: one\n" },
		{ "fatal error: one\nfatal error: two\n", "fatal error: two\n" },
		{ "fatal error: x\n", "fatal error: x\n" },
		{ "fatal error: \n", NULL },
		{ "fatal error: one", NULL },
		{ "fatal error: one\na line\n", NULL },
		{ "a line\n", NULL },
		{ "", NULL },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		look(backlog_fatal_error, cases[i][0], cases[i][1]);
}

static void test_interleaved(void **state)
{
	static const char *const cases[][2] = {
		{ "fatal error: fatal error: mapmap\n\n", "fatal error: map\n" },
		{ "fatal error: mapfatal error: map\n\n", "fatal error: map\n" },
		{ "fatal error: map\nfatal error: map\n", "fatal error: map\n" },
		{ "fatal error: fatal error: fatal error: map\nmap\n",
		  "fatal error: map\n" },
		{ "fatal error: fatal error: other\n", "fatal error: other\n" },
		{ "fatal error: fatal error: onetwo\n", "fatal error: onetwo\n" },
		{ "fatal error: fatal error: aaab\n", "fatal error: aaab\n" },
		{ "fatal error: aa\n", "fatal error: aa\n" },
		{ "runtime: why\nfatal error: fatal error: mapmap\n",
		  "runtime: why\nfatal error: map\n" },
		{ "fatal error: fatal error: \n", NULL },
		{ "fatal error: fatal error: ma\tp\n", NULL },
		{ "mapmap\n\n", NULL },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		look(backlog_interleaved, cases[i][0], cases[i][1]);
}

/* The rest of a ring that is not full is zero. */
static void test_zero_behind(void **state)
{
	static const char text[] = "fatal error: fatal error: mapmap\n";
	struct panic_message w = { .len = 0 };
	(void)state;
	expect(backlog_interleaved(text, sizeof(text), &w), &w, text, NULL);
}

/* Fills the ring, so that text ends at index. */
static void fill(char bytes[AROUND], const char *text, size_t index)
{
	const size_t len = strlen(text);

	memset(bytes, 0, AROUND);
	memset(bytes + FIRST, 'x', BACKLOG_BYTES);
	for (size_t i = 0; i < len; i++)
		bytes[FIRST + (index + BACKLOG_BYTES - len + i) % BACKLOG_BYTES] =
			text[i];
}

static void search(const char *bytes, size_t len, const char *expected)
{
	struct panic_message w = { .len = 0 };

	expect(backlog_search((const uint8_t *)bytes, ADDR, len, &w), &w, "memory",
	       expected);
}

static void test_full(void **state)
{
	static const size_t at[] = { 0, 1, 9, 20, 40, 300, BACKLOG_BYTES - 1 };
	char bytes[AROUND];
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		fill(bytes, "\nruntime: why\nfatal error: one\n", at[i]);
		search(bytes, sizeof(bytes), "runtime: why\nfatal error: one\n");
	}
	fill(bytes, "\na line\n", 100);
	search(bytes, sizeof(bytes), NULL);
	/* The search reads no byte behind the memory. */
	fill(bytes, "\nfatal error: one\n", 9);
	search(bytes, FIRST + BACKLOG_BYTES + 1, "fatal error: one\n");
	search(bytes, FIRST + BACKLOG_BYTES, NULL);
	/* Only a ring can have an error that begins at its end and goes on at its begin. */
	fill(bytes, "\nfatal error: one\n", 9);
	bytes[FIRST - 1] = 'x';
	search(bytes, sizeof(bytes), NULL);
	fill(bytes, "\nfatal error: one\n", 9);
	bytes[FIRST + BACKLOG_BYTES] = 'x';
	search(bytes, sizeof(bytes), NULL);
	fill(bytes, "\nfatal error: one\n", 9);
	bytes[FIRST + BACKLOG_BYTES / 2] = '\0';
	search(bytes, sizeof(bytes), NULL);
}

static void test_part(void **state)
{
	char bytes[4 * AROUND] = "";
	(void)state;
	strcpy(bytes + 100, "runtime: why\nfatal error: one\n");
	search(bytes, sizeof(bytes), "runtime: why\nfatal error: one\n");
	strcpy(bytes + 100, "fatal error: one\nan older line\n");
	search(bytes, sizeof(bytes), "fatal error: one\n");
	strcpy(bytes + 100, "fatal error: one\n\tindented\n");
	search(bytes, sizeof(bytes), "fatal error: one\n\tindented\n");
	strcpy(bytes + 300, "fatal error: two\n");
	search(bytes, sizeof(bytes), NULL); /* one of them is older */
	memset(bytes, 0, sizeof(bytes));
	strcpy(bytes + 100, "fatal error: one");
	search(bytes, sizeof(bytes), NULL);
	/* Longer than the ring. */
	memset(bytes, 0, sizeof(bytes));
	memset(bytes + 100, 'x', BACKLOG_BYTES);
	memcpy(bytes + 100, BACKLOG_ERROR, strlen(BACKLOG_ERROR));
	bytes[100 + BACKLOG_BYTES] = '\n';
	search(bytes, sizeof(bytes), NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last),	    cmocka_unit_test(test_interleaved),
		cmocka_unit_test(test_zero_behind), cmocka_unit_test(test_full),
		cmocka_unit_test(test_part),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
