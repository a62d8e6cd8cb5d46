/* SPDX-License-Identifier: Apache-2.0 */
/* What `gosnap watch` reports about itself: its lines, and what it answers. */
#include "src/watch/desk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <poll.h>

#include "src/watch/log.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/gosnap-desk.XXXXXX", path[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/watch.sock", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const struct watch_counts seen = {
	.since_ns = 1700000000 * UINT64_C(1000000000),
	.events = { [WATCH_PANIC] = 3, [WATCH_SIGNAL] = 1 },
	.outcomes = { [WATCH_SNAPSHOT] = 3, [WATCH_RATE] = 1 },
	.processes = 7,
	.programs = 2,
	.last = "20261125T120000-shop-4711",
};

/* Until the child that asks has ended. */
static int serve_until(struct desk *desk, pid_t child)
{
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		struct pollfd ready = { .fd = desk_fd(desk), .events = POLLIN };
		poll(&ready, 1, 10);
		desk_serve(desk, &seen);
	}
	return status;
}

static int raw_socket(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(at.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static void people_are_told(void **state)
{
	struct err err = { .code = ERR_NONE };
	AUTO(desk_close) struct desk *desk = desk_open(path, &err);

	(void)state;
	assert_non_null(desk);
	pid_t child = fork();
	if (child == 0) {
		AUTO(xfree) char *text = desk_ask(path, &err);
		_exit(text &&
				      strstr(text,
					     "7 processes of 2 programs\n4 began "
					     "to die, or did what was asked for\n") &&
				      strstr(text, "last snapshot: 20261125T120000-shop")
			      ? 0
			      : 1);
	}
	assert_int_equal(serve_until(desk, child), 0);
}

/* More than there are chairs, and none of them says anything. */
static void the_silent_keep_nobody_waiting(void **state)
{
	enum { SILENT = 20 };
	struct err err = { .code = ERR_NONE };
	AUTO(desk_close) struct desk *desk = desk_open(path, &err);
	int silent[SILENT];

	(void)state;
	assert_non_null(desk);
	for (int i = 0; i < SILENT; i++) {
		silent[i] = raw_socket();
		desk_serve(desk, &seen);
	}
	pid_t child = fork();
	if (child == 0) {
		AUTO(xfree) char *text = desk_ask(path, &err);
		_exit(text ? 0 : 1);
	}
	assert_int_equal(serve_until(desk, child), 0);
	for (int i = 0; i < SILENT; i++)
		close(silent[i]);
}

static void other_requests_are_refused(void **state)
{
	static const char *const requests[] = { "GET /etc/passwd HTTP/1.0\r\n\r\n",
						"POST /status HTTP/1.0\r\n\r\n",
						"\r\n\r\n" };
	struct err err = { .code = ERR_NONE };
	AUTO(desk_close) struct desk *desk = desk_open(path, &err);
	char answer[256];

	(void)state;
	assert_non_null(desk);
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		int fd = raw_socket();
		assert_true(write_fully(fd, requests[i], strlen(requests[i])));
		desk_serve(desk, &seen);
		desk_serve(desk, &seen);
		ssize_t n = read(fd, answer, sizeof(answer) - 1);
		answer[n > 0 ? n : 0] = 0;
		assert_non_null(strstr(answer, "404"));
		close(fd);
	}
}

static void there_is_one_at_a_path(void **state)
{
	struct err err = { .code = ERR_NONE };
	AUTO(desk_close) struct desk *first = desk_open(path, &err);

	(void)state;
	assert_non_null(first);
	assert_null(desk_open(path, &err));
	assert_non_null(strstr(err.text, "another gosnap watch answers at"));
}

static void a_dead_one_is_replaced(void **state)
{
	struct err err = { .code = ERR_NONE };

	(void)state;
	pid_t child = fork();
	if (child == 0)
		_exit(desk_open(path, &err) ? 0 : 1); /* leaves its socket behind */
	int status;
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_null(desk_ask(path, &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	AUTO(desk_close) struct desk *desk = desk_open(path, &err);
	assert_non_null(desk);
}

static void pauses_are_counted_once(void **state)
{
	struct watch_counts counts = { .since_ns = 0 };
	char *text = NULL;
	size_t len;

	(void)state;
	watch_count_pause(&counts, 100 * 1000); /* at a bound */
	watch_count_pause(&counts, 700 * 1000);
	watch_count_pause(&counts, UINT64_C(9000000000)); /* above all */
	FILE *out = open_memstream(&text, &len);
	watch_counts_metrics(&counts, out);
	fclose(out);
	assert_non_null(strstr(text, "_bucket{le=\"0.0001\"} 1\n"));
	assert_non_null(strstr(text, "_bucket{le=\"0.0005\"} 1\n"));
	assert_non_null(strstr(text, "_bucket{le=\"0.001\"} 2\n"));
	assert_non_null(strstr(text, "_bucket{le=\"5\"} 2\n"));
	assert_non_null(strstr(text, "_bucket{le=\"+Inf\"} 3\n"));
	assert_non_null(strstr(text, "_seconds_sum 9.000800000\n"));
	assert_non_null(strstr(text, "_seconds_count 3\n"));
	free(text);
}

static void log_line(enum watch_log_format format, char *ret, size_t size)
{
	const struct watch_field fields[] = {
		{ "snapshot", WATCH_FIELD_TEXT, "a\"b", 0 },
		{ "nothing", WATCH_FIELD_TEXT, NULL, 0 },
		{ "pause_ns", WATCH_FIELD_NUMBER, NULL, 1234 },
	};
	const struct watch_line line = { "snapshot", 4711, "sh\x1b[31mop\xff", fields,
					 ARRAY_SIZE(fields) };
	int pair[2];

	assert_int_equal(pipe(pair), 0);
	const struct watch_log log = { .fd = pair[1],
				       .format = format,
				       .no_times = true };
	watch_log(&log, &line, "died of \"%s\"\n", "a panic");
	ssize_t n = read(pair[0], ret, size - 1);
	ret[n > 0 ? n : 0] = 0;
	close(pair[0]);
	close(pair[1]);
}

static void a_line_is_text_whatever_is_in_it(void **state)
{
	char line[512];

	(void)state;
	log_line(WATCH_LOG_TEXT, line, sizeof(line));
	assert_string_equal(line,
			    "gosnap watch: sh?[31mop? (4711): died of \"a panic\"?\n");
	log_line(WATCH_LOG_JSON, line, sizeof(line));
	assert_non_null(
		strstr(line, "\"message\":\"died of \\\"a panic\\\"\\n\",\"pid\":4711"));
	assert_non_null(strstr(line, "\"snapshot\":\"a\\\"b\",\"pause_ns\":1234}\n"));
	assert_null(strchr(line, 0x1b));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(people_are_told),
		cmocka_unit_test(the_silent_keep_nobody_waiting),
		cmocka_unit_test(other_requests_are_refused),
		cmocka_unit_test(there_is_one_at_a_path),
		cmocka_unit_test(a_dead_one_is_replaced),
		cmocka_unit_test(pauses_are_counted_once),
		cmocka_unit_test(a_line_is_text_whatever_is_in_it),
	};

	return unit_run(argc, argv, tests, make_folder, remove_folder);
}
