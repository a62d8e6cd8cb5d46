/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/ere.h"
#include "src/viewer/filter/filter.h"

static struct expression *parse_or(struct parser *p);

void parser_advance(struct parser *p)
{
	p->end = p->now.at + p->now.len;
	lexer_next(&p->lexer, &p->now);
}

bool parser_at(const struct parser *p, enum sign sign)
{
	return p->now.kind == TOKEN_SIGN && p->now.sign == sign;
}

bool parser_takes(struct parser *p, enum sign sign)
{
	if (!parser_at(p, sign))
		return false;
	parser_advance(p);
	return true;
}

bool parser_wrong(struct parser *p, size_t at, size_t len, const char *format, ...)
{
	va_list arguments;

	if (p->error->text[0])
		return false;
	p->error->at = at;
	p->error->len = len;
	p->error->unfinished = p->lexer.text[at + len] == '\0';
	va_start(arguments, format);
	vsnprintf(p->error->text, sizeof(p->error->text), format, arguments);
	va_end(arguments);
	return false;
}

bool parser_expected(struct parser *p, const char *what)
{
	const struct token *t = &p->now;

	if (t->kind == TOKEN_BAD)
		return parser_wrong(p, t->at, t->len, "%s", t->why);
	if (parser_at(p, SIGN_ASSIGN))
		return parser_wrong(p, t->at, t->len, "= is no comparison: write ==");
	if (t->kind == TOKEN_END)
		return parser_wrong(p, t->at, 0, "expected %s at the end", what);
	return parser_wrong(p, t->at, t->len, "expected %s, not %.*s", what,
			    (int)(t->len < 40 ? t->len : 40), p->lexer.text + t->at);
}

bool parser_needs(struct parser *p, enum sign sign, const char *where)
{
	char what[64];

	if (parser_takes(p, sign))
		return true;
	snprintf(what, sizeof(what), "%s %s", sign_name(sign), where);
	return parser_expected(p, what);
}

bool parser_counts(struct parser *p)
{
	return ++p->parts <= EXPRESSION_PARTS ||
	       parser_wrong(p, p->now.at, p->now.len, "it has more than %d conditions",
			    EXPRESSION_PARTS);
}

static bool goes_deeper(struct parser *p)
{
	return ++p->depth <= EXPRESSION_DEPTH ||
	       parser_wrong(p, p->now.at, p->now.len,
			    "it is nested more than %d levels deep", EXPRESSION_DEPTH);
}

/* Behind "(". open: where that is. */
static struct expression *parse_inside(struct parser *p, size_t open)
{
	AUTO(expression_free) struct expression *x = goes_deeper(p) ? parse_or(p) : NULL;

	p->depth--;
	if (!x)
		return NULL;
	if (p->now.kind == TOKEN_END) {
		parser_wrong(p, open, 1, "this parenthesis is not closed");
		p->error->unfinished = true;
		return NULL;
	}
	return parser_needs(p, SIGN_CLOSE, "or && or ||") ? TAKE(x) : NULL;
}

static bool takes_frames(struct parser *p)
{
	if (!token_is(p->lexer.text, &p->now, "frames"))
		return parser_expected(p, "frames");
	parser_advance(p);
	return true;
}

/* Behind "any(". */
static bool parse_frames(struct parser *p, struct expression *x)
{
	const bool counts = x->kind == EXPRESSION_COUNT;

	if (p->in_frames)
		return parser_wrong(
			p, x->at, p->end - x->at,
			"any(), all() and count() cannot be inside of one another");
	if (!takes_frames(p))
		return false;
	x->cost = COST_FRAMES;
	if (counts && parser_takes(p, SIGN_CLOSE))
		return true;
	if (!parser_needs(p, SIGN_COMMA, "and a condition on a frame"))
		return false;
	p->in_frames = true;
	struct expression *part = parse_inside(p, x->at);
	p->in_frames = false;
	if (part)
		expression_add(x, part);
	return part != NULL;
}

/* Behind "has(". */
static bool parse_has(struct parser *p, struct expression *x)
{
	if (!parse_field(p, x))
		return false;
	x->cost = field_cost(x->path.field);
	return parser_needs(p, SIGN_CLOSE, "behind the field");
}

static bool parse_length(struct parser *p, struct expression *x)
{
	if (!parse_has(p, x))
		return false;
	x->path.length = true;
	return x->path.field->type == FIELD_ANY ||
	       parser_wrong(p, x->at, p->end - x->at,
			    "len() is of a variable, as in len(var.ids)");
}

static bool parse_contains(struct parser *p, struct expression *x)
{
	x->how = COMPARE_CONTAINS;
	if (!parse_field(p, x))
		return false;
	x->cost = field_cost(x->path.field);
	if (x->path.field->type != FIELD_TEXT && x->path.field->type != FIELD_ANY)
		return parser_wrong(
			p, x->at, p->end - x->at, "%s is %s: contains() is of text",
			x->path.field->name, field_type_name(x->path.field->type));
	return parser_needs(p, SIGN_COMMA, "and a text") && parse_text(p, x) &&
	       parser_needs(p, SIGN_CLOSE, "behind the text");
}

static bool parse_count(struct parser *p, struct expression *x)
{
	return parse_frames(p, x) && parse_number_comparison(p, x, "count()");
}

static bool parse_length_comparison(struct parser *p, struct expression *x)
{
	return parse_length(p, x) && parse_number_comparison(p, x, "len()");
}

static const struct {
	const char *name;
	enum expression_kind kind;
	bool (*parse)(struct parser *p, struct expression *x);
} functions[] = {
	{ "any", EXPRESSION_ANY, parse_frames },
	{ "all", EXPRESSION_ALL, parse_frames },
	{ "count", EXPRESSION_COUNT, parse_count },
	{ "has", EXPRESSION_HAS, parse_has },
	{ "len", EXPRESSION_COMPARE, parse_length_comparison },
	{ "contains", EXPRESSION_COMPARE, parse_contains },
};

/* There is the name of a function, with its parenthesis. */
static size_t function_here(const struct parser *p)
{
	struct lexer ahead = p->lexer;
	struct token open;
	size_t i = 0;

	lexer_next(&ahead, &open);
	if (open.kind != TOKEN_SIGN || open.sign != SIGN_OPEN)
		return ARRAY_SIZE(functions);
	while (i < ARRAY_SIZE(functions) &&
	       !token_is(p->lexer.text, &p->now, functions[i].name))
		i++;
	return i;
}

static struct expression *parse_function(struct parser *p, size_t i)
{
	AUTO(expression_free) struct expression *x = expression_new(functions[i].kind);

	x->at = p->now.at;
	parser_advance(p);
	parser_advance(p);
	return functions[i].parse(p, x) ? TAKE(x) : NULL;
}

static struct expression *parse_constant(struct parser *p, bool truth)
{
	struct expression *x = expression_new(EXPRESSION_CONSTANT);

	x->truth = truth;
	parser_advance(p);
	return x;
}

static struct expression *parse_condition(struct parser *p)
{
	AUTO(expression_free) struct expression *x = expression_new(EXPRESSION_COMPARE);

	x->at = p->now.at;
	if (!parse_field(p, x))
		return NULL;
	x->cost = field_cost(x->path.field);
	return parse_comparison(p, TAKE(x));
}

static struct expression *parse_primary(struct parser *p)
{
	const size_t at = p->now.at, function = function_here(p);
	const bool is_true = token_is(p->lexer.text, &p->now, "true");

	if (!parser_counts(p))
		return NULL;
	if (parser_takes(p, SIGN_OPEN))
		return parse_inside(p, at);
	if (p->now.kind != TOKEN_NAME) {
		parser_expected(p, "a condition, as in waiting > 5m");
		return NULL;
	}
	if (function < ARRAY_SIZE(functions))
		return parse_function(p, function);
	if (is_true || token_is(p->lexer.text, &p->now, "false"))
		return parse_constant(p, is_true);
	return parse_condition(p);
}

static struct expression *parse_not(struct parser *p)
{
	if (!parser_takes(p, SIGN_NOT))
		return parse_primary(p);
	struct expression *part = goes_deeper(p) ? parse_not(p) : NULL;
	p->depth--;
	if (!part)
		return NULL;
	struct expression *x = expression_new(EXPRESSION_NOT);
	expression_add(x, part);
	return x;
}

/* Conditions with the same sign between them. */
static struct expression *parse_chain(struct parser *p, enum sign sign,
				      enum expression_kind kind,
				      struct expression *(*parse_part)(struct parser *))
{
	const size_t at = p->now.at;
	AUTO(expression_free) struct expression *x = NULL;

	for (;;) {
		const size_t begin = p->now.at;
		struct expression *part = parse_part(p);
		if (!part)
			return NULL;
		part->at = begin;
		part->end = p->end;
		if (!x && !parser_at(p, sign))
			return part;
		if (!x)
			x = expression_new(kind);
		expression_add(x, part);
		x->at = at;
		x->end = p->end;
		if (!parser_takes(p, sign))
			return TAKE(x);
	}
}

static struct expression *parse_and(struct parser *p)
{
	return parse_chain(p, SIGN_AND, EXPRESSION_AND, parse_not);
}

static struct expression *parse_or(struct parser *p)
{
	return parse_chain(p, SIGN_OR, EXPRESSION_OR, parse_and);
}

struct expression *parse_expression(const char *text, bool compiles,
				    struct filter_error *error)
{
	struct parser p = { .lexer = { .text = text },
			    .compiles = compiles,
			    .room = ERE_ROOM,
			    .error = error };

	*error = (struct filter_error){ .text = "" };
	if (strlen(text) > EXPRESSION_BYTES) {
		parser_wrong(&p, 0, 0, "it is longer than %d bytes", EXPRESSION_BYTES);
		return NULL;
	}
	parser_advance(&p);
	AUTO(expression_free) struct expression *x = parse_or(&p);
	if (!x)
		return NULL;
	if (parser_at(&p, SIGN_CLOSE)) {
		parser_wrong(&p, p.now.at, 1, "no parenthesis is open here");
		return NULL;
	}
	if (p.now.kind != TOKEN_END) {
		parser_expected(&p, "&& or ||");
		return NULL;
	}
	return TAKE(x);
}
