/* SPDX-License-Identifier: Apache-2.0 */
/* redaction.h - finds secrets that must not leave a process's memory: by the name or the
 * type of what holds them, and by their form. Knows text and names, nothing about Go's
 * memory or the document; printers ask it before they write. Cannot fail once created.
 *
 * Rules are the words of `redacted` in gosnap-snapshot(5), a closed list. Rule names that
 * functions return live until redaction_free(). */
#ifndef GOSNAP_REDACTION_H
#define GOSNAP_REDACTION_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct redaction;

enum redaction_mode {
	REDACT_SECRETS,
	REDACT_STRICT, /* all text; numbers, booleans, lengths and types stay */
	REDACT_NOTHING,
};

struct redaction_options {
	enum redaction_mode mode;
	const char *rules; /* path of a file with more rules; NULL: none */
	const char *key;   /* a file: same key, same hashes; NULL: random */
};

/* NULL: err names the file and line, and what was expected there. */
struct redaction *redaction_new(const struct redaction_options *options, struct err *err);
/* For one more document: another random key, unless one was given. */
MUST_CHECK bool redaction_renew_key(struct redaction *r, struct err *err);
void redaction_free(struct redaction *r);
DEFINE_AUTO(struct redaction, redaction_free)

enum redaction_mode redaction_mode(const struct redaction *r);
/* "secrets", "strict", "nothing" */
const char *redaction_mode_name(const struct redaction *r);
/* The file with more rules; NULL: none. */
const char *redaction_rules_file(const struct redaction *r);

/* The rule that redacts everything inside what has this name (of a variable, field, key
 * or header) or this type; NULL: none. Any case style: apiKey, API_KEY, api-key. */
const char *redaction_of_name(struct redaction *r, const char *name, size_t len);
const char *redaction_of_type(struct redaction *r, const char *type);
/* The same for a parameter of a query or form, where "sig" counts too. */
const char *redaction_of_parameter(struct redaction *r, const char *name, size_t len);
/* The same for one whose value is this text, which may tell more: "code", LICENSE and --key
 * are names of secrets only before characters that are mixed as in a token. */
const char *redaction_of_named_text(struct redaction *r, const char *name, size_t len,
				    const char *text, size_t text_len, bool is_parameter);
/* Does that need the text? */
bool redaction_asks_for_text(const char *name, size_t len, bool is_parameter);
/* Is this rule of a name or type the user's, who means all that is in it? */
bool redaction_is_users_rule(const char *rule);
/* Is it the type of the public part of a private key in package crypto? */
bool redaction_is_public(const char *type);
/* Is this field of the type not secret, even if all of it is: the host of a URL? by_name: nor
 * is its own name that of a secret, as the tokens of a rate.Limiter. */
bool redaction_is_open(const char *type, const char *field, bool *ret_by_name);
/* Are the numbers of this type constants of the program, like crypto/tls.ClientAuthType? */
bool redaction_is_enum(const char *type);
/* The rule that redacts the text in this field, if the name says so only with that of the type:
 * the ID of a Session. */
const char *redaction_of_member(struct redaction *r, const char *type, const char *field);
/* Is this text rather the name of a secret than a secret, like "access_token"? */
bool redaction_is_name(struct redaction *r, const char *text, size_t len);

/* Learns a redacted value, so that the same bytes are recognised elsewhere, under other
 * names: by address and by content. Kept until redaction_forget(), which keeps what was
 * learned before redaction_remember(). */
void redaction_learn(struct redaction *r, uint64_t addr, uint64_t size, const void *bytes,
		     size_t len); /* addr 0: nowhere; bytes NULL: not text */
/* What is at such addresses is redacted where it is secret, but not learned: literals of a
 * program are in many places, and in its file. */
void redaction_set_public(struct redaction *r,
			  bool (*is_public)(void *arg, uint64_t addr), void *arg);
/* Recognises its bytes and digits too. A long number has its highest byte first, which is
 * not zero. */
void redaction_learn_number(struct redaction *r, uint64_t number);
void redaction_learn_long_number(struct redaction *r, const uint8_t *bytes, size_t len);
/* A secret of which each part is one: the seed of ed25519 in its 64 bytes, the numbers of a private key in DER,
 * PEM or OpenSSH's format, a scalar. Recognises these as redaction_learn_long_number() does. */
void redaction_learn_parts(struct redaction *r, const void *key, size_t len);
/* What is written in base64 in a private key in JSON (RFC 7517): the bytes and the number. */
void redaction_learn_encoded(struct redaction *r, const char *text, size_t len);
/* Is this the name of a secret member of such a key, which has a member "kty", too? */
bool redaction_is_key_member(const char *name, size_t len);
void redaction_remember(struct redaction *r);
void redaction_forget(struct redaction *r);
/* Nothing will be learned, as no values are read: from here on any word of eight
 * printable characters is redacted. */
void redaction_learns_nothing(struct redaction *r);
/* Was some memory not read, so that there may be secrets that are not learned? */
void redaction_set_missed(struct redaction *r, bool missed);
/* The end of what is learned is not known: until redaction_forget() all text is redacted,
 * and everything that may be the address of some. */
void redaction_suspect_all(struct redaction *r);
/* The same while it is set. */
void redaction_set_suspect(struct redaction *r, bool suspect);
/* The rule for what may be a copy of what was learned: "copy_of_secret"; "uncertain" when
 * all text is redacted. */
const char *redaction_rule_of_copy(const struct redaction *r);
/* What was printed before a secret was learned may contain it. From redaction_ask() on
 * questions about texts and numbers are recorded; redaction_settled(): would each get the same
 * answer now? False when in doubt. */
void redaction_ask(struct redaction *r);
bool redaction_settled(struct redaction *r); /* stops recording */
/* Grows with each secret learned, and each part of a buffer noted as unused, since
 * redaction_forget(). */
size_t redaction_known(const struct redaction *r);
/* A part of a buffer that holds nothing, but for what was there before. It is shown nowhere, and
 * redaction_erase() overwrites it. Consumed: a part that was read from the buffer. What else refers to
 * it is shown; redaction_erase() overwrites it, too. Kept until redaction_forget() or
 * redaction_remember(). */
void redaction_note_unused(struct redaction *r, uint64_t addr, uint64_t size);
void redaction_note_consumed(struct redaction *r, uint64_t addr, uint64_t size);
/* How many of these bytes precede the first one that is unused; size: all. */
uint64_t redaction_used(const struct redaction *r, uint64_t addr, uint64_t size);
/* Is there a secret in these bytes of memory? */
bool redaction_at(struct redaction *r, uint64_t addr, uint64_t size);

/* bytes: numbers as in memory. Are they those of a key, rather than small ones found in
 * many other places? */
bool redaction_is_key(const void *bytes, size_t len);

/* Text of the subject. If there is nothing to redact, rule and text are NULL. */
struct redacted {
	const char *rule;
	char *text; /* with [redacted] for each secret; NULL: all of it was. Owned. */
	size_t len;
};
/* addr: of the text, 0: nowhere. Learns the secrets it finds. */
struct redacted redaction_of_text(struct redaction *r, uint64_t addr, const char *text,
				  size_t len);
void redacted_done(struct redacted *text);
/* For texts read in sequence, such as lines. *in_key: a private key in PEM began in a
 * previous text and has not ended; updated for this one. True: this text is part of a
 * key. */
bool redaction_of_piece(const char *text, size_t len, bool *in_key);

/* For the arguments of a command, in order: where a secret begins in this one, because of
 * the ones before it, such as --password, or of the program's options, such as -p of
 * mysql; len: nowhere. */
struct arguments {
	int program, next; /* private; initially 0 */
	bool doubtful;	   /* the last one may not be a secret; do not learn it for all */
};
size_t redaction_of_argument(struct redaction *r, struct arguments *c, const char *word,
			     size_t len);
/* For a text that is secret from there to its end; learns it. */
struct redacted redaction_of_rest(struct redaction *r, uint64_t addr, const char *text,
				  size_t len, size_t from);

/* A card number, a learned number, or eight bytes of a secret? */
const char *redaction_of_number(struct redaction *r, uint64_t number);
/* For bytes (addr 0: nowhere) of a text represented in other characters: are they, or
 * eight of them, part of a secret? */
bool redaction_of_bytes(struct redaction *r, uint64_t addr, const void *bytes,
			size_t len);
/* For eight bytes of unknown meaning, as in a register: do they point to a secret, are
 * they one, or do they contain four bytes of one? */
bool redaction_of_word(struct redaction *r, uint64_t word);
/* The same of a register or an argument of a system call, which may have a piece of anything: where some memory was
 * not read, four characters in a row may be one. */
bool redaction_of_register(struct redaction *r, uint64_t word);
/* Of a word that nobody has judged: is it a small number, without characters? */
bool redaction_is_plain_number(uint64_t word);
/* The same for a word that may be older: it is not known whose text it was. */
bool redaction_of_dead_word(struct redaction *r, uint64_t word);
/* The same for a vector register. */
enum { REDACTION_VECTOR = 16 };
bool redaction_of_vector(struct redaction *r,
			 const uint8_t bytes[static REDACTION_VECTOR]);

/* For memory that leaves as it is. redaction_note_place(): there is a secret that is not learned.
 * redaction_erase(): writes REDACTION_FILL over all that is known: places, unused parts of buffers, and
 * secrets, encoded ones too, or eight bytes of one anywhere; and over all text, if not all secrets can
 * be known.
 * keep: is the word at this address, a multiple of 8, too unlike text to be part of a secret? It is
 * then overwritten only as part of a whole one. NULL: none is. */
enum { REDACTION_FILL = 'X' };
typedef bool redaction_keep_fn(void *arg, uint64_t addr, const uint8_t word[8]);
void redaction_note_place(struct redaction *r, uint64_t addr, uint64_t size);
void redaction_erase(struct redaction *r, uint64_t addr, void *bytes, size_t len,
		     redaction_keep_fn *keep, void *arg);
/* There are more secrets than can be remembered, so it overwrites all text. */
bool redaction_knows_too_many(const struct redaction *r);

/* Equal for equal bytes in a document, or with the same key. */
enum { REDACTION_HASH = 16 + 1 };
void redaction_hash(const struct redaction *r, const void *bytes, size_t len,
		    char ret[REDACTION_HASH]);
/* Rounds up to a power of two. */
uint64_t redaction_length(uint64_t len);

#endif
