/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/frame_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORDS_MAX = 4096, /* bytes; the runtime prints ten words for a frame */
};

static bool is_secret_inside(struct redaction *r, struct type_walk *w,
			     const struct type *type);

static bool is_secret_in_fields(struct redaction *r, struct type_walk *w,
				const struct type *type)
{
	for (size_t i = 0; i < type_field_count(type); i++) {
		const struct type_field *f = type_field(type, i);
		if (redaction_of_name(r, f->name, strlen(f->name)) ||
		    is_secret_inside(r, w, f->type))
			return true;
	}
	return false;
}

/* In the value's own bytes: what it points to is in no argument word. What could not be
 * checked may be secret. */
static bool is_secret_inside(struct redaction *r, struct type_walk *w,
			     const struct type *type)
{
	if (!type)
		return false;
	if (!type_enter(w, type))
		return true;
	bool secret =
		redaction_of_type(r, type_name(type)) ||
		(type_kind(type) == KIND_ARRAY ? is_secret_inside(r, w, type_elem(type))
					       : is_secret_in_fields(r, w, type));
	type_leave(w);
	return secret;
}

struct judging {
	struct redaction *r;
	struct words_notes *notes;
};

/* Its word is an address, which tells nothing of what is there. */
static bool is_reference(const struct type *type)
{
	const enum type_kind kind = type ? type_kind(type) : KIND_STRUCT;

	return kind == KIND_POINTER || kind == KIND_CHAN || kind == KIND_FUNC ||
	       kind == KIND_MAP;
}

static void judge_argument(void *arg, const char *name, const struct type *type)
{
	const struct judging *j = arg;
	unsigned i = j->notes->count++;
	struct type_walk walk = { 0 };

	if (!is_reference(type) && (redaction_of_name(j->r, name, strlen(name)) ||
				    is_secret_inside(j->r, &walk, type)))
		j->notes->which |= i < 64 ? UINT64_C(1) << i : ~UINT64_C(0);
}

/* By names and types of the arguments, once for each place in the program. */
static const struct words_notes *judge(struct redaction *r,
				       const struct argument_words *words)
{
	struct words_notes *notes = words_notes(words->of);

	if (notes && !notes->known) {
		notes->known = true;
		words_each_argument(words->of, judge_argument,
				    &(struct judging){ r, notes });
	}
	return notes;
}

bool has_argument_words(const struct argument_words *words)
{
	return words->text || words->unreadable;
}

/* "0x1, {0x2, 0x3}, ...": counts them outside braces; 0: they are not all there. */
static unsigned count_arguments(const char *text, size_t len)
{
	unsigned n = len > 0, depth = 0;

	for (size_t i = 0; i < len; i++) {
		depth += text[i] == '{';
		depth -= text[i] == '}' && depth > 0;
		n += text[i] == ',' && depth == 0;
		if (text[i] == '.' && depth == 0)
			return 0;
	}
	return n;
}

/* If argument words cannot be matched with arguments, a single secret one redacts all of
 * them. That is so before Go 1.17, which prints no braces, and with the dictionary of a
 * generic function. */
static uint64_t secret_ones(struct redaction *r, const struct argument_words *words)
{
	const struct words_notes *notes =
		memchr(words->text, 'x', words->len) ? judge(r, words) : NULL;

	if (!notes || !notes->which)
		return 0;
	if (count_arguments(words->text, words->len) != notes->count ||
	    !memchr(words->text, '{', words->len))
		return ~UINT64_C(0);
	return notes->which;
}

/* The text is not NUL-terminated. */
static uint64_t value_of(const char *word, size_t len)
{
	char digits[2 + 16 + 1];

	if (len >= sizeof(digits))
		len = sizeof(digits) - 1;
	memcpy(digits, word, len);
	digits[len] = '\0';
	return strtoull(digits, NULL, 16);
}

/* Parses "0x1f" without reading past the end. Returns its length. */
static size_t word_at(const char *text, size_t len, uint64_t *ret)
{
	size_t n = 2;

	*ret = 0;
	for (; n < len && isxdigit((unsigned char)text[n]); n++)
		*ret = *ret << 4 |
		       (uint64_t)(text[n] <= '9' ? text[n] - '0'
						 : (text[n] | 0x20) - 'a' + 10);
	return n;
}

/* Without names, a row of bytes may be any text. text begins with a brace. */
static bool is_row_of_bytes(const char *text, size_t len)
{
	enum { ROW_MIN = 4 };
	unsigned n = 0;

	for (size_t i = 1; i < len && text[i] != '}'; i++) {
		if (text[i] == '{')
			return false;
		if (text[i] != '0' || i + 1 == len || text[i + 1] != 'x')
			continue;
		if (value_of(text + i, len - i) > UINT8_MAX)
			return false;
		n++;
		i++;
	}
	return n >= ROW_MIN;
}

static void print_some(struct sink *out, struct redaction *r,
		       const struct argument_words *words, uint64_t secret)
{
	static const char redacted[] = "redacted";
	char text[WORDS_MAX];
	size_t n = 0;
	unsigned at = 0, depth = 0;
	bool row = false;

	for (size_t i = 0; i < words->len && n + sizeof(redacted) < sizeof(text);) {
		const char *from = words->text + i;
		size_t len = 1;
		uint64_t value;
		if (*from == '{') {
			depth++;
			row = is_row_of_bytes(from, words->len - i);
		} else if (*from == '}' && depth > 0) {
			depth--;
			row = false;
		}
		at += *from == ',' && depth == 0;
		if (*from == '0' && i + 2 < words->len && from[1] == 'x') {
			len = word_at(from, words->len - i, &value);
			bool dead = i + len < words->len && from[len] == '?';
			bool hide = row || (secret >> (at < 63 ? at : 63) & 1) ||
				    (dead ? redaction_of_dead_word(r, value)
					  : redaction_of_word(r, value));
			size_t size = hide ? sizeof(redacted) - 1 : len;
			memcpy(text + n, hide ? redacted : from, size);
			n += size;
		} else {
			text[n++] = *from;
		}
		i += len;
	}
	sink_plain(out, text, n);
}

void print_argument_words(struct sink *out, struct redaction *r,
			  const struct argument_words *words)
{
	if (!has_argument_words(words)) {
		sink_null(out);
	} else if (!words->text) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "unreadable", words->unreadable);
		sink_end(out);
	} else if (redaction_mode(r) == REDACT_NOTHING) {
		sink_plain(out, words->text, words->len);
	} else if (redaction_mode(r) == REDACT_STRICT) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "redacted", "strict");
		sink_end(out);
	} else {
		print_some(out, r, words, secret_ones(r, words));
	}
}
