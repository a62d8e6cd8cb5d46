/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/handler/hand_on_priv.h"
#include "src/handler/report.h"

enum { BUFFER = 1 << 16, WORDS_MAX = 64 };

static uint8_t buffer[BUFFER];

/* Waits as long as there is time. Not all of it, or an error: nobody reads it any more. */
static bool send_copy(const struct core_source *source, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		struct pollfd p = { .fd = source->copy, .events = POLLOUT };
		const uint64_t now = monotonic_ns();
		if (now >= source->copy_until_ns ||
		    poll(&p, 1, (int)((source->copy_until_ns - now) / 1000000) + 1) <= 0)
			return false;
		const ssize_t n = write(source->copy, bytes, len);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return true;
}

static void end_copy(struct core_source *source)
{
	if (source->copy >= 0)
		close(source->copy);
	source->copy = -1;
}

bool source_next(struct core_source *source, const uint8_t **ret, size_t *ret_len)
{
	ssize_t n;

	if (source->head_len) {
		*ret = source->head;
		*ret_len = source->head_len;
		source->head_len = 0;
	} else {
		do
			n = read(source->fd, buffer, sizeof(buffer));
		while (n < 0 && errno == EINTR);
		*ret = buffer;
		*ret_len = n > 0 ? (size_t)n : 0;
	}
	if (!*ret_len || (source->copy >= 0 && !send_copy(source, *ret, *ret_len)))
		end_copy(source);
	return *ret_len > 0;
}

/* The kernel splits at blanks first, so that a word with blanks stays one. */
static bool make_words(const struct crash *crash, const char *pattern,
		       char *ret[static WORDS_MAX])
{
	static char text[WORDS_MAX][CRASH_TEXT];
	static char piece[CRASH_TEXT];
	size_t n = 0;

	for (size_t len; *pattern; pattern += len) {
		pattern += strspn(pattern, " \t\n\v\f\r");
		len = strcspn(pattern, " \t\n\v\f\r");
		if (!len)
			break;
		if (n == WORDS_MAX - 1 || len >= sizeof(piece))
			return false;
		memcpy(piece, pattern, len);
		piece[len] = '\0';
		if (!crash_expand(crash, piece, text[n]))
			return false;
		ret[n] = text[n];
		n++;
	}
	ret[n] = NULL;
	return n > 0;
}

/* As the kernel starts a program: without what main() set. */
static void become(char *const *words)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFL) & O_PATH)
			close(fd);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	execv(words[0], words);
}

static void discard(struct core_source *source)
{
	const uint8_t *bytes;
	size_t len;

	while (source->copy >= 0 && source_next(source, &bytes, &len))
		;
}

/* With a pipe of our own, as a part of the stream was read already, or goes elsewhere, too. */
static void feed(char *const *words, struct core_source *source)
{
	const uint8_t *bytes;
	size_t len;
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		report("the core is lost: cannot create a pipe: %s", strerror(errno));
		return;
	}
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		become(words);
		_exit(127);
	}
	close(ends[0]);
	while (pid > 0 && source_next(source, &bytes, &len))
		if (!write_fully(ends[1], bytes, len))
			break;
	close(ends[1]);
	discard(source);
	if (pid < 0 || (waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
			WEXITSTATUS(status) == 127))
		report("the core is lost: cannot start %s", words[0]);
}

static void hand_on_program(const struct crash *crash, const char *pattern,
			    struct core_source *source)
{
	static char *words[WORDS_MAX];

	if (!make_words(crash, pattern, words)) {
		report("the core is lost: too long a command: %s", pattern);
		discard(source);
		return;
	}
	if (crash->pidfd >= 0)
		fcntl(crash->pidfd, F_SETFD, 0);
	if (source->head_len || source->copy >= 0 || source->fd != STDIN_FILENO) {
		feed(words, source);
		return;
	}
	become(words);
	report("the core is lost: cannot start %s: %s", words[0], strerror(errno));
}

void hand_on(const struct crash *crash, const char *pattern, struct core_source *source)
{
	if (pattern[0] == '|')
		hand_on_program(crash, pattern + 1, source);
	else
		hand_on_file(crash, pattern, source);
	discard(source);
}
