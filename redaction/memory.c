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

/* Memory that is being overwritten. */
struct erasing {
	struct redaction *r;
	uint64_t addr;
	const uint8_t *was;
	uint8_t *bytes;
	size_t len;
	redaction_keep_fn *keep;
	void *arg;
};

/* Is the byte one of a word that is kept? *ret_end: where the word ends. */
static bool is_kept(const struct erasing *e, size_t at, size_t *ret_end)
{
	uint64_t word;
	const uint64_t begin = (e->addr + at) & ~(uint64_t)(sizeof(word) - 1);

	*ret_end = begin + sizeof(word) - e->addr;
	if (!e->keep || begin < e->addr || *ret_end > e->len) {
		*ret_end = at + 1;
		return false;
	}
	memcpy(&word, e->was + (begin - e->addr), sizeof(word));
	return e->keep(e->arg, begin, e->was + (begin - e->addr)) &&
	       !secrets_have_number(e->r->here, word) &&
	       !(e->r->always && secrets_have_number(e->r->always, word));
}

/* [from, end), but for words that are kept. */
static void erase_doubtful(const struct erasing *e, size_t from, size_t end)
{
	size_t next;

	for (size_t at = from; at < end; at = next) {
		const bool kept = is_kept(e, at, &next);
		if (next > end)
			next = end;
		if (!kept)
			memset(e->bytes + at, REDACTION_FILL, next - at);
	}
}

static void erase_texts(const struct erasing *e, size_t least)
{
	for (size_t at = 0, n; at < e->len; at += n + 1) {
		n = letters_at(e->was, e->len, at);
		if (n >= least)
			erase_doubtful(e, at, at + n);
	}
}

static void erase_places(const struct secrets *s, const struct erasing *e)
{
	uint64_t begin, end;

	for (uint64_t at = e->addr; s && at < e->addr + e->len; at = end) {
		if (!secrets_place(s, at, e->addr + e->len - at, &begin, &end))
			return;
		memset(e->bytes + (begin - e->addr), REDACTION_FILL, end - begin);
	}
}

/* A secret from its beginning: of too many that begin alike, any text is one, and of a long one all
 * that follows. */
static size_t whole_at(const struct secrets *s, const uint8_t *bytes, size_t len)
{
	const size_t n = s ? secrets_here(s, (const char *)bytes, len) : 0;

	if (n == len)
		return letters_at(bytes, len, 0);
	return n >= SECRET_KNOWN ? n + letters_at(bytes + n, len - n, 0) : n;
}

static size_t part_at(const struct secrets *s, const uint8_t *bytes, size_t len)
{
	return s ? secrets_part(s, (const char *)bytes, len) : 0;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* From `at`, which may be in the middle of what was found before. */
static void erase_known(const struct redaction *r, const struct erasing *e)
{
	uint64_t word;

	for (size_t at = 0, done = 0, parts_done = 0; at + SECRET_MIN <= e->len; at++) {
		const uint8_t *was = e->was + at;
		const size_t left = e->len - at;
		if (sizeof(word) <= left) {
			memcpy(&word, was, sizeof(word));
			if (word == 0 || word == FILL_WORD) /* most of memory is */
				continue;
		}
		const size_t whole = larger(whole_at(r->here, was, left),
					    whole_at(r->always, was, left)),
			     part = larger(part_at(r->here, was, left),
					   part_at(r->always, was, left));
		if (whole && at + whole > done) {
			const size_t from = larger(at, done);
			memset(e->bytes + from, REDACTION_FILL, at + whole - from);
			done = at + whole;
		}
		if (part && at + part > parts_done) {
			erase_doubtful(e, larger(at, parts_done), at + part);
			parts_done = at + part;
		}
	}
}

/* Headers of HTTP/2, and what is known to be secret in their code. Most words of memory are addresses or small numbers,
 * with two zeros at the end, or text: only what is around other words is searched. */
static bool may_be_coded(const uint8_t *word)
{
	return word[6] || word[7];
}

static void erase_coded_part(void *arg, size_t begin, size_t end)
{
	const struct erasing *e = arg;

	erase_doubtful(e, begin, end);
}

static void erase_coded_words(const struct erasing *e, size_t from, size_t end)
{
	const struct secrets *const known[] = { e->r->here, e->r->always };
	struct erasing part = *e;

	if (!huffman_may_be((const char *)e->was + from, end - from))
		return;
	part.addr += from;
	part.was += from;
	part.bytes += from;
	part.len = end - from;
	each_secret_field(e->r, part.was, part.len, erase_coded_part, &part);
	for (size_t i = 0; i < ARRAY_SIZE(known) && known[i]; i++)
		secrets_each_coded(known[i], part.was, part.len, erase_coded_part, &part);
}

static void erase_coded(const struct erasing *e)
{
	enum { WORD = sizeof(uint64_t), AROUND = 4 * WORD };
	size_t from = 0, end = 0; /* end 0: none yet */

	for (size_t at = 0; at + WORD <= e->len; at += WORD) {
		if (!may_be_coded(e->was + at))
			continue;
		const size_t before = at > AROUND ? at - AROUND : 0;
		if (end && before > end) {
			erase_coded_words(e, from, end);
			end = 0;
		}
		if (!end)
			from = before;
		end = e->len - at > AROUND + WORD ? at + AROUND + WORD : e->len;
	}
	if (end || e->len < WORD)
		erase_coded_words(e, from, e->len - end < WORD ? e->len : end);
}

bool redaction_knows_too_many(const struct redaction *r)
{
	return r->mode == REDACT_SECRETS &&
	       (secrets_are_all(r->here) || (r->always && secrets_are_all(r->always)));
}

void redaction_erase(struct redaction *r, uint64_t addr, void *bytes, size_t len,
		     redaction_keep_fn *keep, void *arg)
{
	if (r->mode == REDACT_NOTHING)
		return;
	AUTO(xfree) uint8_t *was = xmalloc(len + 1);
	const struct erasing e = { r, addr, was, bytes, len, keep, arg };

	memcpy(was, bytes, len);
	erase_coded(&e); /* in pieces, code is no text */
	if (r->mode == REDACT_STRICT || redaction_knows_too_many(r)) {
		erase_texts(&e, DOUBTFUL_MIN);
	} else {
		erase_known(r, &e);
		erase_places(r->here, &e);
		erase_places(r->always, &e);
		erase_places(r->places, &e);
		if (r->learns_nothing)
			erase_texts(&e, TEXT_MIN);
	}
	unused_erase(r, addr, bytes, len);
	explicit_bzero(was, len);
}
