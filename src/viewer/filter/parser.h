/* SPDX-License-Identifier: Apache-2.0 */
/* parser.h - from text to a tree: parse.c has what stands around comparisons, parse_field.c what is
 * compared, parse_comparison.c with what. All return NULL or false after saying what is wrong, once. */
#ifndef GOSNAP_FILTER_PARSER_H
#define GOSNAP_FILTER_PARSER_H

#include "lib/expression/lexer.h"
#include "src/viewer/filter/expression.h"

struct filter_error;

struct parser {
	struct lexer lexer;
	struct token now; /* the one to be looked at */
	size_t end;	  /* of the one before it */
	unsigned depth;
	size_t parts, literals, patterns; /* so far */
	bool in_frames;			  /* inside of any(), all() or count() */
	bool compiles; /* regular expressions, which takes a process each */
	uint64_t room; /* for them; see ere.h */
	struct filter_error *error;
};

/* The text as a whole. NULL: *error says where and why not. */
struct expression *parse_expression(const char *text, bool compiles,
				    struct filter_error *error);

void parser_advance(struct parser *p);
bool parser_at(const struct parser *p, enum sign sign);
/* Advances behind the sign if it is there. */
bool parser_takes(struct parser *p, enum sign sign);
/* Reports the first error only. False. */
bool parser_wrong(struct parser *p, size_t at, size_t len, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* There is something else than what; of a bad token: why it is bad. False. */
bool parser_expected(struct parser *p, const char *what);
/* The sign has to be there. */
bool parser_needs(struct parser *p, enum sign sign, const char *where);
bool parser_counts(struct parser *p);

/* A field in x->path. */
bool parse_field(struct parser *p, struct expression *x);
/* A comparison of what is in x, if one follows; else x must be true or false. */
struct expression *parse_comparison(struct parser *p, struct expression *x);
/* What is compared with is there: what count() and len() give is a number. */
bool parse_number_comparison(struct parser *p, struct expression *x, const char *what);
/* "text" for contains(). */
bool parse_text(struct parser *p, struct expression *x);

#endif
