/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - a message of rows has, for each: its number and length, two bytes each, and the row as line.h
 * encodes it. Rows that are as they were are not sent. */
#include "src/viewer/screen/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/sandbox/broker.h"
#include "src/viewer/screen/screen_host.h"

enum { HEAD = 4 };

struct screen {
	struct screen_host *host;
	uint64_t sent[SCREEN_ROWS_MAX]; /* hashes; 0: unknown */
	struct question rows;
	bool gone;
};

struct screen *screen_new(struct screen_host *host)
{
	struct screen *screen = xcalloc(1, sizeof(*screen));

	screen->host = host;
	screen->rows.kind = ASK_SCREEN_ROWS;
	return screen;
}

void screen_free(struct screen *screen)
{
	xfree(screen);
}

static bool ask(struct screen *screen, const struct question *q, int fd,
		struct answer *ret, int *ret_fd)
{
	if (!sandbox_is_closed())
		screen_host_ask(screen->host, q, fd, ret, ret_fd);
	else if (!sandbox_ask(q, fd, ret, ret_fd))
		screen->gone = true;
	return !screen->gone && ret->result >= 0;
}

static void send_rows(struct screen *screen)
{
	struct answer answer;

	if (screen->rows.len && !ask(screen, &screen->rows, -1, &answer, NULL))
		screen->gone = true;
	screen->rows.len = 0;
}

static uint64_t hash_of(const struct line *line)
{
	return hash_text(text_words(&line->text)) | 1;
}

void screen_row(struct screen *screen, unsigned row, const struct line *line)
{
	struct question *q = &screen->rows;
	const uint16_t head[] = { (uint16_t)row, (uint16_t)line->text.len };

	if (row >= SCREEN_ROWS_MAX || screen->sent[row] == hash_of(line))
		return;
	if (q->len + HEAD + line->text.len > sizeof(q->text) - 1)
		send_rows(screen);
	memcpy(q->text + q->len, head, HEAD);
	memcpy(q->text + q->len + HEAD, text_words(&line->text), line->text.len);
	q->len += HEAD + (uint32_t)line->text.len;
	screen->sent[row] = hash_of(line);
}

void screen_forget(struct screen *screen)
{
	memset(screen->sent, 0, sizeof(screen->sent));
}

void screen_update(struct screen *screen)
{
	const struct question q = { .kind = ASK_SCREEN_UPDATE };
	struct answer answer;

	send_rows(screen);
	ask(screen, &q, -1, &answer, NULL);
}

bool screen_key(struct screen *screen, unsigned how, struct key *ret)
{
	const struct question q = { .kind = ASK_SCREEN_KEY, .number = (int32_t)how };
	struct answer answer;

	send_rows(screen);
	if (screen->gone || !ask(screen, &q, -1, &answer, NULL) ||
	    answer.len != sizeof(*ret))
		return false;
	memcpy(ret, answer.bytes, sizeof(*ret));
	if (ret->code == KEYS_RESIZED)
		screen_forget(screen);
	return true;
}

bool screen_copy(struct screen *screen, const char *words, size_t len)
{
	const struct question q = { .kind = ASK_SCREEN_COPY };
	struct answer answer;
	int ends[2];

	/* A pipe holds as much. */
	if (len > SCREEN_COPY_MAX || pipe2(ends, O_CLOEXEC) < 0)
		return false;
	bool copied = write_fully(ends[1], words, len);
	close(ends[1]);
	copied = copied && ask(screen, &q, ends[0], &answer, NULL);
	close(ends[0]);
	return copied;
}

int screen_file(struct screen *screen, size_t rows, bool has_stacks,
		struct screen_file_kind *ret)
{
	const struct question q = { .kind = ASK_SCREEN_FILE,
				    .number =
					    rows < INT32_MAX ? (int32_t)rows : INT32_MAX,
				    .len = has_stacks };
	struct answer answer;
	int fd = -1;

	send_rows(screen);
	screen_forget(screen); /* the question stood there */
	if (!ask(screen, &q, -1, &answer, &fd))
		return screen->gone ? -EIO : (int)answer.result;
	ret->markdown = answer.result & 1;
	ret->part = (enum screen_part)(answer.result >> 1);
	return fd;
}

void screen_say(struct screen *screen, const char *words)
{
	struct question q = { .kind = ASK_SCREEN_SAY };
	struct answer answer;

	q.len = (uint32_t)strnlen(words, sizeof(q.text) - 1);
	memcpy(q.text, words, q.len);
	ask(screen, &q, -1, &answer, NULL);
}
