/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/document/sink.h"
#include "tests/unit/unit.h"

#define HEAD "{\"format\":\"gosnap\",\"version\":1"

static int file_of(const char *text, size_t len)
{
	int fd = memfd_create("document", 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* What a walk over a document calls: "member[index] " each, in order. */
struct calls {
	char text[4096];
	size_t limit;
};

static bool note_call(void *arg, const char *member, size_t index,
		      const struct reader_node *node)
{
	struct calls *calls = arg;
	size_t len = strlen(calls->text);
	assert_non_null(node);
	if (len < 1000)
		snprintf(calls->text + len, sizeof(calls->text) - len, "%s[%zu] ", member,
			 index);
	return calls->limit == 0 || --calls->limit > 0;
}

static void assert_calls(const char *document, const char *expected, const char *sentence)
{
	struct calls calls = { .limit = 0 };
	struct err err = { .code = ERR_NONE };
	AUTO(reader_close)
	struct reader *r = reader_open_fd(file_of(document, strlen(document)), "x", &err);
	if (!r) {
		assert_string_equal(err.text, sentence);
		assert_null(expected);
		return;
	}
	/* Twice: each walk starts from the beginning. */
	for (int i = 0; i < 2; i++) {
		bool whole;
		calls.text[0] = '\0';
		whole = reader_each(r, note_call, &calls, &err);
		assert_string_equal(whole ? "" : err.text, sentence ? sentence : "");
		assert_true(whole || err.code == ERR_BAD_DATA);
		assert_string_equal(calls.text, expected);
	}
}

static void test_walks(void **state)
{
	(void)state;
	assert_calls(HEAD ",\"groups\":[],\"end\":{}}", "format[0] version[0] end[0] ",
		     NULL);
	assert_calls(" " HEAD
		     " ,\n\"a\" : [ 1 , \"]\\\"}\" , [ { } ] ] , \"end\" : null } \n",
		     "format[0] version[0] a[0] a[1] a[2] end[0] ", NULL);
	assert_calls(HEAD ",\"\\u0067o\":{\"x\":[1]},\"end\":1 }",
		     "format[0] version[0] go[0] end[0] ", NULL);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *document, *sentence;
	} cases[] = {
		{ "", "x: empty" },
		{ "hello",
		  "x: not a snapshot: it does not begin with \"format\": \"gosnap\"" },
		{ "[1]",
		  "x: not a snapshot: it does not begin with \"format\": \"gosnap\"" },
		{ "{}",
		  "x: not a snapshot: it does not begin with \"format\": \"gosnap\"" },
		{ "{\"format\":\"pprof\",\"version\":1}",
		  "x: not a snapshot: it does not begin with \"format\": \"gosnap\"" },
		{ "{\"format\":\"gosnap\",\"version\":2,\"x\":1}",
		  "x: format version 2, but this gosnap reads version 1: use a newer "
		  "gosnap" },
		{ "{\"format\":\"gosnap\",\"version\":\"1\"}",
		  "x: unknown format version" },
		{ "{\"format\":\"gosnap\"}", "x: incomplete: \"end\" is missing" },
		{ "{\"format\":\"gosnap\",\"ver", "x: truncated after \"format\"" },
		{ "{\"format\":\"gosnap\",\"version\":1", "x: truncated in \"version\"" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_calls(cases[i].document, NULL, cases[i].sentence);
}

static void test_damage(void **state)
{
	static const struct {
		const char *rest, *calls, *sentence;
	} cases[] = {
		{ ",", "", "x: truncated after \"version\"" },
		{ "}", "", "x: incomplete: \"end\" is missing" },
		{ ",\"a\":[1,2,3", "a[0] a[1] ",
		  "x: truncated after 2 elements of \"a\"" },
		{ ",\"a\":[1,2", "a[0] ", "x: truncated after 1 element of \"a\"" },
		{ ",\"a\":[", "", "x: truncated in \"a\"" },
		{ ",\"a\":[{\"b\":\"c", "", "x: truncated in \"a\"" },
		{ ",\"a\":{\"b\":[1,2]", "", "x: truncated in \"a\"" },
		{ ",\"a\":\"\\", "", "x: truncated in \"a\"" },
		{ ",\"a\":[1 2]}", "a[0] ",
		  "x: damaged after 1 element of \"a\", at byte 38: missing comma "
		  "between elements" },
		{ ",\"a\":[1,]}", "a[0] ",
		  "x: damaged after 1 element of \"a\", at byte 38: invalid JSON" },
		{ ",\"a\":[{]}", "", "x: damaged in \"a\", at byte 36: invalid JSON" },
		{ ",\"a\":{\"b\":nul}}", "",
		  "x: damaged in \"a\", at byte 35: invalid JSON" },
		{ ",\"a\":\"\xff\"}", "",
		  "x: damaged in \"a\", at byte 35: invalid UTF-8" },
		{ ",\"a\" 1}", "", "x: damaged in \"a\", at byte 35: missing colon" },
		{ ",3:1}", "", "x: damaged after \"version\", at byte 31: missing name" },
		{ ",\"a\":1 \"b\":2}", "a[0] ",
		  "x: damaged after \"a\", at byte 37: missing comma between members" },
		{ ",\"\\u001b[2J\":[", "", "x: truncated in \"?[2J\"" },
		{ ",\"end\":{}} {}", "end[0] ",
		  "x: damaged after \"end\", at byte 41: trailing data after the "
		  "document" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char document[200], calls[200];
		snprintf(document, sizeof(document), HEAD "%s", cases[i].rest);
		snprintf(calls, sizeof(calls), "format[0] version[0] %s", cases[i].calls);
		assert_calls(document, calls, cases[i].sentence);
	}
}

static void test_every_cut(void **state)
{
	static const char document[] = HEAD ",\"go\":{\"a\":\"\\\"}\"},\"groups\":[{"
					    "\"id\":1},[true,null]],\"end\":{}}";
	(void)state;
	for (size_t len = 0; len < sizeof(document) - 1; len++) {
		struct calls calls = { .limit = 0 };
		struct err err;
		AUTO(reader_close)
		struct reader *r = reader_open_fd(file_of(document, len), "x", &err);
		assert_true(!r || !reader_each(r, note_call, &calls, &err));
		assert_int_equal(err.code, ERR_BAD_DATA);
	}
}

static void test_depth(void **state)
{
	enum { DEPTH = 100000 };
	char *document = xcalloc(1, 2 * DEPTH + 100);
	(void)state;
	strcpy(document, HEAD ",\"a\":[");
	memset(document + strlen(document), '[', DEPTH);
	memset(document + strlen(document), ']', DEPTH);
	strcat(document, "],\"end\":{}}");
	assert_calls(document, "format[0] version[0] ",
		     "x: damaged in \"a\", at byte 36: nested too deeply");
	free(document);
}

static void test_stops(void **state)
{
	static const char document[] = HEAD ",\"a\":[1,2,3],\"end\":{}}";
	struct calls calls = { .limit = 4 };
	struct err err;
	AUTO(reader_close)
	struct reader *r =
		reader_open_fd(file_of(document, sizeof(document) - 1), "x", &err);
	(void)state;
	assert_true(reader_each(r, note_call, &calls, &err));
	assert_string_equal(calls.text, "format[0] version[0] a[0] a[1] ");
}

static void write_document(int fd, bool zstd, unsigned n)
{
	AUTO(sink_free) struct sink *out = sink_json_new(fd, zstd);
	struct err err;
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap");
	sink_named_uint(out, "version", 1);
	sink_named_begin(out, "groups", SINK_ARRAY);
	for (unsigned i = 0; i < n; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, "id", i);
		sink_named_string(out, "function", "main.main");
		sink_end(out);
	}
	sink_end(out);
	sink_named_begin(out, "end", SINK_OBJECT);
	sink_end(out);
	sink_end(out);
	assert_true(sink_finish(out, NULL, &err));
	lseek(fd, 0, SEEK_SET);
}

static bool sum_ids(void *arg, const char *member, size_t index,
		    const struct reader_node *node)
{
	uint64_t *sum = arg;
	if (strcmp(member, "groups") == 0) {
		assert_int_equal(node_int(node_get(node, "id"), -1), index);
		*sum += index;
	}
	return true;
}

static void test_zstd(void **state)
{
	enum { N = 100000 };
	int fd = memfd_create("packed", 0);
	uint64_t sum = 0;
	struct calls calls = { .limit = 0 };
	struct err err;
	off_t size;
	(void)state;
	write_document(fd, true, N);
	size = lseek(fd, 0, SEEK_END);
	lseek(fd, 0, SEEK_SET);
	AUTO(reader_close) struct reader *r = reader_open_fd(fd, "x", &err);
	assert_non_null(r);
	for (uint64_t i = 1; i <= 2; i++) {
		assert_true(reader_each(r, sum_ids, &sum, &err));
		assert_int_equal(sum, i * N * (N - 1) / 2);
	}
	assert_int_equal(ftruncate(fd, size / 2), 0);
	assert_false(reader_each(r, sum_ids, &sum, &err));
	assert_non_null(strstr(err.text, "x: truncated after "));
	assert_int_equal(pwrite(fd, "damage", 6, size / 4), 6);
	assert_false(reader_each(r, note_call, &calls, &err));
	assert_int_equal(err.code, ERR_BAD_DATA);
}

/* An element larger than the buffer, and one larger than any may be. */
static void test_large_elements(void **state)
{
	enum { LARGE = 1 << 20 };
	char *document = xmalloc(LARGE + 100);
	struct calls calls = { .limit = 0 };
	struct err err;
	int fd;
	(void)state;
	memset(document, 'x', LARGE + 100);
	memcpy(document, HEAD ",\"a\":[\"", strlen(HEAD ",\"a\":[\""));
	memcpy(document + LARGE, "\"],\"end\":{}}", 13);
	assert_calls(document, "format[0] version[0] a[0] end[0] ", NULL);

	fd = file_of(document, LARGE);
	/* A hole of NULs: a string of a gigabyte that takes no disk. */
	assert_int_equal(ftruncate(fd, INT64_C(1) << 30), 0);
	AUTO(reader_close) struct reader *r = reader_open_fd(fd, "x", &err);
	assert_false(reader_each(r, note_call, &calls, &err));
	assert_string_equal(err.text, "x: element larger than 128 MB at byte 36");
	free(document);
}

static void test_pipe(void **state)
{
	static const char document[] = HEAD ",\"a\":[1,2],\"end\":{}}";
	struct calls calls = { .limit = 0 };
	struct err err;
	int fds[2];
	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], document, sizeof(document) - 1),
			 sizeof(document) - 1);
	close(fds[1]);
	AUTO(reader_close) struct reader *r = reader_open_fd(fds[0], "x", &err);
	assert_true(reader_each(r, note_call, &calls, &err));
	assert_true(reader_each(r, note_call, &calls, &err));
	assert_string_equal(calls.text, "format[0] version[0] a[0] a[1] end[0] "
					"format[0] version[0] a[0] a[1] end[0] ");
}

static bool look_at_node(void *arg, const char *member, size_t index,
			 const struct reader_node *node)
{
	const struct reader_node **held = arg;
	(void)index;
	if (strcmp(member, "go") != 0)
		return true;
	*held = node_hold(node);
	return false;
}

static void count_members(void *arg, const char *key, const struct reader_node *node)
{
	char *keys = arg;
	(void)node;
	strcat(keys, key);
}

static void test_nodes(void **state)
{
	static const char document[] = HEAD
		",\"go\":{\"s\":\"a\\u0000b\",\"i\":-5,\"b\":true,\"p\":\"0xc000012345\","
		"\"q\":\"0xC0\",\"r\":\"0x\",\"t\":\"0x10000000000000000\",\"n\":null,"
		"\"l\":[1,\"2\"],\"h\":18446744073709551615,\"f\":2.5},\"end\":{}}";
	const struct reader_node *node = NULL, *list;
	struct err err;
	char keys[64] = "";
	AUTO(reader_close)
	struct reader *r =
		reader_open_fd(file_of(document, sizeof(document) - 1), "x", &err);
	(void)state;
	assert_true(reader_each(r, look_at_node, &node, &err));
	assert_string_equal(node_string(node_get(node, "s"), "?"), "a");
	assert_string_equal(node_string(node_get(node, "i"), "?"), "?");
	assert_null(node_string(node_get(node, "absent"), NULL));
	assert_int_equal(node_int(node_get(node, "i"), 0), -5);
	assert_int_equal(node_int(node_get(node, "s"), 7), 7);
	assert_int_equal(node_int(node_get(node, "h"), 7), 7);
	assert_int_equal(node_int(node_get(node, "f"), 7), 7);
	assert_true(node_bool(node_get(node, "b"), false));
	assert_true(node_bool(node_get(node, "n"), true));
	assert_int_equal(node_address(node_get(node, "p"), 1), 0xc000012345);
	assert_int_equal(node_address(node_get(node, "q"), 1), 1);
	assert_int_equal(node_address(node_get(node, "r"), 1), 1);
	assert_int_equal(node_address(node_get(node, "t"), 1), 1);
	assert_int_equal(node_address(node_get(node, "i"), 1), 1);
	list = node_get(node, "l");
	assert_int_equal(node_count(list), 2);
	assert_int_equal(node_int(node_at(list, 0), -1), 1);
	assert_null(node_at(list, 2));
	assert_int_equal(node_count(node), 0);
	assert_null(node_get(list, "l"));
	assert_null(node_get(NULL, "l"));
	assert_int_equal(node_count(NULL), 0);
	node_each(node, count_members, keys);
	assert_string_equal(keys, "sibpqrtnlhf");
	node_each(list, count_members, keys);
	node_drop(node);
	node_drop(NULL);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),  cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_damage), cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_depth),  cmocka_unit_test(test_stops),
		cmocka_unit_test(test_zstd),   cmocka_unit_test(test_large_elements),
		cmocka_unit_test(test_pipe),   cmocka_unit_test(test_nodes),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
