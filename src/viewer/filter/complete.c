/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/expression/lexer.h"
#include "src/viewer/filter/fields.h"
#include "src/viewer/filter/filter.h"

/* What is in front of the word that is typed. */
struct before {
	bool condition;	   /* one begins here */
	bool comparison;   /* a field is in front: it is compared, or && or || follows */
	bool in_frames;	   /* of any() and so on */
	bool wants_frames; /* "any(" */
	bool in_text;
	enum field_type type; /* of that field */
	size_t word;
};

enum { DEPTH = 64 };

static bool is_part_of_word(char c)
{
	return c && !strchr(" \t\n()[]!&|=<>~,\"`", c);
}

static bool takes_frames(const char *text, const struct token *t)
{
	return token_is(text, t, "any") || token_is(text, t, "all") ||
	       token_is(text, t, "count");
}

/* Which parentheses are of frames. */
struct nesting {
	bool frames[DEPTH];
	size_t depth;
};

static void note_sign(struct nesting *nesting, enum sign sign, bool of_frames)
{
	if (sign == SIGN_OPEN && nesting->depth < DEPTH)
		nesting->frames[nesting->depth++] = of_frames;
	else if (sign == SIGN_CLOSE && nesting->depth > 0)
		nesting->depth--;
}

static bool is_in_frames(const struct nesting *nesting)
{
	for (size_t i = 0; i < nesting->depth; i++)
		if (nesting->frames[i])
			return true;
	return false;
}

/* The field whose name ends with this token: "waits.peer" has three. NULL: none does. */
static const struct field *field_ending(const char *text, const struct token *t)
{
	size_t at = t->at, end = t->at + t->len;

	while (at > 0 && is_part_of_word(text[at - 1]))
		at--;
	AUTO(xfree) char *name = xstrndup(text + at, end - at);
	const struct field *field = field_find(name);
	if (field || !strchr(name, '.'))
		return field;
	*strchr(name, '.') = '\0'; /* label.tenant, var.req.URL */
	field = field_find(name);
	return field && (field->source == SOURCE_LABEL || field->source == SOURCE_VALUE)
		       ? field
		       : NULL;
}

static void look_at(const char *text, const struct token *t, const struct token *last,
		    struct nesting *nesting, struct before *ret)
{
	const struct field *field;

	ret->condition = ret->comparison = ret->wants_frames = false;
	if (t->kind == TOKEN_BAD) {
		ret->in_text = text[t->at] == '"' || text[t->at] == '`';
	} else if (t->kind == TOKEN_NAME) {
		field = field_ending(text, t);
		ret->comparison = field != NULL;
		ret->type = field ? field->type : FIELD_ANY;
	} else if (t->kind == TOKEN_SIGN) {
		const bool of_frames =
			last->kind == TOKEN_NAME && takes_frames(text, last);
		ret->wants_frames = t->sign == SIGN_OPEN && of_frames;
		ret->condition =
			(t->sign == SIGN_OPEN && !of_frames) || t->sign == SIGN_AND ||
			t->sign == SIGN_OR || t->sign == SIGN_NOT ||
			(t->sign == SIGN_COMMA && token_is(text, last, "frames"));
		note_sign(nesting, t->sign, of_frames);
	}
}

static struct before look_before(const char *text, size_t cursor)
{
	struct before ret = { .condition = true, .word = cursor };

	while (ret.word > 0 && is_part_of_word(text[ret.word - 1]))
		ret.word--;
	AUTO(xfree) char *front = xstrndup(text, ret.word);
	struct lexer lexer = { .text = front };
	struct nesting nesting = { .depth = 0 };
	struct token t, last = { .kind = TOKEN_END };
	for (lexer_next(&lexer, &t); t.kind != TOKEN_END; lexer_next(&lexer, &t)) {
		look_at(front, &t, &last, &nesting, &ret);
		last = t;
	}
	ret.in_frames = is_in_frames(&nesting);
	return ret;
}

struct offering {
	const char *typed;
	size_t len;
	filter_candidate_fn *fn;
	void *arg;
};

static void offer(const struct offering *o, const char *word, const char *about)
{
	if (strncmp(word, o->typed, o->len) == 0)
		o->fn(o->arg, &(struct filter_candidate){ word, about });
}

static void offer_conditions(const struct offering *o, const struct before *before)
{
	for (size_t i = 0; field_at(i); i++) {
		const struct field *field = field_at(i);
		if (field->source == SOURCE_VALUE ||
		    (field->source == SOURCE_FRAME) == before->in_frames)
			offer(o, field->name, field->about);
	}
	for (size_t i = 0; filter_function_at(i); i++)
		offer(o, filter_function_at(i)->name, filter_function_at(i)->about);
}

static void offer_comparisons(const struct offering *o, enum field_type type)
{
	const bool text = type == FIELD_TEXT || type == FIELD_ANY;
	const bool number = type != FIELD_TEXT && type != FIELD_BOOL;

	offer(o, "==", "is");
	offer(o, "!=", "is there, and is not");
	if (text) {
		offer(o, "~", "matches a regular expression");
		offer(o, "!~", "is there, and does not match");
	}
	if (number) {
		offer(o, "<", "is less than");
		offer(o, "<=", "is at most");
		offer(o, ">", "is greater than");
		offer(o, ">=", "is at least");
	}
	offer(o, "in", "is one of a list");
}

size_t filter_complete(const char *text, size_t cursor, filter_candidate_fn *fn,
		       void *arg)
{
	const struct before before = look_before(text, cursor);
	const struct offering o = { text + before.word, cursor - before.word, fn, arg };

	if (before.in_text)
		return cursor;
	if (before.wants_frames)
		offer(&o, "frames", "the calls of the stack, innermost first");
	else if (before.condition)
		offer_conditions(&o, &before);
	else if (before.comparison)
		offer_comparisons(&o, before.type);
	return before.word;
}
