/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/unit/unit.h"

/* What is in fd, as a string; free it. */
static char *contents(int fd, size_t *ret_len)
{
	struct stat st;
	char *text;
	assert_int_equal(fstat(fd, &st), 0);
	*ret_len = (size_t)st.st_size;
	text = xcalloc(*ret_len + 1, 1);
	assert_int_equal(pread(fd, text, *ret_len, 0), st.st_size);
	return text;
}

static void test_layout(void **state)
{
	int fd = memfd_create("document", 0);
	AUTO(sink_free) struct sink *out = sink_json_new(fd, false);
	struct err err;
	size_t len;
	(void)state;
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap");
	sink_named_string(out, "absent", NULL);
	sink_named_begin(out, "go", SINK_OBJECT);
	sink_named_string(out, "version", "go1.24");
	sink_named_begin(out, "settings", SINK_ARRAY);
	sink_uint(out, 1);
	sink_begin(out, SINK_OBJECT);
	sink_end(out);
	sink_end(out);
	sink_end(out);
	sink_named_begin(out, "warnings", SINK_ARRAY);
	sink_end(out);
	sink_named_begin(out, "groups", SINK_ARRAY);
	sink_begin(out, SINK_OBJECT);
	sink_named_begin(out, "frames", SINK_ARRAY);
	sink_bool(out, true);
	sink_null(out);
	sink_end(out);
	sink_end(out);
	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "id", 2);
	sink_end(out);
	sink_end(out);
	sink_end(out);
	assert_true(sink_finish(out, NULL, &err));
	char *text = contents(fd, &len);
	assert_string_equal(text, "{\n"
				  "\"format\":\"gosnap\",\n"
				  "\"go\":{\"version\":\"go1.24\",\"settings\":[1,{}]},\n"
				  "\"warnings\":[],\n"
				  "\"groups\":[\n"
				  "{\"frames\":[true,null]},\n"
				  "{\"id\":2}\n"
				  "]\n"
				  "}\n");
	assert_int_equal(sink_bytes(out), len);
	free(text);
	close(fd);
}

/* Writes one value alone, which is a document, and says what came out. */
#define ASSERT_WRITTEN(expected, call)                                                   \
	do {                                                                             \
		int fd = memfd_create("value", 0);                                       \
		AUTO(sink_free) struct sink *out = sink_json_new(fd, false);             \
		struct err err;                                                          \
		size_t len;                                                              \
		call;                                                                    \
		assert_true(sink_finish(out, NULL, &err));                               \
		char *text = contents(fd, &len);                                         \
		assert_int_equal(len, strlen(expected) + 1);                             \
		assert_memory_equal(text, expected, len - 1);                            \
		assert_int_equal(text[len - 1], '\n');                                   \
		free(text);                                                              \
		close(fd);                                                               \
	} while (0)

static void test_numbers(void **state)
{
	static const struct {
		int64_t value;
		const char *text;
	} ints[] = {
		{ 0, "0" },
		{ -1, "-1" },
		{ 10, "10" },
		{ INT64_MAX, "9223372036854775807" },
		{ INT64_MIN, "-9223372036854775808" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ints); i++) {
		ASSERT_WRITTEN(ints[i].text, sink_int(out, ints[i].value));
	}
	ASSERT_WRITTEN("18446744073709551615", sink_uint(out, UINT64_MAX));
	ASSERT_WRITTEN("0", sink_uint(out, 0));
	ASSERT_WRITTEN("0", sink_float(out, 0, SINK_DOUBLE));
	ASSERT_WRITTEN("-0.0", sink_float(out, -0.0, SINK_DOUBLE));
	ASSERT_WRITTEN("-0.0", sink_float(out, -0.0, SINK_SINGLE));
	ASSERT_WRITTEN("0.1", sink_float(out, 0.1F, SINK_SINGLE));
	ASSERT_WRITTEN("\"0x0\"", sink_address(out, 0));
	ASSERT_WRITTEN("\"0xc000012345\"", sink_address(out, 0xc000012345));
	ASSERT_WRITTEN("\"0xffffffffffffffff\"", sink_address(out, UINT64_MAX));
}

static void test_time(void **state)
{
	(void)state;
	ASSERT_WRITTEN("\"2026-11-21T03:12:05.000000042Z\"",
		       sink_time(out, UINT64_C(1795230725000000042)));
	ASSERT_WRITTEN("\"1970-01-01T00:00:00.000000000Z\"", sink_time(out, 0));
}

static void test_strings(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *json;
	} cases[] = {
#define CASE(bytes, json) { bytes, sizeof(bytes) - 1, json }
#define HEX(digits) "{\n\"hex\":\"" digits "\"\n}"
		CASE("", "\"\""),
		CASE("a\"b\\c/", "\"a\\\"b\\\\c/\""),
		CASE("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""),
		CASE("a\0b", "\"a\\u0000b\""),
		CASE("\x1b[31m\x7f", "\"\\u001b[31m\x7f\""),
		CASE("\xe2\x80\xa8", "\"\xe2\x80\xa8\""),
		CASE("\xc2\x80\xdf\xbf", "\"\xc2\x80\xdf\xbf\""),
		CASE("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80",
		     "\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\""),
		CASE("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
		     "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""),
		/* overlong, surrogate, too large, cut off, alone */
		CASE("\xc0\x80", HEX("c080")),
		CASE("\xc1\xbf", HEX("c1bf")),
		CASE("\xe0\x9f\xbf", HEX("e09fbf")),
		CASE("\xf0\x8f\xbf\xbf", HEX("f08fbfbf")),
		CASE("\xed\xa0\x80", HEX("eda080")),
		CASE("\xf4\x90\x80\x80", HEX("f4908080")),
		CASE("\xf5\x80\x80\x80", HEX("f5808080")),
		CASE("12345678\xe2\x80", HEX("3132333435363738e280")),
		CASE("a\x80", HEX("6180")),
		CASE("\xe2\x28\xa1", HEX("e228a1")),
		CASE("\xff", HEX("ff")),
#undef CASE
#undef HEX
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_WRITTEN(cases[i].json,
			       sink_text(out, cases[i].bytes, cases[i].len));
	}
}

/* Each byte of ASCII at each place of a text that is looked at in words of eight. */
static void test_every_byte(void **state)
{
	enum { LEN = 19 };
	(void)state;
	for (int c = 0; c < 0x80; c++) {
		char one[16];
		if (c == '"' || c == '\\')
			snprintf(one, sizeof(one), "\\%c", c);
		else if (c && c < 0x20 && strchr("\b\f\n\r\t", c))
			snprintf(one, sizeof(one), "\\%c", "btn?fr"[c - '\b']);
		else if (c < 0x20)
			snprintf(one, sizeof(one), "\\u%04x", (unsigned)c);
		else
			snprintf(one, sizeof(one), "%c", c);
		for (int at = 0; at < LEN; at++) {
			char bytes[LEN + 1], expected[64];
			memset(bytes, 'x', LEN);
			bytes[at] = (char)c;
			snprintf(expected, sizeof(expected), "\"%.*s%s%.*s\"", at,
				 "xxxxxxxxxxxxxxxxxxx", one, LEN - 1 - at,
				 "xxxxxxxxxxxxxxxxxxx");
			ASSERT_WRITTEN(expected, sink_text(out, bytes, LEN));
		}
	}
}

/* Longer than any buffer, and escaped six to one. */
static void test_long_text(void **state)
{
	enum { LEN = 1 << 20 };
	int fd = memfd_create("document", 0);
	AUTO(sink_free) struct sink *out = sink_json_new(fd, false);
	char *nuls = xcalloc(LEN, 1), *text;
	struct err err;
	size_t len;
	(void)state;
	sink_begin(out, SINK_ARRAY);
	sink_text(out, nuls, LEN);
	sink_hex(out, nuls, LEN);
	sink_end(out);
	assert_true(sink_finish(out, NULL, &err));
	text = contents(fd, &len);
	assert_int_equal(len, strlen("[\n\"\",\n\"\"\n]\n") + LEN * 8);
	assert_memory_equal(text + 3, "\\u0000\\u0000", 12);
	assert_string_equal(text + len - 6, "00\"\n]\n");
	free(text);
	free(nuls);
	close(fd);
}

static void write_numbers(struct sink *out, unsigned n)
{
	sink_begin(out, SINK_ARRAY);
	for (unsigned i = 0; i < n; i++)
		sink_uint(out, i);
	sink_end(out);
}

/* What is taken back leaves nothing, whether it filled buffers or not. */
static void test_mark(void **state)
{
	(void)state;
	for (unsigned first = 0; first < 120000; first += 39999) {
		int fd = memfd_create("document", 0);
		AUTO(sink_free) struct sink *out = sink_json_new(fd, false);
		struct err err;
		size_t len;
		sink_begin(out, SINK_ARRAY);
		for (unsigned i = 0; i < first; i++)
			sink_uint(out, 7);
		uint64_t before = sink_bytes(out);
		sink_mark(out);
		sink_begin(out, SINK_OBJECT);
		sink_name(out, "gone");
		write_numbers(out, 100000);
		assert_true(sink_bytes(out) > before + 100000);
		sink_rewind(out);
		assert_int_equal(sink_bytes(out), before);
		sink_begin(out, SINK_OBJECT);
		sink_name(out, "kept");
		write_numbers(out, 100000);
		sink_end(out);
		sink_release(out);
		sink_end(out);
		uint64_t bytes = sink_bytes(out);
		assert_true(sink_finish(out, NULL, &err));
		AUTO(xfree) char *text = contents(fd, &len);
		assert_int_equal(len, bytes + 1);
		assert_null(strstr(text, "gone"));
		assert_non_null(strstr(text, first ? "7,\n{\"kept\":[0,1,"
						   : "[\n{\"kept\":[0,1,"));
		assert_non_null(strstr(text, ",99998,99999]}\n]\n"));
		close(fd);
	}
}

static void test_zstd(void **state)
{
	int packed_fd = memfd_create("packed", 0), plain_fd = memfd_create("plain", 0);
	AUTO(sink_free) struct sink *packing = sink_json_new(packed_fd, true);
	AUTO(sink_free) struct sink *plain = sink_json_new(plain_fd, false);
	struct err err;
	size_t packed_len, len;
	char *packed, *text, *unpacked;
	(void)state;
	write_numbers(packing, 200000);
	write_numbers(plain, 200000);
	assert_true(sink_finish(packing, NULL, &err));
	assert_true(sink_finish(plain, NULL, &err));
	packed = contents(packed_fd, &packed_len);
	text = contents(plain_fd, &len);
	unpacked = xmalloc(len);
	assert_int_equal(sink_bytes(packing), len);
	assert_true(packed_len < len / 2);
	assert_int_equal(ZSTD_decompress(unpacked, len, packed, packed_len), len);
	assert_memory_equal(unpacked, text, len);
	free(packed);
	free(text);
	free(unpacked);
	close(packed_fd);
	close(plain_fd);
}

static void test_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY), error = 0;
	AUTO(sink_free) struct sink *out = sink_json_new(fd, false);
	struct err err;
	(void)state;
	write_numbers(out, 200000);
	assert_false(sink_finish(out, &error, &err));
	assert_int_equal(error, ENOSPC);
	assert_int_equal(err.code, ERR_SYS);
	assert_string_equal(err.text,
			    "cannot write the document: No space left on device");
	close(fd);
}

static void test_closed_pipe(void **state)
{
	int fds[2], error = 0;
	struct err err;
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	AUTO(sink_free) struct sink *out = sink_json_new(fds[1], false);
	write_numbers(out, 10);
	assert_false(sink_finish(out, &error, &err));
	assert_int_equal(error, EPIPE);
	close(fds[1]);
}

/* A pipe that takes little at a time, and says EAGAIN between: every byte arrives. */
static void test_slow_pipe(void **state)
{
	int fds[2], status;
	struct err err;
	uint64_t got = 0;
	pid_t child;
	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	child = fork();
	if (child == 0) {
		AUTO(sink_free) struct sink *out = sink_json_new(fds[1], false);
		write_numbers(out, 200000);
		_exit(sink_finish(out, NULL, &err) && sink_bytes(out) == 1488893 ? 0 : 1);
	}
	close(fds[1]);
	for (;;) {
		char buf[1000];
		ssize_t n = read(fds[0], buf, sizeof(buf));
		if (n <= 0)
			break;
		got += (uint64_t)n;
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(got, 1488893);
	close(fds[0]);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	   cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_time),	   cmocka_unit_test(test_strings),
		cmocka_unit_test(test_every_byte), cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_mark),	   cmocka_unit_test(test_zstd),
		cmocka_unit_test(test_full_disk),  cmocka_unit_test(test_closed_pipe),
		cmocka_unit_test(test_slow_pipe),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
