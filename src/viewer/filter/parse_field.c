/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/parser.h"

#include <string.h>

#include "src/viewer/filter/filter.h"
#include "src/viewer/terminal/nearest.h"
#include "src/viewer/terminal/text.h"

static bool may_be_here(const struct parser *p, const struct field *field)
{
	return field->source == SOURCE_VALUE ||
	       (field->source == SOURCE_FRAME) == p->in_frames;
}

static const char *nearest_name(const struct parser *p, const char *name)
{
	struct nearest nearest = { .word = name };

	for (size_t i = 0; field_at(i); i++)
		if (may_be_here(p, field_at(i)))
			nearest_try(&nearest, field_at(i)->name);
	for (size_t i = 0; filter_function_at(i); i++)
		nearest_try(&nearest, filter_function_at(i)->name);
	return nearest.best;
}

/* More letters may make a name of it. */
static bool begins_something(const char *name)
{
	for (size_t i = 0; field_at(i); i++)
		if (strncmp(field_at(i)->name, name, strlen(name)) == 0)
			return true;
	for (size_t i = 0; filter_function_at(i); i++)
		if (strncmp(filter_function_at(i)->name, name, strlen(name)) == 0)
			return true;
	return false;
}

static bool unknown(struct parser *p, size_t at, size_t len, const char *name)
{
	const char *nearest = nearest_name(p, name);

	if (nearest)
		parser_wrong(p, at, len, "unknown field %.60s: did you mean %s?", name,
			     nearest);
	else
		parser_wrong(p, at, len, "unknown field %.60s: see gosnap-filter(7)",
			     name);
	p->error->unfinished = p->error->unfinished && begins_something(name);
	return false;
}

static bool elsewhere(struct parser *p, size_t at, size_t len, const struct field *field)
{
	if (p->in_frames)
		return parser_wrong(
			p, at, len,
			"%s is of the goroutine, not of a frame: write it outside "
			"of the parentheses",
			field->name);
	return parser_wrong(p, at, len, "%s is of a frame: write it in any(frames, ...)",
			    field->name);
}

/* "waits.peer": all names and dots. The caller frees it. */
static char *take_names(struct parser *p)
{
	struct text name = { .words = NULL };

	for (;;) {
		text_append(&name, p->lexer.text + p->now.at, p->now.len);
		parser_advance(p);
		if (!parser_takes(p, SIGN_DOT))
			break;
		text_append(&name, ".", 1);
		if (p->now.kind != TOKEN_NAME)
			break;
	}
	return name.words;
}

/* Behind "[": a text, and the bracket's end. The caller frees it. NULL: it is not there. */
static char *take_key(struct parser *p)
{
	if (p->now.kind != TOKEN_TEXT) {
		parser_expected(p, "a text in the brackets");
		return NULL;
	}
	AUTO(xfree) char *key = token_words(p->lexer.text, &p->now);
	parser_advance(p);
	return parser_needs(p, SIGN_CLOSE_BRACKET, "behind the text") ? TAKE(key) : NULL;
}

/* Labels have dots in their names. */
static bool parse_label(struct parser *p, struct expression *x)
{
	if (parser_takes(p, SIGN_OPEN_BRACKET)) {
		x->path.key = take_key(p);
		return x->path.key != NULL;
	}
	if (!parser_takes(p, SIGN_DOT) || p->now.kind != TOKEN_NAME)
		return parser_expected(p, "a key: label.tenant or label[\"odd key\"]");
	const size_t at = p->now.at;
	x->path.key = take_names(p);
	if (p->lexer.text[p->end - 1] == '.')
		return parser_expected(p, "a name behind the dot");
	if (!parser_at(p, SIGN_MINUS))
		return true;
	return parser_wrong(
		p, at, p->end - at,
		"a key with other signs than letters and dots is in brackets: "
		"label[\"%.40s-...\"]",
		x->path.key);
}

/* Behind "[": which element, or what key. */
static bool parse_index(struct parser *p, struct expression *x)
{
	if (p->now.kind == TOKEN_TEXT) {
		char *key = take_key(p);
		if (key)
			path_add(&x->path, STEP_KEY)->name = key;
		return key != NULL;
	}
	const bool negative = parser_takes(p, SIGN_MINUS);
	if (p->now.kind != TOKEN_NUMBER && p->now.kind != TOKEN_ADDRESS)
		return parser_expected(p, "a number or a text in the brackets");
	path_add(&x->path, STEP_INDEX)->index = negative ? -p->now.number : p->now.number;
	parser_advance(p);
	return parser_needs(p, SIGN_CLOSE_BRACKET, "behind the number");
}

static bool parse_step(struct parser *p, struct expression *x)
{
	if (p->now.kind != TOKEN_NAME)
		return parser_expected(p, "a name behind the dot");
	path_add(&x->path, STEP_NAME)->name = token_words(p->lexer.text, &p->now);
	parser_advance(p);
	return true;
}

/* The first step is a name, though variables without one are in brackets: var["sp+0x28"]. */
static bool parse_variable(struct parser *p, struct expression *x)
{
	if (!parser_at(p, SIGN_DOT) && !parser_at(p, SIGN_OPEN_BRACKET))
		return parser_expected(p, "a name: var.req or var.req.URL.Path");
	while (x->path.count < EXPRESSION_STEPS) {
		if (parser_takes(p, SIGN_DOT)		 ? !parse_step(p, x)
		    : parser_takes(p, SIGN_OPEN_BRACKET) ? !parse_index(p, x)
							 : true)
			break;
		if (x->path.steps[0].kind == STEP_INDEX)
			return parser_wrong(p, x->at, p->end - x->at,
					    "a variable has a name: var.req");
	}
	if (p->error->text[0])
		return false;
	x->path.steps[0].kind = STEP_NAME;
	return x->path.count < EXPRESSION_STEPS ||
	       parser_wrong(p, x->at, p->end - x->at, "it has more than %d steps",
			    EXPRESSION_STEPS - 1);
}

static bool parse_name(struct parser *p, struct expression *x)
{
	const size_t at = p->now.at;
	AUTO(xfree) char *name = take_names(p);

	x->path.field = field_find(name);
	if (!x->path.field)
		return unknown(p, at, p->end - at, name);
	if (!may_be_here(p, x->path.field))
		return elsewhere(p, at, p->end - at, x->path.field);
	return true;
}

bool parse_field(struct parser *p, struct expression *x)
{
	const bool label = token_is(p->lexer.text, &p->now, "label");
	const struct token name = p->now;

	if (name.kind != TOKEN_NAME)
		return parser_expected(p, "the name of a field, such as status");
	if (!label && !token_is(p->lexer.text, &name, "var"))
		return parse_name(p, x);
	x->path.field = field_find(label ? "label" : "var");
	if (!may_be_here(p, x->path.field))
		return elsewhere(p, name.at, name.len, x->path.field);
	parser_advance(p);
	return label ? parse_label(p, x) : parse_variable(p, x);
}
