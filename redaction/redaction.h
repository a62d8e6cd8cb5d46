/* SPDX-License-Identifier: Apache-2.0 */
/* redaction.h - what must not leave a process's memory: secrets by the name of what holds them, by
 * its type, and by what they look like. Knows text and names, nothing of Go's memory or of the
 * document; whoever prints asks before it writes. Cannot fail once it is made.
 *
 * Rules are the words of `redacted` in gosnap-snapshot(5), a closed list. */
#ifndef GOSNAP_REDACTION_H
#define GOSNAP_REDACTION_H

#include "err.h"
#include "util.h"

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
/* Is what has such a name rather a name itself, as "access_token"? */
bool redaction_is_name(struct redaction *r, const char *text, size_t len);

/* What has been withheld is known again, since the same bytes have other names elsewhere: where
 * they are, and what they were. Until redaction_forget(), which is called between goroutines, and
 * does not forget what was learned before redaction_remember(). */
void redaction_learn(struct redaction *r, uint64_t addr, uint64_t size, const void *bytes,
		     size_t len); /* addr 0: nowhere; bytes NULL: they are no text */
void redaction_learn_number(struct redaction *r, uint64_t number);
void redaction_remember(struct redaction *r);
void redaction_forget(struct redaction *r);
/* What is a secret in all goroutines, as long as there are not too many; from redaction_learned_all()
 * on. */
void redaction_learn_for_all(struct redaction *r, uint64_t addr, uint64_t size,
			     const void *bytes, size_t len);
void redaction_learned_all(struct redaction *r);
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

/* A card's number, or one that was learned? */
const char *redaction_of_number(struct redaction *r, uint64_t number);
/* Eight bytes, of which nobody knows what they are, as in a register: do they lead to a secret, or
 * are they one, or a part of its letters? */
bool redaction_of_word(struct redaction *r, uint64_t word);

/* Equal for equal bytes within a document, or of the same key. */
enum { REDACTION_SAME = 16 + 1 };
void redaction_same(const struct redaction *r, const void *bytes, size_t len,
		    char ret[REDACTION_SAME]);
/* Up to a power of two. */
uint64_t redaction_length(uint64_t len);

#endif
