/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/screen/screen_host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/viewer/screen/prompt.h"
#include "src/viewer/screen/screen.h"
#include "src/viewer/screen/tty.h"
#include "src/viewer/screen/typing.h"

enum { HEAD = 4, SERVICES = 6 };

struct screen_host {
	struct tty *tty;
	struct sandbox_service services[SERVICES + 1];
	int32_t last; /* command that was told; what it permits has not been done */
	struct typing typing;
	unsigned rows, columns;
	struct prompt prompt; /* for the name of a file */
	char question[96];
	bool overwrites; /* it is asked whether that may be */
	unsigned rows_to_write;
	bool has_stacks;
	enum screen_part part;
	char name[PATH_MAX];
	char *said;
};

/* Whoever sends them may be anybody. */
static void serve_rows(void *arg, const struct question *q, int fd, struct answer *ret,
		       int *ret_fd)
{
	struct screen_host *host = arg;
	uint16_t head[2];

	(void)fd, (void)ret_fd;
	if (!tty_begin(host->tty)) {
		ret->result = -ENOTTY;
		return;
	}
	for (size_t at = 0; at + HEAD <= q->len; at += HEAD + head[1]) {
		memcpy(head, q->text + at, HEAD);
		if (head[1] > q->len - at - HEAD)
			break;
		tty_row(host->tty, head[0], q->text + at + HEAD, head[1]);
	}
}

static void serve_update(void *arg, const struct question *q, int fd, struct answer *ret,
			 int *ret_fd)
{
	struct screen_host *host = arg;

	(void)q, (void)fd, (void)ret, (void)ret_fd;
	tty_update(host->tty);
}

/* The user's own: at the prompt, keys are not told. */
static bool take_key(struct screen_host *host, struct key *ret)
{
	*ret = tty_key(host->tty);
	host->rows = ret->rows;
	host->columns = ret->columns;
	return ret->code != KEYS_NONE;
}

static void tell_key(struct screen_host *host, const struct key *key, struct answer *ret)
{
	host->last = typing_is_command(&host->typing, key) ? key->code : KEYS_NONE;
	ret->len = sizeof(*key);
	memcpy(ret->bytes, key, sizeof(*key));
}

static bool finish_key(void *arg, struct answer *ret, int *ret_fd,
		       struct answer_wait *ret_wait)
{
	struct screen_host *host = arg;
	struct key key;

	(void)ret_fd;
	ret_wait->fd = tty_events(host->tty);
	if (!take_key(host, &key))
		return false;
	tell_key(host, &key, ret);
	return true;
}

static void serve_key(void *arg, const struct question *q, int fd, struct answer *ret,
		      int *ret_fd)
{
	struct screen_host *host = arg;
	struct key key;

	(void)fd, (void)ret_fd;
	if (!tty_begin(host->tty)) {
		ret->result = -ENOTTY;
		return;
	}
	tty_update(host->tty);
	if (q->number & SCREEN_TYPES)
		typing_goes_on(&host->typing);
	if (!take_key(host, &key) && q->number & SCREEN_WAITS)
		ret->result = ANSWER_LATER;
	else
		tell_key(host, &key, ret);
}

/* True once for each such key. */
static bool is_asked_for(struct screen_host *host, int32_t key)
{
	const bool is = host->last == key;

	host->last = KEYS_NONE;
	return is;
}

static void serve_copy(void *arg, const struct question *q, int fd, struct answer *ret,
		       int *ret_fd)
{
	struct screen_host *host = arg;
	char bytes[SCREEN_COPY_MAX];
	size_t len = 0;

	(void)q, (void)ret_fd;
	ret->result = -EPERM;
	/* A writer who stays away must not keep us. */
	if (!is_asked_for(host, 'y') || fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return;
	for (ssize_t n; len < sizeof(bytes); len += (size_t)n) {
		n = read(fd, bytes + len, sizeof(bytes) - len);
		if (n <= 0)
			break;
	}
	tty_copy(host->tty, bytes, len);
	ret->result = 0;
}

static void draw_prompt(struct screen_host *host)
{
	struct line line;

	line_begin(&line, host->columns);
	prompt_draw(&host->prompt, &line);
	tty_row(host->tty, host->rows - 1, text_words(&line.text), line.text.len);
	line_done(&line);
	tty_update(host->tty);
}

static void name_part(struct text *text, const struct screen_host *host,
		      enum screen_part part)
{
	if (part == SCREEN_ROW)
		return;
	text_add_count(text, host->rows_to_write);
	text_add(text, part == SCREEN_ROWS ? " rows " : " stacks ");
}

static enum screen_part next_part(const struct screen_host *host)
{
	if (host->rows_to_write <= 1)
		return SCREEN_ROW;
	return (host->part + 1) % (host->has_stacks ? SCREEN_STACKS + 1 : SCREEN_STACKS);
}

/* What is typed stays. */
static void ask_for_name(struct screen_host *host)
{
	const enum screen_part next = next_part(host);
	struct text text = { .words = NULL };

	text_add(&text, "Write ");
	name_part(&text, host, host->part);
	text_add(&text, "to file (.md: Markdown");
	if (next != host->part) {
		text_add(&text, "; Tab: ");
		name_part(&text, host, next);
		if (next == SCREEN_ROW)
			text_add(&text, "this row ");
		text.words[--text.len] = '\0';
	}
	text_add(&text, "): ");
	snprintf(host->question, sizeof(host->question), "%s", text_words(&text));
	host->prompt.question = host->question;
	text_done(&text);
	draw_prompt(host);
}

static void serve_file(void *arg, const struct question *q, int fd, struct answer *ret,
		       int *ret_fd)
{
	struct screen_host *host = arg;

	(void)fd, (void)ret_fd;
	if (!is_asked_for(host, 'w')) {
		ret->result = -EPERM;
		return;
	}
	host->overwrites = false;
	host->rows_to_write = q->number > 0 ? (unsigned)q->number : 0;
	host->has_stacks = q->len > 0;
	host->part = SCREEN_ROW;
	prompt_begin(&host->prompt, "");
	ask_for_name(host);
	ret->result = ANSWER_LATER;
}

static bool is_markdown(const char *name)
{
	const size_t len = strlen(name);

	return len > 3 && strcmp(name + len - 3, ".md") == 0;
}

/* False: the user is asked whether to overwrite it. */
static bool open_named(struct screen_host *host, struct answer *ret, int *ret_fd)
{
	const int how = host->overwrites ? O_TRUNC : O_EXCL;
	struct stat st;

	*ret_fd =
		open(host->name,
		     O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | how, 0600);
	if (*ret_fd < 0 && errno == EEXIST) {
		host->overwrites = true;
		prompt_begin(&host->prompt, "It exists. Overwrite it? (yes or no) ");
		draw_prompt(host);
		return false;
	}
	ret->result =
		*ret_fd < 0 ? -errno : is_markdown(host->name) | (int32_t)host->part << 1;
	if (*ret_fd >= 0 && (fstat(*ret_fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(*ret_fd);
		*ret_fd = -1;
		ret->result = -EINVAL;
	}
	return true;
}

/* As a shell would. */
static void take_name(struct screen_host *host)
{
	const char *words = host->prompt.words, *home = getenv("HOME");
	const bool within = strncmp(words, "~/", 2) == 0 && home;

	snprintf(host->name, sizeof(host->name), "%s%s", within ? home : "",
		 within ? words + 1 : words);
}

/* False: it goes on. */
static bool take_answer(struct screen_host *host, struct answer *ret, int *ret_fd)
{
	if (host->overwrites && strcmp(host->prompt.words, "yes") != 0) {
		ret->result = -ECANCELED;
		return true;
	}
	if (!host->overwrites)
		take_name(host);
	return open_named(host, ret, ret_fd);
}

static bool finish_file(void *arg, struct answer *ret, int *ret_fd,
			struct answer_wait *ret_wait)
{
	struct screen_host *host = arg;
	struct key key;

	ret_wait->fd = tty_events(host->tty);
	while (take_key(host, &key)) {
		if (key.code == KEYS_TAB && !host->overwrites) {
			host->part = next_part(host);
			ask_for_name(host);
			continue;
		}
		switch (prompt_key(&host->prompt, &key)) {
		case PROMPT_GIVEN_UP:
			ret->result = -ECANCELED;
			return true;
		case PROMPT_DONE:
			if (take_answer(host, ret, ret_fd))
				return true;
			break;
		case PROMPT_GOES_ON:
			draw_prompt(host);
		}
	}
	return false;
}

static void serve_say(void *arg, const struct question *q, int fd, struct answer *ret,
		      int *ret_fd)
{
	struct screen_host *host = arg;

	(void)fd, (void)ret, (void)ret_fd;
	xfree(host->said);
	host->said = xstrndup(q->text, q->len);
}

struct screen_host *screen_host_new(struct tty *tty)
{
	struct screen_host *host = xcalloc(1, sizeof(*host));
	const struct sandbox_service services[SERVICES] = {
		{ ASK_SCREEN_ROWS, serve_rows, host, NULL },
		{ ASK_SCREEN_UPDATE, serve_update, host, NULL },
		{ ASK_SCREEN_KEY, serve_key, host, finish_key },
		{ ASK_SCREEN_COPY, serve_copy, host, NULL },
		{ ASK_SCREEN_FILE, serve_file, host, finish_file },
		{ ASK_SCREEN_SAY, serve_say, host, NULL },
	};

	host->tty = tty;
	host->last = KEYS_NONE;
	memcpy(host->services, services, sizeof(services));
	return host;
}

void screen_host_free(struct screen_host *host)
{
	if (!host)
		return;
	xfree(host->said);
	xfree(host);
}

const struct sandbox_service *screen_host_services(const struct screen_host *host)
{
	return host->services;
}

const char *screen_host_said(const struct screen_host *host)
{
	return host->said;
}

void screen_host_ask(struct screen_host *host, const struct question *q, int fd,
		     struct answer *ret, int *ret_fd)
{
	const struct sandbox_service *s = host->services;
	struct answer_wait wait = { .fd = -1 };
	int ignored = -1;

	while (s->kind != q->kind)
		s++;
	*ret = (struct answer){ .result = 0 };
	s->serve(s->arg, q, fd, ret, ret_fd ? ret_fd : &ignored);
	if (ret->result != ANSWER_LATER)
		return;
	ret->result = 0;
	while (!s->finish(s->arg, ret, ret_fd ? ret_fd : &ignored, &wait)) {
		struct pollfd events = { .fd = wait.fd, .events = POLLIN };
		poll(&events, 1, -1);
	}
}
