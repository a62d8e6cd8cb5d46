/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody who took over the reader of a document can do with the terminal: nothing but show characters. */
#include "src/viewer/screen/screen_host.h"

#include <errno.h>
#include <locale.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/viewer/screen/key.h"
#include "src/viewer/screen/line.h"
#include "src/viewer/screen/screen.h"
#include "src/viewer/screen/tty.h"
#include "tests/unit/unit.h"

enum { SAID_MAX = 1 << 20, HEAD = 4 };

struct asked {
	struct screen_host *host;
	struct answer answer;
	int fd;
};

static void ask(struct asked *a, uint32_t kind, const void *text, size_t len, int with)
{
	struct question q = { .kind = kind, .len = (uint32_t)len };

	memcpy(q.text, text, len);
	a->fd = -1;
	screen_host_ask(a->host, &q, with, &a->answer, &a->fd);
}

/* One row of those bytes, which says that it is so long. */
static void ask_row(struct asked *a, uint16_t row, uint16_t says, const char *bytes,
		    size_t len)
{
	char text[4000];
	const uint16_t head[] = { row, says };

	memcpy(text, head, HEAD);
	memcpy(text + HEAD, bytes, len);
	ask(a, ASK_SCREEN_ROWS, text, HEAD + len, -1);
}

static void send_hostile_rows(struct asked *a)
{
	static const char *const rows[] = {
		"\033]0;owned\a\033[2J",
		"\033]52;c;ZXZpbA==\a",
		"\x9b"
		"31m",
		"\xc2\x9b"
		"31m\xc2\x9d"
		"0;x",
		"\xe2\x80\xae"
		"evil",
		"\r\n\t\b\x7f",
		"\xff\xfe\xc0\x80",
		"\x01",
		"\x01\xff\x01\x01 x",
		"\xcc\x81\xcc\x81\xcc\x81",
		"\xf3\xa0\x81\x81",
		"\x0e\x0f\x05",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ask_row(a, (uint16_t)i, (uint16_t)strlen(rows[i]), rows[i],
			strlen(rows[i]));
	ask_row(a, UINT16_MAX, 5, "far away", 8);
	ask_row(a, 3, UINT16_MAX, "too long", 8);
	ask_row(a, 3, 0, "", 0);
	ask(a, ASK_SCREEN_ROWS, "x", 1, -1);
	char wide[3900];
	memset(wide, 'w', sizeof(wide));
	ask_row(a, 2, sizeof(wide), wide, sizeof(wide));
	ask_row(a, 14, 3, "end", 3);
}

/* Without a key of the user there is no clipboard and no file. */
static bool is_refused(struct asked *a)
{
	int ends[2];

	if (pipe(ends) < 0)
		return false;
	(void)!write(ends[1], "evil", 4);
	ask(a, ASK_SCREEN_COPY, "", 0, ends[0]);
	bool refused = a->answer.result == -EPERM;
	ask(a, ASK_SCREEN_FILE, "/tmp/gosnap-evil", 16, -1);
	return refused && a->answer.result == -EPERM && a->fd < 0 &&
	       access("/tmp/gosnap-evil", F_OK) < 0;
}

/* One is for one copy. */
static bool is_once(struct asked *a)
{
	struct question q = { .kind = ASK_SCREEN_KEY, .number = 1 };
	struct key key;
	int ends[2];

	screen_host_ask(a->host, &q, -1, &a->answer, NULL); /* draws, too */
	memcpy(&key, a->answer.bytes, sizeof(key));
	if (key.code != 'y' || pipe(ends) < 0)
		return false;
	/* Whose writer stays away. */
	ask(a, ASK_SCREEN_COPY, "", 0, ends[0]);
	const bool first = a->answer.result == 0;
	ask(a, ASK_SCREEN_COPY, "", 0, ends[0]);
	return first && a->answer.result == -EPERM;
}

/* In a prompt, y is a letter; so it is in the list of keys. */
static bool is_letter(struct asked *a)
{
	static const struct {
		int32_t key;
		bool copies;
	} keys[] = { { '/', false }, { 'y', false },  { KEYS_BACKSPACE, false },
		     { 'y', false }, { '\r', false }, { 'y', true },
		     { '?', false }, { 'j', false },  { 'y', false },
		     { 'y', true },  { ':', false },  { KEYS_BACKSPACE, false },
		     { 'y', true } };
	struct question q = { .kind = ASK_SCREEN_KEY, .number = SCREEN_WAITS };
	struct key key;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		int ends[2];
		screen_host_ask(a->host, &q, -1, &a->answer, NULL);
		memcpy(&key, a->answer.bytes, sizeof(key));
		if (key.code != keys[i].key || pipe(ends) < 0)
			return false;
		ask(a, ASK_SCREEN_COPY, "", 0, ends[0]);
		if ((a->answer.result == 0) != keys[i].copies)
			return false;
	}
	return true;
}

static void live_in_terminal(void)
{
	struct err err;

	setenv("TERM", "xterm-256color", 1);
	AUTO(tty_close) struct tty *tty = tty_open(&err);
	if (!tty)
		_exit(2);
	AUTO(screen_host_free) struct screen_host *host = screen_host_new(tty);
	struct asked a = { .host = host };
	send_hostile_rows(&a);
	const bool right = is_refused(&a) && is_once(&a) && is_letter(&a);
	tty_close(TAKE(tty));
	_exit(right ? 0 : 1);
}

static size_t read_all(int terminal, char *said)
{
	static const char typed[] = "y/y\x7fy\ry?jyy:\x7fy";
	size_t len = 0;
	bool answered = false;

	for (ssize_t n; len < SAID_MAX; len += (size_t)n) {
		n = read(terminal, said + len, SAID_MAX - len);
		if (n <= 0)
			break;
		if (!answered && memmem(said, len + (size_t)n, "end", 3)) {
			answered = true;
			(void)!write(terminal, typed, strlen(typed));
		}
	}
	return len;
}

static bool has(const char *said, size_t len, const char *words)
{
	return memmem(said, len, words, strlen(words)) != NULL;
}

static void test_taken_over(void **state)
{
	struct winsize size = { .ws_row = 16, .ws_col = 80 };
	char *said = calloc(1, SAID_MAX);
	int terminal, status;

	(void)state;
	const pid_t child = forkpty(&terminal, NULL, NULL, &size);
	assert_true(child >= 0);
	if (child == 0)
		live_in_terminal();
	const size_t len = read_all(terminal, said);
	close(terminal);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		print_error("signal %d, said %.*s\n", WTERMSIG(status), (int)len, said);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(has(said, len, "end"));
	assert_false(has(said, len, "\033]0;"));
	assert_false(has(said, len, "\033]52;c;Z"));
	assert_false(has(said, len, "\x9b"));
	assert_false(has(said, len, "\xc2\x9b"));
	assert_false(has(said, len, "\xe2\x80\xae"));
	assert_false(has(said, len, "\xcc\x81\xcc\x81\xcc\x81"));
	assert_false(has(said, len, "\xf3\xa0\x81\x81"));
	assert_false(has(said, len, "\x0e"));
	assert_false(has(said, len, "far a"));
	/* No letter moves those of other panes; that is as it was afterwards. */
	const char *first = memmem(said, len, "\033[8l", 4),
		   *end = memmem(said, len, "\033[8h", 4);
	assert_non_null(first);
	assert_non_null(end);
	assert_true(first < (const char *)memmem(said, len, "end", 3) && end > first);
	free(said);
}

static char *row_of(const char *words, unsigned columns)
{
	struct line line;

	line_begin(&line, columns);
	line_add(&line, STYLE_PLAIN, words);
	char *row = line_words(&line);
	line_done(&line);
	return row;
}

static void check_row(const char *words, unsigned columns, const char *wanted)
{
	char *row = row_of(words, columns);

	assert_string_equal(row, wanted);
	xfree(row);
}

static void test_lines(void **state)
{
	(void)state;
	check_row("plain", 80, "plain");
	check_row("plain", 3, "pla");
	check_row("\033[2J", 80, "\\x1b[2J");
	check_row("a\xe2\x80\xae"
		  "b",
		  80, "a<U+202E>b");
	check_row("a\nb\tc", 80, "a\\nb c");
	check_row("\xff", 80, "\\xff");
	check_row("\xc2\x9b", 80, "<U+009B>");
	check_row("\xe6\x97\xa5\xe6\x9c\xac", 3,
		  "\xe6\x97\xa5"); /* no half of a wide one */
	check_row("e\xcc\x81", 80, "e\xcc\x81");
	check_row("\xcc\x81", 80, "<U+0301>");
	check_row("e\xcc\x81\xcc\x81\xcc\x81", 80, "e\xcc\x81\xcc\x81<U+0301>");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken_over),
		cmocka_unit_test(test_lines),
	};

	setenv("LC_ALL", "C.UTF-8", 1);
	setlocale(LC_CTYPE, "");
	alarm(600);
	return unit_run(argc, argv, tests, NULL, NULL);
}
