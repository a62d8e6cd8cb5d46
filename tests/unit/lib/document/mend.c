/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/mend.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/document/cut.h"
#include "lib/document/reader.h"
#include "lib/document/remains.h"
#include "lib/document/sink.h"
#include "lib/procfs/proc_file.h"
#include "tests/unit/unit.h"

static const struct cut_case {
	const char *text;
	const char *kept; /* NULL: nothing */
	unsigned depth;
	bool failed;
} cases[] = {
	{ "", NULL, 0, false },
	{ "{\n\"format\":\"gosnap\"", NULL, 0, false },
	{ "{\"a\":{},\"b\":[{\"x\":1},{\"y\":[2]},{\"z\":",
	  "{\"a\":{},\"b\":[{\"x\":1},{\"y\":[2]}", 2, false },
	{ "{\"a\":{},\"b\":[[1],[2", "{\"a\":{},\"b\":[[1]", 2, false },
	/* Within an object, nothing can be kept that is not whole. */
	{ "{\"a\":{\"b\":[{}],\"c\":{}", NULL, 0, false },
	{ "{\"a\":{\"b\":[{}]},\"c\":{\"d\":{}", "{\"a\":{\"b\":[{}]}", 1, false },
	{ "{\"a\":[],\"end\":{\"x\":1}", "{\"a\":[]", 1, false },
	{ "{\"a\":[],\"end\":{\"x\":1}}\n", "{\"a\":[],\"end\":{\"x\":1}}", 0, false },
	{ "{\"a\":[],\"ending\":{}", "{\"a\":[],\"ending\":{}", 1, false },
	{ "{\"a\":[{}]}x", "{\"a\":[{}]}", 0, true },
	/* What ends the text that is kept is no JSON. */
	{ "{\"a\":{},}", "{\"a\":{}", 1, true },
	{ "{\"a\":{}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{},]", "{\"a\":{},\"b\":[{}", 2, true },
	{ "{\"a\":{},\"b\":[{}{}", "{\"a\":{},\"b\":[{}", 2, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\x01\"}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\\x\"}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\\u12g4\"}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\xff\"}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\xc0\x80\"}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\xed\xa0\x80\"}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\xe2\x82\"}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":\"\xe2\x82\xac\xf0\x9f\x98\x80\\u20ac\\n\"}",
	  "{\"a\":{},\"b\":[{\"x\":\"\xe2\x82\xac\xf0\x9f\x98\x80\\u20ac\\n\"}", 2,
	  false },
	{ "{\"a\":{},\"b\":[{\"x\":01}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":-}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":1.}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":1e+}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":truE}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\" 1}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{x:1}]", "{\"a\":{}", 1, true },
	{ "{\"a\":{},\"b\":[{\"x\":[0,-0,1.5,-2e9,3E-1,4.0e+7,true,false,null]},{",
	  "{\"a\":{},\"b\":[{\"x\":[0,-0,1.5,-2e9,3E-1,4.0e+7,true,false,null]}", 2,
	  false },
	/* A document is an object. */
	{ "[{}]", NULL, 0, true },
	{ "1 ", NULL, 0, true },
	{ "\"a\"", NULL, 0, true },
};

static void test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct cut_case *c = &cases[i];
		struct cut cut, bytewise;
		cut_init(&cut);
		cut_init(&bytewise);
		cut_take(&cut, c->text, strlen(c->text));
		for (const char *p = c->text; *p; p++)
			cut_take(&bytewise, p, 1);
		const size_t kept = c->kept ? strlen(c->kept) : 0;
		if (cut.place != kept || cut.depth != c->depth ||
		    cut.failed != c->failed || bytewise.place != kept ||
		    bytewise.failed != c->failed)
			fail_msg("%s: kept %d at depth %u, %s", c->text, (int)cut.place,
				 cut.depth, cut.failed ? "failed" : "did not fail");
	}
}

static void test_depth(void **state)
{
	struct cut cut;

	(void)state;
	cut_init(&cut);
	assert_true(cut_take(&cut, "{\"a\":{},\"b\":", 12));
	for (int i = 1; i < CUT_DEPTH_MAX; i++)
		assert_true(cut_take(&cut, "[", 1));
	assert_false(cut_take(&cut, "[", 1));
	assert_int_equal(cut.place, strlen("{\"a\":{}"));
}

enum {
	ELEMENTS = 20000,
	LARGE = 700 * 1024, /* a text that no buffer has room for */
};

/* An element of some length, and what is not closed. */
static void add_element(struct sink *out, unsigned i)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_uint(out, "id", i);
	sink_named_string(out, "name", i % 3 ? "a goroutine" : "\303\244\n");
	sink_name(out, "frames");
	sink_begin(out, SINK_ARRAY);
	for (unsigned k = 0; k < i % 7; k++)
		sink_uint(out, k);
	sink_end(out);
}

static void write_part_of_document(struct sink *out, unsigned elements)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap");
	sink_named_uint(out, "version", 1);
	sink_named_begin(out, "snapshot", SINK_OBJECT);
	sink_named_string(out, "host", "test");
	sink_end(out);
	sink_named_begin(out, "goroutines", SINK_ARRAY);
	for (unsigned i = 0; i < elements; i++) {
		add_element(out, i);
		sink_end(out);
	}
	add_element(out, elements);
	sink_mark(out);
	sink_named_string(out, "more", "x");
	sink_rewind(out);
	sink_release(out);
}

struct file {
	int fd, read; /* to write to, and to read from */
	bool zstd, whole_file, counted;
};

/* The child dies within an element. */
static void die_writing(const struct file *file, struct remains *remains,
			unsigned elements)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct sink *out = sink_json_new(file->fd, file->zstd);
		sink_keep_remains(out, remains);
		write_part_of_document(out, elements);
		raise(SIGKILL);
	}
	assert_true(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

struct found {
	size_t elements;
	bool in_order, ends;
};

static bool look(void *arg, const char *member, size_t index,
		 const struct reader_node *node)
{
	struct found *found = arg;

	if (strcmp(member, "goroutines") == 0) {
		found->in_order &= node_int(node_get(node, "id"), -1) == (int64_t)index;
		found->elements++;
	}
	if (strcmp(member, "end") == 0)
		found->ends = strcmp(node_string(node_get(node, "incomplete_reason"), ""),
				     "it \"died\"") == 0;
	return true;
}

static void assert_document(int fd, unsigned elements)
{
	struct found found = { 0, true, false };
	struct err err = { .text = "" };
	AUTO(reader_close) struct reader *r = reader_open_fd(fd, "mended", &err);

	if (!r || !reader_each(r, look, &found, &err))
		fail_msg("%s", err.text);
	if (found.elements != elements || !found.in_order || !found.ends)
		fail_msg("%d elements, not %u; %s; %s", (int)found.elements, elements,
			 found.in_order ? "in order" : "mixed up",
			 found.ends ? "closed" : "no end");
}

static void mend_and_look(const struct file *file, unsigned elements)
{
	AUTO(remains_free) struct remains *remains = remains_new();
	const struct broken broken = { .fd = file->fd,
				       .whole_file = file->whole_file,
				       .counted = file->counted,
				       .zstd = file->zstd,
				       .remains = remains };
	struct err err;

	die_writing(file, remains, elements);
	if (!mend(&broken, "it \"died\"", &err))
		fail_msg("%u elements: %s", elements, err.text);
	lseek(file->read, 0, SEEK_SET);
	assert_document(file->read, elements);
}

static const unsigned lengths[] = { 0, 1, 100, 3000, 5000, 6000, 7777, ELEMENTS };

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (int zstd = 0; zstd <= 1; zstd++) {
			int fd = memfd_create("document", MFD_CLOEXEC), read = dup(fd);
			mend_and_look(&(struct file){ fd, read, zstd, true, true },
				      lengths[i]);
			close(fd);
		}
	}
}

/* That can be written only: standard output, and one that is appended to. */
static void test_written_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (int counted = 0; counted <= 1; counted++) {
			int fd = memfd_create("document", MFD_CLOEXEC), read = dup(fd);
			assert_int_equal(fcntl(fd, F_SETFL, counted ? 0 : O_APPEND), 0);
			mend_and_look(&(struct file){ fd, read, false, false, counted },
				      lengths[i]);
			close(fd);
		}
	}
}

/* A pipe whose other end is read slowly, so that the writer dies waiting. */
static void test_pipe(void **state)
{
	int pipe[2], file = memfd_create("document", MFD_CLOEXEC), status;
	char bytes[4096];
	ssize_t n;

	(void)state;
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	AUTO(remains_free) struct remains *remains = remains_new();
	const pid_t reader = fork();
	if (reader == 0) {
		close(pipe[1]);
		while ((n = read(pipe[0], bytes, sizeof(bytes))) > 0)
			if (write(file, bytes, (size_t)n) != n)
				_exit(1);
		_exit(0);
	}
	const struct broken broken = { .fd = pipe[1], .remains = remains };
	struct err err;
	die_writing(&(struct file){ .fd = pipe[1] }, remains, ELEMENTS);
	if (!mend(&broken, "it \"died\"", &err))
		fail_msg("%s", err.text);
	close(pipe[0]);
	close(pipe[1]);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	lseek(file, 0, SEEK_SET);
	assert_document(file, ELEMENTS);
}

static bool has_room(int pipe)
{
	struct pollfd to = { .fd = pipe, .events = POLLOUT };

	return poll(&to, 1, 0) > 0;
}

/* As one does that waits for a reader. */
static bool sleeps(pid_t pid)
{
	AUTO(xfree) char *stat = proc_file(pid, "stat");
	const char *state = stat ? proc_stat_field(stat, PROC_STAT_STATE) : NULL;

	return state && *state == 'S';
}

/* Killed while it writes: what was written before stays, and nothing is added that may be there. */
static void test_killed_writing(void **state)
{
	int pipe[2], status;
	struct err err;

	(void)state;
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	AUTO(remains_free) struct remains *remains = remains_new();
	const struct broken broken = { .fd = pipe[1], .remains = remains };
	const pid_t pid = fork();
	if (pid == 0) {
		struct sink *out = sink_json_new(pipe[1], false);
		sink_keep_remains(out, remains);
		write_part_of_document(out, ELEMENTS); /* it waits: nobody reads */
		_exit(0);
	}
	while (has_room(pipe[1]) || !sleeps(pid))
		sched_yield();
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(mend(&broken, "it died", &err));
	assert_non_null(strstr(err.text, "how much"));
	close(pipe[0]);
	close(pipe[1]);
}

/* An element that has filled a buffer is written in pieces: in a file, it is cut off again; in a pipe,
 * that cannot be. */
static void die_in_large(int fd, struct remains *remains)
{
	AUTO(xfree) char *text = xcalloc(1, LARGE);
	const pid_t pid = fork();
	int status;

	memset(text, 'x', LARGE - 1);
	if (pid == 0) {
		struct sink *out = sink_json_new(fd, false);
		sink_keep_remains(out, remains);
		write_part_of_document(out, 1);
		sink_end(out);
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "text", text);
		while (lseek(fd, 0, SEEK_CUR) == 0)
			sched_yield(); /* the thread writes */
		raise(SIGKILL);
	}
	assert_true(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static void test_large(void **state)
{
	(void)state;
	for (int whole = 0; whole <= 1; whole++) {
		AUTO(remains_free) struct remains *remains = remains_new();
		int fd = memfd_create("document", MFD_CLOEXEC);
		const struct broken broken = {
			.fd = fd, .whole_file = whole, .counted = true, .remains = remains
		};
		struct err err;
		die_in_large(fd, remains);
		if (mend(&broken, "it \"died\"", &err) != whole)
			fail_msg("%d: %s", whole, whole ? err.text : "");
		lseek(fd, 0, SEEK_SET);
		if (whole)
			assert_document(fd, 2);
		else
			close(fd);
	}
}

/* Whatever the child left there: an answer, and no more than that. */
static void test_nonsense(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		AUTO(remains_free) struct remains *remains = remains_new();
		int fd = memfd_create("document", MFD_CLOEXEC);
		uint64_t *words = (uint64_t *)remains;
		struct err err;
		struct broken broken = { .fd = fd, .remains = remains };
		broken.whole_file = i & 1;
		broken.counted = i & 2;
		broken.zstd = i & 4;
		for (unsigned k = 0; k < 4; k++)
			words[k] = UINT64_C(0x9e3779b97f4a7c15) * (i * 4 + k + 1) >>
				   (i % 60);
		(void)!mend(&broken, "it died", &err);
		assert_in_range(lseek(fd, 0, SEEK_END), 0, 4 << 20);
		close(fd);
	}
}

static void test_nothing(void **state)
{
	AUTO(remains_free) struct remains *remains = remains_new();
	struct err err;

	(void)state;
	for (int whole = 0; whole <= 1; whole++) {
		int fd = memfd_create("document", MFD_CLOEXEC);
		const struct broken broken = { .fd = fd,
					       .whole_file = whole,
					       .remains = remains };
		assert_false(mend(&broken, "it died", &err));
		assert_int_equal(err.code, ERR_NOT_FOUND);
		assert_int_equal(lseek(fd, 0, SEEK_END), 0);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),	 cmocka_unit_test(test_depth),
		cmocka_unit_test(test_files),	 cmocka_unit_test(test_written_only),
		cmocka_unit_test(test_pipe),	 cmocka_unit_test(test_killed_writing),
		cmocka_unit_test(test_large),	 cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_nonsense),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
