/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - secrets in memory that leaves as it is, rather than as values in a document. */
#include "redaction/redaction_priv.h"

enum {
	TEXT_MIN = 8, /* letters in a row are a text, in which secrets are looked for */
	DOUBTFUL_MIN = 4, /* ... if all text may be secret */
};

#define FILL_WORD (UINT64_C(0x0101010101010101) * REDACTION_FILL)

static bool is_letter(uint8_t c)
{
	return (c >= ' ' && c < 0x7f) || c >= 0x80 || c == '\t' || c == '\n' || c == '\r';
}

static size_t letters_at(const uint8_t *bytes, size_t len, size_t at)
{
	size_t n = 0;

	while (at + n < len && is_letter(bytes[at + n]))
		n++;
	return n;
}

void redaction_note_place(struct redaction *r, uint64_t addr, uint64_t size)
{
	if (!r->places)
		r->places = secrets_new();
	secrets_learn(r->places, addr, size, NULL, 0);
}

static void erase_texts(uint8_t *bytes, size_t len, size_t least)
{
	for (size_t at = 0, n; at < len; at += n + 1) {
		n = letters_at(bytes, len, at);
		if (n >= least)
			memset(bytes + at, REDACTION_FILL, n);
	}
}

static void erase_places(const struct secrets *s, uint64_t addr, uint8_t *bytes,
			 size_t len)
{
	uint64_t begin, end;

	for (uint64_t at = addr; s && at < addr + len; at = end) {
		if (!secrets_place(s, at, addr + len - at, &begin, &end))
			return;
		memset(bytes + (begin - addr), REDACTION_FILL, end - begin);
	}
}

/* A secret from its beginning, or eight bytes of one. Of too many that begin alike, any text is
 * one. */
static size_t known_at(const struct secrets *s, const uint8_t *bytes, size_t len)
{
	if (!s)
		return 0;
	size_t whole = secrets_here(s, (const char *)bytes, len);
	if (whole == len)
		whole = letters_at(bytes, len, 0);
	const size_t part = secrets_part(s, (const char *)bytes, len);
	return whole > part ? whole : part;
}

/* From `at`, which may be in the middle of what was found before. */
static void erase_known(const struct redaction *r, const uint8_t *was, uint8_t *bytes,
			size_t len)
{
	uint64_t word;

	for (size_t at = 0, done = 0; at + SECRET_MIN <= len; at++) {
		if (at + sizeof(word) <= len) {
			memcpy(&word, was + at, sizeof(word));
			if (word == 0 || word == FILL_WORD) /* most of memory is */
				continue;
		}
		const size_t here = known_at(r->here, was + at, len - at),
			     always = known_at(r->always, was + at, len - at);
		const size_t end = at + (here > always ? here : always);
		if (end <= at || end <= done)
			continue;
		const size_t from = at > done ? at : done;
		memset(bytes + from, REDACTION_FILL, end - from);
		done = end;
	}
}

static bool is_all(const struct redaction *r)
{
	return secrets_are_all(r->here) || (r->always && secrets_are_all(r->always));
}

void redaction_erase(struct redaction *r, uint64_t addr, void *bytes, size_t len)
{
	if (r->mode == REDACT_NOTHING)
		return;
	if (r->mode == REDACT_STRICT || is_all(r)) {
		erase_texts(bytes, len, DOUBTFUL_MIN);
		return;
	}
	AUTO(xfree) uint8_t *was = xmalloc(len + 1);
	memcpy(was, bytes, len);
	erase_known(r, was, bytes, len);
	explicit_bzero(was, len);
	erase_places(r->here, addr, bytes, len);
	erase_places(r->always, addr, bytes, len);
	erase_places(r->places, addr, bytes, len);
	if (r->learns_nothing)
		erase_texts(bytes, len, TEXT_MIN);
}
