/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - questions about secrets that were answered with no: a secret learned later
 * may change that. */
#include <string.h>

#include "redaction/redaction_priv.h"

/* Past these limits anything may have been asked. */
enum { QUESTIONS_MAX = 1 << 16, TEXTS_MAX = 1 << 14, BYTES_MAX = 1 << 20 };

struct question {
	enum asked_as as;
	uint64_t what, size;
	size_t known; /* secrets_count() */
};

struct text {
	size_t begin, len;
	size_t known; /* secrets_contents() */
};

struct asked {
	struct question *questions;
	size_t count, cap;
	struct text *texts;
	size_t text_count, text_cap;
	char *bytes; /* of the texts */
	size_t used, size;
	size_t known; /* secrets_count() at the start */
	bool any;     /* at the start every text was already taken for a secret */
	bool too_much_text, too_many;
};

static void begin(struct asked *a, const struct secrets *s)
{
	a->known = secrets_count(s);
	a->any = secrets_are_all(s);
}

struct asked *asked_new(const struct secrets *s)
{
	struct asked *a = xcalloc(1, sizeof(*a));

	begin(a, s);
	return a;
}

static void wipe(struct asked *a)
{
	if (a->used)
		explicit_bzero(a->bytes, a->used);
}

void asked_again(struct asked *a, const struct secrets *s)
{
	wipe(a);
	a->count = a->text_count = a->used = 0;
	a->too_much_text = a->too_many = false;
	begin(a, s);
}

void asked_free(struct asked *a)
{
	if (!a)
		return;
	wipe(a);
	xfree(a->questions);
	xfree(a->texts);
	xfree(a->bytes);
	xfree(a);
}

void asked_word(struct asked *a, const struct secrets *s, enum asked_as as, uint64_t what,
		uint64_t size)
{
	if (!what || a->too_many)
		return;
	if (a->count == QUESTIONS_MAX) {
		a->too_many = true;
		return;
	}
	GROW(a->questions, a->count, a->cap);
	a->questions[a->count++] = (struct question){ as, what, size, secrets_count(s) };
}

void asked_text(struct asked *a, const struct secrets *s, const char *text, size_t len)
{
	if (a->too_much_text)
		return;
	if (a->text_count == TEXTS_MAX || len > BYTES_MAX - a->used) {
		a->too_much_text = true;
		return;
	}
	if (len > a->size - a->used) {
		a->size = 2 * (a->used + len) + 4096;
		a->bytes = xreallocarray(a->bytes, a->size, 1);
	}
	memcpy(a->bytes + a->used, text, len);
	GROW(a->texts, a->text_count, a->text_cap);
	a->texts[a->text_count++] = (struct text){ a->used, len, secrets_contents(s) };
	a->used += len;
}

static bool is_in_text(const struct secrets *s, const char *text, size_t len)
{
	if (secrets_begin(s, text, len))
		return true;
	for (size_t at = 0; at < len; at++)
		if (secrets_here(s, text + at, len - at))
			return true;
	return false;
}

static bool is_one(const struct secrets *s, const struct question *q)
{
	switch (q->as) {
	case ASKED_PLACE:
		return secrets_at(s, q->what, q->size);
	case ASKED_NUMBER:
		return secrets_have_number(s, q->what);
	case ASKED_PIECE:
		return secrets_have_piece(s, q->what);
	case ASKED_WORD:
		return secrets_have_word(s, q->what);
	}
	return true;
}

bool asked_settled(const struct asked *a, const struct secrets *s)
{
	const size_t known = secrets_count(s), contents = secrets_contents(s);

	if (known == a->known)
		return true;
	if (secrets_are_all(s) && !a->any)
		return false;
	if (a->too_many || (a->too_much_text && contents))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->questions[i].known != known && is_one(s, &a->questions[i]))
			return false;
	for (size_t i = 0; i < a->text_count; i++)
		if (a->texts[i].known != contents &&
		    is_in_text(s, a->bytes + a->texts[i].begin, a->texts[i].len))
			return false;
	return true;
}
