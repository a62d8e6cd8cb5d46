/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/parser.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/ere.h"
#include "lib/base/err.h"
#include "src/viewer/filter/filter.h"

static const struct {
	enum sign sign;
	enum comparison how;
} comparisons[] = {
	{ SIGN_EQUAL, COMPARE_EQUAL },
	{ SIGN_UNEQUAL, COMPARE_UNEQUAL },
	{ SIGN_LESS, COMPARE_LESS },
	{ SIGN_LESS_OR_EQUAL, COMPARE_LESS_OR_EQUAL },
	{ SIGN_GREATER, COMPARE_GREATER },
	{ SIGN_GREATER_OR_EQUAL, COMPARE_GREATER_OR_EQUAL },
	{ SIGN_MATCHES, COMPARE_MATCHES },
	{ SIGN_UNMATCHED, COMPARE_UNMATCHED },
};

/* What the literal has to be; of len() and count(), a number. */
struct wanted {
	const char *name;
	enum field_type type;
};

static struct wanted wanted_of(const struct expression *x)
{
	return (struct wanted){ x->path.field->name, x->path.field->type };
}

static bool is_name(const struct parser *p, const char *name)
{
	return token_is(p->lexer.text, &p->now, name);
}

static bool wrong_type(struct parser *p, const struct wanted *wanted)
{
	const struct token *t = &p->now;
	const int len = (int)(t->len < 40 ? t->len : 40);

	if (t->kind == TOKEN_BAD || t->kind == TOKEN_END)
		return parser_expected(p, field_type_name(wanted->type));
	if (wanted->type == FIELD_TEXT)
		return parser_wrong(p, t->at, t->len, "%s is text: write \"%.*s\"",
				    wanted->name, len, p->lexer.text + t->at);
	if (wanted->type == FIELD_ANY)
		return parser_wrong(
			p, t->at, t->len,
			"expected a number, a text, true, false, nil or null: is it "
			"\"%.*s\"?",
			len, p->lexer.text + t->at);
	return parser_wrong(p, t->at, t->len, "%s is %s: write %s", wanted->name,
			    field_type_name(wanted->type),
			    field_type_example(wanted->type));
}

static bool is_number(enum token_kind kind, enum field_type type)
{
	switch (type) {
	case FIELD_NUMBER:
		return kind == TOKEN_NUMBER || kind == TOKEN_ADDRESS;
	case FIELD_DURATION:
		return kind == TOKEN_DURATION;
	case FIELD_SIZE:
		return kind == TOKEN_SIZE || kind == TOKEN_NUMBER;
	case FIELD_ADDRESS:
		return kind == TOKEN_ADDRESS;
	case FIELD_ANY:
		return kind == TOKEN_NUMBER || kind == TOKEN_DURATION ||
		       kind == TOKEN_SIZE || kind == TOKEN_ADDRESS;
	case FIELD_TEXT:
	case FIELD_BOOL:
		break;
	}
	return false;
}

static bool take_number(struct parser *p, struct expression *x,
			const struct wanted *wanted)
{
	const bool negative = parser_takes(p, SIGN_MINUS);

	if (!is_number(p->now.kind, wanted->type))
		return wrong_type(p, wanted);
	struct literal *literal = expression_literal(x, LITERAL_NUMBER);
	literal->low = literal->high = negative ? -p->now.number : p->now.number;
	literal->address = p->now.kind == TOKEN_ADDRESS;
	parser_advance(p);
	return true;
}

static bool take_text(struct parser *p, struct expression *x)
{
	expression_literal(x, LITERAL_TEXT)->words = token_words(p->lexer.text, &p->now);
	parser_advance(p);
	return true;
}

static bool take_literal(struct parser *p, struct expression *x,
			 const struct wanted *wanted)
{
	const bool any = wanted->type == FIELD_ANY;

	if (p->now.kind == TOKEN_TEXT && (any || wanted->type == FIELD_TEXT))
		return take_text(p, x);
	if ((is_name(p, "true") || is_name(p, "false")) &&
	    (any || wanted->type == FIELD_BOOL)) {
		expression_literal(x, LITERAL_BOOL)->truth = is_name(p, "true");
	} else if (is_name(p, "nil") && any) {
		expression_literal(x, LITERAL_NIL);
	} else {
		return take_number(p, x, wanted);
	}
	parser_advance(p);
	return true;
}

/* "15-20": behind 15. */
static bool take_end_of_range(struct parser *p, struct expression *x)
{
	struct literal *range = &x->literals[x->count - 1];

	if (range->kind != LITERAL_NUMBER || !parser_takes(p, SIGN_MINUS))
		return true;
	if (p->now.kind != TOKEN_NUMBER && p->now.kind != TOKEN_ADDRESS)
		return parser_expected(p, "the last number of the range");
	range->high = p->now.number;
	if (range->low > range->high)
		return parser_wrong(p, p->now.at, p->now.len,
				    "this range ends before it begins");
	parser_advance(p);
	return true;
}

/* Behind "in". */
static bool parse_list(struct parser *p, struct expression *x,
		       const struct wanted *wanted)
{
	if (!parser_needs(p, SIGN_OPEN, "and a list, as in (12, 15-20)"))
		return false;
	do {
		if (++p->literals > EXPRESSION_LITERALS)
			return parser_wrong(p, p->now.at, p->now.len,
					    "its lists have more than %d items",
					    EXPRESSION_LITERALS);
		if (!take_literal(p, x, wanted) || !take_end_of_range(p, x))
			return false;
	} while (parser_takes(p, SIGN_COMMA));
	return parser_needs(p, SIGN_CLOSE, "or a comma");
}

static bool compile_pattern(struct parser *p, struct expression *x, const struct token *t)
{
	struct err err;

	if (++p->patterns > EXPRESSION_PATTERNS)
		return parser_wrong(p, t->at, t->len,
				    "it has more than %d regular expressions",
				    EXPRESSION_PATTERNS);
	if (!p->compiles)
		return true;
	x->ere = ere_new(x->literals[0].words, false, &p->room, &err);
	return x->ere || parser_wrong(p, t->at, t->len, "%.200s", err.text);
}

static bool parse_pattern(struct parser *p, struct expression *x,
			  const struct wanted *wanted)
{
	const struct token pattern = p->now;

	if (pattern.kind != TOKEN_TEXT)
		return parser_expected(p, "a regular expression in quotes");
	return (wanted->type == FIELD_TEXT || wanted->type == FIELD_ANY ||
		parser_wrong(p, pattern.at, pattern.len,
			     "%s is %s: regular expressions are for text", wanted->name,
			     field_type_name(wanted->type))) &&
	       take_text(p, x) && compile_pattern(p, x, &pattern);
}

static bool may_be_compared(struct parser *p, const struct expression *x, size_t at,
			    size_t len, const struct wanted *wanted)
{
	const bool orders = x->how >= COMPARE_LESS && x->how <= COMPARE_GREATER_OR_EQUAL;

	if (orders && (wanted->type == FIELD_TEXT || wanted->type == FIELD_BOOL))
		return parser_wrong(p, at, len,
				    "%s is %s: it is equal or not, but not less",
				    wanted->name, field_type_name(wanted->type));
	return true;
}

/* A comparison is here. */
static bool takes_comparison(struct parser *p, enum comparison *ret)
{
	if (is_name(p, "in")) {
		*ret = COMPARE_IN;
		parser_advance(p);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(comparisons); i++) {
		if (!parser_at(p, comparisons[i].sign))
			continue;
		*ret = comparisons[i].how;
		parser_advance(p);
		return true;
	}
	return false;
}

/* Behind the sign. */
static bool parse_right_side(struct parser *p, struct expression *x,
			     const struct wanted *wanted)
{
	const size_t at = p->now.at, len = p->now.len;
	const bool matches = x->how == COMPARE_MATCHES || x->how == COMPARE_UNMATCHED;

	if (x->how == COMPARE_IN)
		return parse_list(p, x, wanted);
	if (matches)
		return parse_pattern(p, x, wanted);
	if (!may_be_compared(p, x, at, len, wanted) || !take_literal(p, x, wanted))
		return false;
	const bool orders = x->how != COMPARE_EQUAL && x->how != COMPARE_UNEQUAL;
	return !orders || x->literals[0].kind == LITERAL_NUMBER ||
	       parser_wrong(p, at, len, "only numbers are less or greater");
}

/* "thread == null" is !has(thread). */
static struct expression *parse_null(struct parser *p, struct expression *x)
{
	const bool absent = x->how == COMPARE_EQUAL;

	parser_advance(p);
	x->kind = EXPRESSION_HAS;
	if (!absent)
		return x;
	struct expression *not = expression_new(EXPRESSION_NOT);
	expression_add(not, x);
	return not ;
}

/* A field by itself. */
static struct expression *as_condition(struct parser *p, struct expression *x)
{
	const struct field *field = x->path.field;

	x->how = COMPARE_EQUAL;
	expression_literal(x, LITERAL_BOOL)->truth = true;
	if (field->type == FIELD_BOOL || field->type == FIELD_ANY)
		return x;
	if (p->now.kind == TOKEN_BAD || parser_at(p, SIGN_ASSIGN))
		parser_expected(p, "a comparison");
	else
		parser_wrong(p, x->at, p->end - x->at,
			     "%s is %s, and is compared, as in %s == %s", field->name,
			     field_type_name(field->type), field->name,
			     field_type_example(field->type));
	p->error->unfinished = p->now.kind == TOKEN_END;
	expression_free(x);
	return NULL;
}

struct expression *parse_comparison(struct parser *p, struct expression *x)
{
	AUTO(expression_free) struct expression *owned = x;
	const struct wanted wanted = wanted_of(x);

	if (!takes_comparison(p, &x->how))
		return as_condition(p, TAKE(owned));
	if (is_name(p, "null") && (x->how == COMPARE_EQUAL || x->how == COMPARE_UNEQUAL))
		return parse_null(p, TAKE(owned));
	return parse_right_side(p, x, &wanted) ? TAKE(owned) : NULL;
}

bool parse_number_comparison(struct parser *p, struct expression *x, const char *what)
{
	const struct wanted wanted = { what, FIELD_NUMBER };
	char message[64];

	if (takes_comparison(p, &x->how))
		return parse_right_side(p, x, &wanted);
	snprintf(message, sizeof(message), "a comparison of %s with a number", what);
	return parser_expected(p, message);
}

bool parse_text(struct parser *p, struct expression *x)
{
	return p->now.kind == TOKEN_TEXT ? take_text(p, x)
					 : parser_expected(p, "a text in quotes");
}
