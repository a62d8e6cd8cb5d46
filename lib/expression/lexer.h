/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.h - the words of expressions that people type: names, numbers with their units, texts in
 * quotes, signs. The main header of lib/expression. Does not know what a name means, nor which words may
 * follow which. Allocates nothing, and reads nothing but the text. */
#ifndef GOSNAP_LEXER_H
#define GOSNAP_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,	/* letters, digits, _ and what is not ASCII; no digit first */
	TOKEN_TEXT,	/* "..." or `...`, with the quotes */
	TOKEN_NUMBER,	/* 12, 1.5 */
	TOKEN_DURATION, /* 5m, 1h30m, 1.5s: nanoseconds */
	TOKEN_SIZE,	/* 4KiB, 2M: bytes */
	TOKEN_ADDRESS,	/* 0xc000012345 */
	TOKEN_SIGN,
	TOKEN_BAD, /* why: what is wrong with it */
};

enum sign {
	SIGN_OPEN,
	SIGN_CLOSE,
	SIGN_OPEN_BRACKET,
	SIGN_CLOSE_BRACKET,
	SIGN_DOT,
	SIGN_COMMA,
	SIGN_MINUS,
	SIGN_PERCENT,
	SIGN_AND,
	SIGN_OR,
	SIGN_NOT,
	SIGN_EQUAL,
	SIGN_UNEQUAL,
	SIGN_LESS,
	SIGN_LESS_OR_EQUAL,
	SIGN_GREATER,
	SIGN_GREATER_OR_EQUAL,
	SIGN_MATCHES,	/* ~ */
	SIGN_UNMATCHED, /* !~ */
	SIGN_ASSIGN,	/* =, which most languages do not mean */
	SIGNS
};

struct token {
	enum token_kind kind;
	enum sign sign;
	size_t at, len; /* in the text */
	/* Of a number, whatever its unit. Holds every integer of 64 bits exactly. */
	long double number;
	const char *why;
};

struct lexer {
	const char *text;
	size_t at; /* behind the last token */
};

/* What follows. At the end, TOKEN_END for ever. */
void lexer_next(struct lexer *l, struct token *ret);

/* It is that name. */
bool token_is(const char *text, const struct token *t, const char *name);
/* As it is written, or what is between the quotes: in "", \" is a quote, \\ a backslash, \n and \t are
 * what they are in C, and any other backslash is itself, as regular expressions have many. In ``, all is
 * itself. The caller frees it. */
char *token_words(const char *text, const struct token *t);
/* "<=" */
const char *sign_name(enum sign sign);

#endif
