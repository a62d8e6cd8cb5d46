/* SPDX-License-Identifier: Apache-2.0 */
/* redaction.h - what must not leave a process's memory: secrets by the name of what holds them, by
 * its type, and by what they look like. Knows text and names, nothing of Go's memory or of the
 * document; whoever prints asks before it writes. Cannot fail once it is made.
 *
 * Rules are the words of `redacted` in gosnap-snapshot(5), a closed list. */
#ifndef GOSNAP_REDACTION_H
#define GOSNAP_REDACTION_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct redaction;

enum redaction_mode {
	REDACT_SECRETS,
	REDACT_STRICT, /* all text: numbers, truth values, lengths and types are left */
	REDACT_NOTHING,
};

struct redaction_options {
	enum redaction_mode mode;
	const char *rules; /* a file of more rules; NULL: none */
	const char *key; /* a file: hashes are the same with the same key; NULL: random */
};

/* NULL: err names the file, its line and what was expected there. */
struct redaction *redaction_new(const struct redaction_options *options, struct err *err);
void redaction_free(struct redaction *r);
DEFINE_AUTO(struct redaction, redaction_free)

enum redaction_mode redaction_mode(const struct redaction *r);
/* "secrets", "strict", "nothing" */
const char *redaction_mode_name(const struct redaction *r);
/* Of more rules; NULL: none was named. */
const char *redaction_rules_file(const struct redaction *r);

/* The rule that withholds all inside of what has this name (of a variable, field, key, header),
 * or this type; NULL: none does. In any case style: apiKey, API_KEY, api-key. */
const char *redaction_of_name(struct redaction *r, const char *name, size_t len);
const char *redaction_of_type(struct redaction *r, const char *type);
/* ... of a parameter of a query or a form, as "sig", too. */
const char *redaction_of_parameter(struct redaction *r, const char *name, size_t len);
/* Is it what a private key of package crypto says of the public one? */
bool redaction_is_public(const char *type);
/* Is what has such a name rather a name itself, as "access_token"? */
bool redaction_is_name(struct redaction *r, const char *text, size_t len);

/* What has been withheld is known again, since the same bytes have other names elsewhere: where
 * they are, and what they were. Until redaction_forget(), which is called between goroutines, and
 * does not forget what was learned before redaction_remember(). */
void redaction_learn(struct redaction *r, uint64_t addr, uint64_t size, const void *bytes,
		     size_t len); /* addr 0: nowhere; bytes NULL: they are no text */
/* A text of more bytes is none: that is a variable that was never set, with any length. */
enum { REDACTION_PLACE_MAX = 64 << 10 };
/* Its bytes and digits are known, too. A long one begins with its highest byte, which is not zero. */
void redaction_learn_number(struct redaction *r, uint64_t number);
void redaction_learn_long_number(struct redaction *r, const uint8_t *bytes, size_t len);
void redaction_remember(struct redaction *r);
void redaction_forget(struct redaction *r);
/* What is a secret in all goroutines, as long as there are not too many; from redaction_learned_all()
 * on. */
void redaction_learn_for_all(struct redaction *r, uint64_t addr, uint64_t size,
			     const void *bytes, size_t len);
/* The same of a number: only words are compared with it. */
void redaction_learn_number_for_all(struct redaction *r, uint64_t number);
void redaction_learned_all(struct redaction *r);
/* No values are read, so that nothing is learned: from there on a word of eight letters is withheld. */
void redaction_learns_nothing(struct redaction *r);
/* Grows with each that was not known before. */
size_t redaction_learned(const struct redaction *r);
/* Where what is learned does not end: until redaction_forget() all text is withheld, and whatever
 * may be an address of some. */
void redaction_suspect_all(struct redaction *r);
/* What was printed before something was learned may hold it. From redaction_ask() on questions are
 * noted; redaction_settled(): would each get the same answer now? False in doubt. */
void redaction_ask(struct redaction *r);
bool redaction_settled(struct redaction *r); /* and no more are noted */
/* Does any of it lie in these bytes? */
bool redaction_at(struct redaction *r, uint64_t addr, uint64_t size);

/* Numbers, as memory has them: those of a key, rather than small ones, which are in much else? */
bool redaction_is_key(const void *bytes, size_t len);

/* Text of the subject. Where nothing is to be withheld rule is NULL, and so is text. */
struct redacted {
	const char *rule;
	char *text; /* with [redacted] for each secret; NULL: nothing else is left. Owned. */
	size_t len;
};
/* It lies at addr, 0: nowhere. What is found is learned. */
struct redacted redaction_of_text(struct redaction *r, uint64_t addr, const char *text,
				  size_t len);
void redacted_done(struct redacted *text);
/* Texts that are read one after the other, as lines are: in_key says whether a private key in PEM began
 * in those before and has not ended, and then whether it does so in this one. True: this text is a
 * piece of it. */
bool redaction_of_piece(const char *text, size_t len, bool *in_key);

/* The words of a command, in their order: where in each a secret begins by those before it, as behind
 * --password, or by what the program's options mean, as -p of mysql; len: nowhere. */
struct arguments {
	int program, next; /* private; 0 at first */
	bool doubtful; /* of the last one: it may be no secret, and is not to be learned for all */
};
size_t redaction_of_argument(struct redaction *r, struct arguments *c, const char *word,
			     size_t len);
/* Text of which all from there on is a secret; it is learned. */
struct redacted redaction_of_rest(struct redaction *r, uint64_t addr, const char *text,
				  size_t len, size_t from);

/* A card's number, or one that was learned, or eight bytes of a secret? */
const char *redaction_of_number(struct redaction *r, uint64_t number);
/* Bytes at addr, 0: nowhere, of which a text is made that has other letters: are they, or eight of them,
 * of a secret? */
bool redaction_of_bytes(struct redaction *r, uint64_t addr, const void *bytes,
			size_t len);
/* Eight bytes, of which nobody knows what they are, as in a register: do they lead to a secret, or
 * are they one, or do they hold four bytes of one? */
bool redaction_of_word(struct redaction *r, uint64_t word);
/* The same of one that may be of another time: of whose text it was nobody knows. */
bool redaction_of_stale_word(struct redaction *r, uint64_t word);
/* The same of a vector register. */
enum { REDACTION_VECTOR = 16 };
bool redaction_of_vector(struct redaction *r,
			 const uint8_t bytes[static REDACTION_VECTOR]);

/* Equal for equal bytes within a document, or of the same key. */
enum { REDACTION_SAME = 16 + 1 };
void redaction_same(const struct redaction *r, const void *bytes, size_t len,
		    char ret[REDACTION_SAME]);
/* Up to a power of two. */
uint64_t redaction_length(uint64_t len);

#endif
