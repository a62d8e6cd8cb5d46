/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.h - tells by its form whether a piece of text is a secret: a key, a token, a password that the
 * text names. Each function looks at one form, at text[at], and sets *ret to the secret; text may end in
 * the middle of it. False: it is not there. Knows the formats of others, and nothing of the document. Allocates
 * nothing, and looks at each byte a bounded number of times. */
#ifndef GOSNAP_PATTERNS_H
#define GOSNAP_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/util.h"

struct span {
	size_t begin, end;
	const char *rule;
};
/* Is this the name of a secret? For what is before a colon or equals sign. */
typedef bool secret_name_fn(void *arg, const char *name, size_t len);

/* text.c: for any text. */
static inline bool follows(const char *text, size_t len, size_t at, const char *words)
{
	size_t n = strlen(words);

	return len - at >= n && memcmp(text + at, words, n) == 0;
}
size_t count_letters(const char *text, size_t len, size_t at, const char *letters);
#define LETTERS_UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LETTERS_DIGITS "0123456789"
#define LETTERS_WORD LETTERS_UPPER "abcdefghijklmnopqrstuvwxyz" LETTERS_DIGITS
#define LETTERS_TOKEN LETTERS_WORD "_-"
#define LETTERS_BASE64 LETTERS_WORD "+/=_-"
/* Is it this word, in any case? */
bool is_word(const char *text, size_t len, const char *word);
static inline bool span_is(const char *text, struct span span, const char *word)
{
	return is_word(text + span.begin, span.end - span.begin, word);
}
bool begins_line(const char *text, size_t at);
bool is_name_letter(char c);
size_t end_of_word(const char *text, size_t len, size_t at);
size_t end_of_line(const char *text, size_t len, size_t at);
/* Past the lines that are indented more than the one that text[at] is in; at: its end. */
size_t end_of_block(const char *text, size_t len, size_t at);
/* Where the closing quote of what begins at text[at] is; len: none. */
size_t end_of_quoted(const char *text, size_t len, size_t at, char quote);

/* doubtful.c: are these characters mixed as in a token, and at least so many? */
bool is_random(const char *text, size_t len, size_t least);
/* Names that mean a secret only before a value that may be one: --key, LICENSE; code in a
 * query, a form or a header. */
enum doubtful_place { DOUBTFUL_ANYWHERE, DOUBTFUL_PARAMETER };
bool is_doubtful_name(const char *name, size_t len, enum doubtful_place place);
bool is_doubtful_value(const char *name, size_t len, enum doubtful_place place,
		       const char *value, size_t value_len);

/* keyed.c. */
bool is_element(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
		void *arg, struct span *ret);
/* After the empty line: name="password"\r\n\r\nabc */
bool is_part_of_form(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
		     void *arg, struct span *ret);
/* ALTER USER bob IDENTIFIED BY 'abc' */
bool is_identified(const char *text, size_t len, size_t at, struct span *ret);
/* "PASS abc\r\n" of file and mail servers; also AUTH, of Redis too. */
bool is_command(const char *text, size_t len, size_t at, struct span *ret);
/* Is the name at text[begin] "value", with a name before it as in
 * {"name":"password","value":"abc"}? */
bool is_value_of_secret(const char *text, size_t begin, size_t end,
			secret_name_fn *is_secret, void *arg);

/* In Kubernetes: "kind: Secret\ndata:\n  uri: ...", also in JSON. */
bool is_data_of_secret(const char *text, size_t len, size_t at, struct span *ret);

/* login.c. "login bob password abc" of .netrc, "with
 * password abc" of a log. */
bool is_said_password(const char *text, size_t len, size_t at, struct span *ret);
/* host:5432:database:user:abc of .pgpass; at: the first colon. */
bool is_password_line(const char *text, size_t len, size_t at, struct span *ret);
/* AUTH LOGIN of SMTP, and what follows it or the question for a password. */
bool is_mail_login(const char *text, size_t len, size_t at, struct span *ret);
/* The password message of PostgreSQL: 'p', a length, and a text. */
bool is_password_message(const char *text, size_t len, size_t at, struct span *ret);

/* account.c: an IBAN, whose check digits are right. */
bool is_bank_account(const char *text, size_t len, size_t at, struct span *ret);
/* link.c: /reset-password/abc; at: the slash after the words. */
bool is_link(const char *text, size_t len, size_t at, struct span *ret);
/* ST-1-abc of CAS. */
bool is_ticket(const char *text, size_t len, size_t at, struct span *ret);

/* token.c: at: where a word begins. */
bool is_bot_token(const char *text, size_t len, size_t at, struct span *ret);
bool is_token(const char *text, size_t len, size_t at, struct span *ret);
bool is_password_hash(const char *text, size_t len, size_t at, struct span *ret);
/* {SSHA}abc */
bool is_directory_hash(const char *text, size_t len, size_t at, struct span *ret);

/* web_key.c: at the colon of "d":"abc" in a private key in JSON. */
extern const char rule_of_web_key[]; /* in a span: it is base64 */
/* Is this the name of a secret number of such a key? */
bool is_web_key_member(const char *name, size_t len);
bool is_web_key(const char *text, size_t len, size_t at, struct span *ret);

/* key.c: private keys in DER, or in OpenSSH's format. */
static inline bool begins_binary_key(char first)
{
	return first == '0' || first == 'o';
}
bool is_binary_key(const char *text, size_t len, size_t at, struct span *ret);
bool is_base64_key(const char *text, size_t len, size_t at, struct span *ret);

#endif
