/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/reader_inline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/document/sink.h"
#include "tests/unit/unit.h"

#define HEAD "\"format\":\"gosnap\",\"version\":1,"
#define POINTER(to, object) "{\"to\":\"0x" #to "\",\"object\":" #object "}"

static int file_of(const char *text, size_t len)
{
	int fd = memfd_create("document", 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* Without the line breaks; free it. */
static char *contents(int fd)
{
	struct stat st;
	size_t len = 0;
	assert_int_equal(fstat(fd, &st), 0);
	char *text = xcalloc((size_t)st.st_size + 1, 1);
	assert_int_equal(pread(fd, text, (size_t)st.st_size, 0), st.st_size);
	for (const char *c = text; *c; c++)
		if (*c != '\n')
			text[len++] = *c;
	text[len] = '\0';
	return text;
}

/* What inline_write() makes of a document. NULL: nothing that is whole. */
static char *inlined(const char *document, unsigned depth)
{
	struct err err = { .code = ERR_NONE };
	AUTO(reader_close)
	struct reader *r = reader_open_fd(file_of(document, strlen(document)), "x", &err);
	int fd = memfd_create("inlined", 0);
	assert_non_null(r);
	AUTO(sink_free) struct sink *out = sink_json_new(fd, false);
	bool whole = inline_write(r, depth, out, &err);
	assert_true(!whole || sink_finish(out, NULL, &err));
	char *text = whole ? contents(fd) : NULL;
	close(fd);
	return text;
}

static void assert_inlined(const char *members, unsigned depth, const char *expected)
{
	AUTO(xfree) char *document = NULL, *wanted = NULL;
	document = xasprintf("{" HEAD "%s,\"end\":{}}", members);
	wanted = xasprintf("{" HEAD "%s,\"end\":{}}", expected);
	AUTO(xfree) char *text = inlined(document, depth);
	assert_non_null(text);
	assert_string_equal(text, wanted);
}

#define TWO_OBJECTS "\"objects\":[{\"next\":" POINTER(2, 1) "},{\"value\":7}]"

static void test_depth(void **state)
{
	const char *members = "\"goroutines\":[" POINTER(1, 0) "]," TWO_OBJECTS;
	(void)state;
	assert_inlined(members, 0, members);
	assert_inlined(members, 1,
		       "\"goroutines\":[{\"to\":\"0x1\",\"object\":0,\"target\":"
		       "{\"next\":" POINTER(2, 1) "}}]");
	assert_inlined(members, 2,
		       "\"goroutines\":[{\"to\":\"0x1\",\"object\":0,\"target\":"
		       "{\"next\":{\"to\":\"0x2\",\"object\":1,\"target\":"
		       "{\"value\":7}}}}]");
}

/* Where it is referred to first. */
static void test_once(void **state)
{
	(void)state;
	assert_inlined(
		"\"goroutines\":[{\"a\":" POINTER(1, 0) ",\"b\":" POINTER(
			2, 1) "}]," TWO_OBJECTS,
		3,
		"\"goroutines\":[{\"a\":{\"to\":\"0x1\",\"object\":0,\"target\":"
		"{\"next\":{\"to\":\"0x2\",\"object\":1,\"target\":{\"value\":7}}}},"
		"\"b\":{\"to\":\"0x2\",\"object\":1,\"seen\":\"0x2\"}}]");
	assert_inlined(
		"\"goroutines\":[" POINTER(1, 0) "],\"objects\":[" POINTER(1, 0) "]", 9,
		"\"goroutines\":[{\"to\":\"0x1\",\"object\":0,\"target\":"
		"{\"to\":\"0x1\",\"object\":0,\"seen\":\"0x1\"}}]");
}

static void test_contents(void **state)
{
	(void)state;
	assert_inlined("\"globals\":[{\"kind\":\"map\",\"to\":\"0x1\",\"object\":0}],"
		       "\"objects\":[{\"kind\":\"map\",\"len\":1,\"entries\":[]}]",
		       1,
		       "\"globals\":[{\"kind\":\"map\",\"to\":\"0x1\",\"object\":0,"
		       "\"len\":1,\"entries\":[]}]");
}

static void test_elsewhere(void **state)
{
	const char *nobody[] = { POINTER(1, 2), POINTER(1, -1),
				 "{\"to\":\"0x1\",\"object\":\"0\"}", "{\"object\":0}" };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nobody); i++) {
		AUTO(xfree) char *members = NULL, *expected = NULL;
		expected = xasprintf("\"goroutines\":[%s]", nobody[i]);
		members = xasprintf("%s," TWO_OBJECTS, expected);
		assert_inlined(members, 3, expected);
	}
}

/* Once there is no more room, they stay references, and are not said to be seen. */
static void test_room(void **state)
{
	enum { LARGE = 700 << 10 };
	AUTO(xfree) char *filler = xmalloc(LARGE + 1), *document = NULL;
	(void)state;
	memset(filler, 'x', LARGE);
	filler[LARGE] = '\0';
	document = xasprintf("{" HEAD
			     "\"goroutines\":[{\"a\":%s,\"b\":%s,\"c\":%s,\"d\":%s}],"
			     "\"objects\":[{\"x\":\"%s\"},{\"x\":\"%s\"},"
			     "{\"value\":7}],\"end\":{}}",
			     POINTER(1, 0), POINTER(2, 1), POINTER(3, 2), POINTER(3, 2),
			     filler, filler);
	AUTO(xfree) char *text = inlined(document, 9);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"c\":" POINTER(3, 2) ",\"d\":" POINTER(3, 2)));
	assert_true(strlen(text) > (size_t)2 * LARGE);
}

/* An object that is a reference itself, of a kind whose members go into the value. */
static void test_chain_of_contents(void **state)
{
#define MAP(object) "{\"kind\":\"map\",\"to\":\"0x2\",\"object\":" #object "}"
	const char *members =
		"\"goroutines\":[" MAP(0) "],\"objects\":[" MAP(1) ",{\"len\":1}]";
	(void)state;
	assert_inlined(members, 5,
		       "\"goroutines\":[{\"kind\":\"map\",\"to\":\"0x2\",\"object\":0,"
		       "\"len\":1}]");
}

static void test_every_cut(void **state)
{
	const char *document =
		"{" HEAD "\"goroutines\":[" POINTER(1, 0) "]," TWO_OBJECTS ",\"end\":{}}";
	const size_t len = strlen(document);
	(void)state;
	for (size_t i = sizeof("{" HEAD); i < len; i++) {
		char part[512];
		snprintf(part, sizeof(part), "%.*s", (int)i, document);
		assert_null(inlined(part, 3));
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_chain_of_contents),
		cmocka_unit_test(test_every_cut),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
