/* SPDX-License-Identifier: Apache-2.0 */
/* redaction_priv.h - the parts of redaction. Private to redaction. */
#ifndef GOSNAP_REDACTION_PRIV_H
#define GOSNAP_REDACTION_PRIV_H

#include <nettle/hmac.h>
#include <string.h>

#include "redaction/redaction.h"

/* What stands for each secret. */
#define REDACTION_MASK "[redacted]"

/* names.c. Case styles, plurals and numbers at the end make no difference. */
bool is_secret_name(const char *name, size_t len);
/* Of a request: "sig". It is a secret as a parameter of a query, and otherwise as often a signal. */
bool is_signature(const char *name, size_t len);
/* How many it is made of. */
size_t name_words(const char *name, size_t len);

/* types.c. By the name of the type, with the path of its package. */
bool is_secret_type(const char *type);

/* encodings.c. Calls fn with each text that stands for these bytes, or for most of them: in base64, digits, a
 * query, quotes. */
typedef void encoded_fn(void *arg, const char *text, size_t len);
void each_encoding(const char *bytes, size_t len, encoded_fn *fn, void *arg);
/* The same of a number whose first byte is the highest, and not zero: in decimal and hexadecimal
 * digits, as many as it has. */
void each_base(const uint8_t *bytes, size_t len, encoded_fn *fn, void *arg);

/* windows.c. A set of all four bytes in a row that bytes have, but for those that anything has. */
struct windows;
struct windows *windows_new(void);
void windows_free(struct windows *w);
void windows_clear(struct windows *w);
bool windows_add(struct windows *w, const void *bytes,
		 size_t len); /* false: all were there */
/* Are any, or all that count, of the word's own in it? When there were too many, any four letters
 * are. */
bool windows_any(const struct windows *w, uint64_t word);
bool windows_all(const struct windows *w, uint64_t word);

/* secrets.c. */
struct secrets;
struct secrets *secrets_new(void);
void secrets_free(struct secrets *s);
void secrets_clear(struct secrets *s);
void secrets_learn(struct secrets *s, uint64_t addr, uint64_t size, const void *bytes,
		   size_t len);
/* One of many: it is known by all of its bytes, or those at the end of a text, and by its place after
 * secrets_sort(). A short one, and a number, only in a word. */
void secrets_add(struct secrets *s, uint64_t addr, uint64_t size, const void *bytes,
		 size_t len);
void secrets_add_number(struct secrets *s, uint64_t number);
void secrets_sort(struct secrets *s);
void secrets_learn_number(struct secrets *s, uint64_t number);
void secrets_learn_long_number(struct secrets *s, const uint8_t *bytes, size_t len);
/* Is it such a number, or eight bytes of one, the first of them the lowest or the highest? */
bool secrets_have_number(const struct secrets *s, uint64_t number);
/* Does the word hold four bytes of one, in either order? */
bool secrets_have_piece(const struct secrets *s, uint64_t word);
/* That, or is it such a number, or an address in one? */
bool secrets_have_word(const struct secrets *s, uint64_t word);
/* From now on any text and address may be one. */
void secrets_suspect_all(struct secrets *s);
/* Grows with each that was not known before, and with each text that stands for one. */
size_t secrets_count(const struct secrets *s);
size_t secrets_contents(const struct secrets *s);
bool secrets_at(const struct secrets *s, uint64_t addr, uint64_t size);
/* The first part of these bytes that is in one. */
bool secrets_place(const struct secrets *s, uint64_t addr, uint64_t size,
		   uint64_t *ret_begin, uint64_t *ret_end);
/* How many bytes from the first of text on are a secret that was learned; text may end
 * in the middle of it. */
size_t secrets_here(const struct secrets *s, const char *text, size_t len);
/* There are too many: of any text it is said that it is one. */
bool secrets_are_all(const struct secrets *s);
/* How many are a part of one, up to its end or that of the text. */
size_t secrets_begin(const struct secrets *s, const char *text, size_t len);

/* asked.c. Questions that were answered with no, each with what was known by then. */
struct asked;
struct asked *asked_new(const struct secrets *s);
void asked_free(struct asked *a);
void asked_again(struct asked *a, const struct secrets *s); /* forgets them */
/* size: of a place. */
enum asked_as { ASKED_PLACE, ASKED_NUMBER, ASKED_PIECE, ASKED_WORD };
void asked_word(struct asked *a, const struct secrets *s, enum asked_as as, uint64_t what,
		uint64_t size);
void asked_text(struct asked *a, const struct secrets *s, const char *text, size_t len);
/* Would all be answered so now? False in doubt. */
bool asked_settled(const struct asked *a, const struct secrets *s);

/* redaction.c. */
enum {
	CACHED_NAME = 46,
	CACHE = 2048, /* names that were asked for: a power of two */
};
struct cached {
	uint8_t len; /* 0: none */
	bool secret;
	char name[CACHED_NAME];
};
struct redaction {
	enum redaction_mode mode;
	struct rules *rules; /* NULL: none */
	char *rules_file;    /* likewise */
	struct hmac_sha256_ctx key;
	struct secrets *always; /* NULL: nothing was remembered */
	struct secrets *here;
	struct asked *asked; /* NULL: nobody did so far */
	bool asking;
	bool learns_nothing;
	struct cached names[CACHE];
};
/* A secret_name_fn. */
bool is_name_of_secret(void *redaction, const char *name, size_t len);

/* shapes.c. What looks like a secret and begins at text[at]; false: nothing does. Text may end in
 * the middle of it. */
struct span {
	size_t begin, end;
	const char *rule;
};
/* Says whether a name is a secret's: of what stands before a colon or equals sign. */
typedef bool secret_name_fn(void *arg, const char *name, size_t len);
bool shape_at(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
	      void *arg, struct span *ret);

/* shapes_told.c. The same of one thing each. */
bool is_element(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
		void *arg, struct span *ret);
/* Behind the empty line: name="password"\r\n\r\nabc */
bool is_part_of_form(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
		     void *arg, struct span *ret);
/* ALTER USER bob IDENTIFIED BY 'abc' */
bool is_identified(const char *text, size_t len, size_t at, struct span *ret);
/* "PASS abc\r\n", of servers of files and mail, and AUTH, of Redis, too. */
bool is_command(const char *text, size_t len, size_t at, struct span *ret);
/* Is the name at text[begin] "value", and the one before it as in {"name":"password","value":"abc"}? */
bool is_value_of_secret(const char *text, size_t begin, size_t end,
			secret_name_fn *is_secret, void *arg);

/* shapes_token.c. at: where a word begins. */
bool is_bot_token(const char *text, size_t len, size_t at, struct span *ret);
bool is_token(const char *text, size_t len, size_t at, struct span *ret);
bool is_password_hash(const char *text, size_t len, size_t at, struct span *ret);

/* shapes_key.c. Private keys in DER, or as OpenSSH keeps them. */
static inline bool begins_binary_key(char first)
{
	return first == '0' || first == 'o';
}
bool is_binary_key(const char *text, size_t len, size_t at, struct span *ret);
bool is_base64_key(const char *text, size_t len, size_t at, struct span *ret);

/* escapes.c. What a text stands for: "a\\u0026b", "a%26b" and "a&amp;b" for "a&b". */
struct plain_text {
	char *text; /* ends with NUL */
	size_t len;
	size_t *from; /* where the letter of each byte began; the last one: where the text ended */
};
/* Of one level: of "\\\\n" is left "\\n". NULL: nothing is escaped. */
struct plain_text *unescape(const char *text, size_t len);
void plain_text_free(struct plain_text *plain);
DEFINE_AUTO(struct plain_text, plain_text_free)
/* Where this part of it was. */
struct span escaped_span(const struct plain_text *plain, struct span span);

/* commands.c. "mysql -pabc", "curl -u bob:abc": at is the blank or quote before the word. */
bool is_argument(const char *text, size_t len, size_t at, struct span *ret);

/* shapes.c, of texts as a whole. */
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
bool begins_line(const char *text, size_t at);
bool is_name_letter(char c);
/* Where the quote is that ends what begins at text[at]; len: there is none. */
size_t end_of_quoted(const char *text, size_t len, size_t at, char quote);

/* By its first digits and its check digit, ISO/IEC 7812-1. */
bool is_card_number(const char *digits, size_t len);

/* rules.c. The user's. */
struct rules;
struct rules *rules_read(const char *path, struct err *err);
void rules_free(struct rules *rules);
enum verdict { VERDICT_NONE, VERDICT_KEEP, VERDICT_WITHHOLD };
enum verdict rules_of_name(const struct rules *rules, const char *name);
enum verdict rules_of_type(const struct rules *rules, const char *type);
/* The first from text[from] on; see ere_find(). */
bool rules_find(const struct rules *rules, const char *text, size_t len, size_t from,
		struct span *ret);

#endif
