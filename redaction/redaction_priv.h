/* SPDX-License-Identifier: Apache-2.0 */
/* redaction_priv.h - internals of redaction. Private to redaction. */
#ifndef GOSNAP_REDACTION_PRIV_H
#define GOSNAP_REDACTION_PRIV_H

#include <nettle/hmac.h>
#include <string.h>

#include "redaction/patterns/patterns.h"
#include "redaction/redaction.h"

/* What replaces each secret. */
#define REDACTION_MASK "[redacted]"

/* names.c: case style, plural and trailing digits make no difference. */
bool is_secret_name(const char *name, size_t len);
/* For a query parameter: "sig" is a secret there; elsewhere it is as often a signal. */
bool is_signature(const char *name, size_t len);
/* How many words a name is made of. */
size_t name_words(const char *name, size_t len);

/* types.c: by the type's name with its package path. */
bool is_secret_type(const char *type);

/* encodings.c: calls fn with each text that represents these bytes, or most of them: in
 * base64, digits, a query, quotes. */
typedef void encoded_fn(void *arg, const char *text, size_t len);
void each_encoding(const char *bytes, size_t len, encoded_fn *fn, void *arg);
/* The same for a number whose first byte is the highest and not zero: in decimal and
 * hexadecimal, with all its digits. */
void each_base(const uint8_t *bytes, size_t len, encoded_fn *fn, void *arg);

/* decodings.c: the bytes that these eight characters represent, in memory order and followed by
 * zeros; none: they are neither hexadecimal nor base64. Returns how many there are. */
enum { DECODINGS_MAX = 5 };
size_t decodings_of(uint64_t word, uint64_t ret[static DECODINGS_MAX]);

/* huffman.c: texts in the code of HTTP/2 and HTTP/3 headers. */
/* How many bits a text has. */
size_t huffman_bits(const char *text, size_t len);
/* Writes the bytes that are of nothing but this text, if its code begins at bit `shift` of a byte, counted from the
 * highest. ret has room for huffman_bits() / 8 + 1 bytes. Returns how many there are. */
size_t huffman_encode(const char *text, size_t len, unsigned shift, uint8_t *ret);
/* Decodes the eight letters that begin at each bit of bytes[at]. Call it for each byte, from the last to the first; ring is
 * initially 0. ring[bit % HUFFMAN_RING]: the letters from this bit on, in memory order; 0 follows where
 * there are fewer. */
enum { HUFFMAN_RING = 64 };
void huffman_letters(const uint8_t *bytes, size_t len, size_t at,
		     uint64_t ring[static HUFFMAN_RING]);
/* The byte in which a text that begins at this bit ends, + 1. */
size_t huffman_end(size_t bit, const char *text, size_t len);
/* How many letters of text are at this bit. */
size_t huffman_equal(const uint8_t *bytes, size_t len, size_t bit, const char *text,
		     size_t text_len);
/* Decodes a whole string, or the beginning of one that is cut off. ret has room for 8 / 5 * len + 1 bytes. False: it is
 * none. */
bool huffman_decode(const uint8_t *bytes, size_t len, bool cut, char *ret,
		    size_t *ret_len);
/* Such strings have other bytes than texts do, and few zeros. */
bool huffman_may_be(const char *bytes, size_t len);

/* windows.c: the set of all sequences of four bytes in the added bytes, except common
 * ones. If it becomes full, are any four printable characters in it? */
struct windows;
struct windows *windows_new(bool letters_if_full);
void windows_free(struct windows *w);
void windows_clear(struct windows *w);
bool windows_add(struct windows *w, const void *bytes,
		 size_t len); /* false: all were present */
/* Is any of the word's own sequences in the set, or two that overlap, or all that count? */
bool windows_any(const struct windows *w, uint64_t word);
bool windows_two(const struct windows *w, uint64_t word);
bool windows_all(const struct windows *w, uint64_t word);

/* parts.c: all sequences of eight bytes in secrets, with the secret's number. bytes_of: of
 * those that were added. */
enum { PART_BYTES = 8 };
struct parts;
struct parts *parts_new(void);
void parts_free(struct parts *p);
void parts_clear(struct parts *p);
bool parts_full(const struct parts *p);
typedef const char *bytes_of_fn(const void *arg, uint32_t secret);
void parts_add(struct parts *p, uint32_t secret, const char *bytes, size_t len,
	       bytes_of_fn *bytes_of, const void *arg);
/* Calls fn for secrets that may have these eight bytes at `at`. */
typedef void part_fn(void *arg, uint32_t secret, size_t at, bool many);
void parts_each(const struct parts *p, const char *bytes, part_fn *fn, void *arg);

/* huffman.c: calls fn for the bytes in which eight or more letters of these texts are in Huffman code, whatever
 * the bit at which they begin: the last ones first, each byte once. text_of: of those that were added to parts. */
typedef void coded_fn(void *arg, size_t begin, size_t end);
typedef const char *text_of_fn(const void *arg, uint32_t secret, size_t *ret_len);
void each_coded(const struct parts *parts, text_of_fn *text_of, const void *texts,
		const uint8_t *bytes, size_t len, coded_fn *fn, void *arg);

/* secrets.c. */
enum {
	SECRET_MIN = 6,	     /* bytes; shorter ones are ordinary words */
	SECRET_KNOWN = 4096, /* bytes remembered of each */
};
struct secrets;
struct secrets *secrets_new(void);
void secrets_free(struct secrets *s);
void secrets_clear(struct secrets *s);
void secrets_learn(struct secrets *s, uint64_t addr, uint64_t size, const void *bytes,
		   size_t len);
void secrets_learn_number(struct secrets *s, uint64_t number);
void secrets_learn_long_number(struct secrets *s, const uint8_t *bytes, size_t len);
/* Is it a learned number, or eight bytes of a secret in either byte order, or of its Huffman
 * code? */
bool secrets_have_number(const struct secrets *s, uint64_t number);
/* Does the word contain four bytes of a secret or five of its Huffman code, in either byte
 * order, or four as characters of its hexadecimal or base64 form? */
bool secrets_have_piece(const struct secrets *s, uint64_t word);
/* That, or is it a learned number, or an address in a secret? */
bool secrets_have_word(const struct secrets *s, uint64_t word);
/* From now on any text and any address may be secret. */
void secrets_suspect_all(struct secrets *s);
/* The same while it is set. */
void secrets_set_suspect(struct secrets *s, bool suspect);
/* Grows with each new secret, and with each text that represents one. */
size_t secrets_count(const struct secrets *s);
size_t secrets_contents(const struct secrets *s);
bool secrets_at(const struct secrets *s, uint64_t addr, uint64_t size);
/* The first part of these bytes that is in a secret. */
bool secrets_place(const struct secrets *s, uint64_t addr, uint64_t size,
		   uint64_t *ret_begin, uint64_t *ret_end);
/* How many bytes at the start of text are a learned secret; text may end in the middle of
 * it. */
size_t secrets_here(const struct secrets *s, const char *text, size_t len);
/* There are too many: every text is taken for a secret. */
bool secrets_are_all(const struct secrets *s);
/* How many bytes at the start of text are part of a secret, up to its end or the end of
 * text. */
size_t secrets_begin(const struct secrets *s, const char *text, size_t len);

/* How many bytes at the start of text are part of a secret, at least eight; 0: they are not. */
size_t secrets_part(const struct secrets *s, const char *text, size_t len);

/* each_coded() */
void secrets_each_coded(const struct secrets *s, const uint8_t *bytes, size_t len,
			coded_fn *fn, void *arg);

/* What was learned so far, and has it since? For a text that represents a secret, `whole` is
 * false: it is found only from its beginning. */
struct secrets_mark {
	size_t contents, learned, numbers;
};
struct secrets_mark secrets_mark(const struct secrets *s);
bool secrets_any_since(const struct secrets *s, const struct secrets_mark *mark,
		       bool (*of_content)(void *arg, const char *bytes, size_t len,
					  bool whole),
		       bool (*of_number)(void *arg, uint64_t number), void *arg);

/* unused.c. */
struct unused;
void unused_free(struct unused *u);
/* Grows with each part that redaction_note_unused() did not know. */
size_t unused_noted(const struct redaction *r);
void unused_erase(const struct redaction *r, uint64_t addr, uint8_t *bytes, size_t len);

/* queries.c: questions that were answered with no. */
struct asked;
struct asked *asked_new(void);
void asked_free(struct asked *a);
void asked_begin(struct asked *a, const struct secrets *s); /* forgets them */
void asked_text(struct asked *a, const char *text, size_t len);
void asked_number(struct asked *a, uint64_t number);
/* Would all get the same answer now? False when in doubt. */
bool asked_settled(const struct asked *a, const struct secrets *s);

/* redaction.c. */
enum {
	CACHED_NAME = 46,
	CACHE = 2048, /* names asked for: a power of two */
};
struct cached {
	uint8_t len; /* 0: none */
	uint8_t judgement;
	char name[CACHED_NAME];
};
struct redaction {
	enum redaction_mode mode;
	struct rules *rules; /* NULL: none */
	char *rules_file;    /* likewise */
	struct hmac_sha256_ctx key;
	bool has_given_key;
	struct secrets *always; /* NULL: nothing remembered */
	struct secrets *here;
	struct secrets *places; /* of redaction_note_place(); NULL: none */
	struct unused *unused;	/* NULL: none noted */
	struct asked *asked;	/* NULL: not requested yet */
	bool asking;
	bool learns_nothing, missed;
	bool (*is_public)(void *arg, uint64_t addr); /* NULL: nothing is */
	void *public_arg;
	struct cached names[CACHE];
	struct header_starts *header_starts; /* NULL: not needed yet */
};
/* redaction_set_public() */
bool is_public_place(const struct redaction *r, uint64_t addr);
/* A secret_name_fn. */
bool is_name_of_secret(void *redaction, const char *name, size_t len);

/* patterns.c: finds what looks like a secret and begins at text[at]. False: nothing. Text may end in the middle
 * of it. */
bool shape_at(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
	      void *arg, struct span *ret);

/* escapes.c: unescapes a text: "a\\u0026b", "a%26b" and "a&amp;b" are "a&b". */
struct plain_text {
	char *text; /* NUL-terminated */
	size_t len;
	size_t *from; /* where the character of each byte began; last: the end of text */
};
/* One level: "\\\\n" becomes "\\n". NULL: nothing is escaped. */
struct plain_text *unescape(const char *text, size_t len);
void plain_text_free(struct plain_text *plain);
DEFINE_AUTO(struct plain_text, plain_text_free)
/* Where this part was in the escaped text. */
struct span escaped_span(const struct plain_text *plain, struct span span);

/* hpack.c: the fields of header blocks of HTTP/2 and HTTP/3 that are anywhere in these bytes, as lines "name: value". from:
 * of a name, where the field begins; of a value, where the value begins. whole: they are all of a buffer. *ret NULL: there are none. False: it
 * was too much work to find all. */
bool header_fields(const struct header_starts *starts, const char *bytes, size_t len,
		   bool whole, secret_name_fn *is_secret, void *arg,
		   struct plain_text **ret);
/* For the same is_secret: makes the others fast. Release it with xfree(). */
struct header_starts *header_starts_new(secret_name_fn *is_secret, void *arg);
/* header_values.c: */
/* Is it like a value of this header? *ret_evidence: how much that says. True if such values may be anything. */
bool is_header_value(const char *name, const char *text, size_t len, int *ret_evidence);
/* How much it says that this may be the value of a secret header: a scheme such as "Bearer" all, others than tokens and
 * cookies little. */
int evidence_of_secret(const char *name, const char *text, size_t len);
bool has_scheme(const char *text, size_t len);

/* frames.c: the header of a frame of HTTP/2 with (a part of) a header block. */
enum { FRAME_HEADER = 9 };
bool is_header_frame(const uint8_t bytes[static FRAME_HEADER]);
/* Begins with a CONTINUATION frame, which may begin in the middle of a field? Returns where the frame ends. */
size_t continued_fields(const char *bytes, size_t len);
/* Without the headers of CONTINUATION frames; NULL: there are none. */
struct joined {
	char *bytes;
	size_t len;
	size_t *from; /* where each byte was; last: the end */
};
struct joined *frames_join(const char *bytes, size_t len);
void joined_free(struct joined *j);
DEFINE_AUTO(struct joined, joined_free)

/* masking.c: calls fn for each part of these bytes that is secret in a field of such a block; learns it. */
void each_secret_field(struct redaction *r, const uint8_t *bytes, size_t len,
		       coded_fn *fn, void *arg);

/* commands.c: "mysql -pabc", "curl -u bob:abc". at: the blank or quote before the
 * word. */
bool is_argument(const char *text, size_t len, size_t at, struct span *ret);

/* By the leading digits and the check digit of ISO/IEC 7812-1. */
bool is_card_number(const char *digits, size_t len);

/* rules.c: the user's rules. */
struct rules;
struct rules *rules_read(const char *path, struct err *err);
void rules_free(struct rules *rules);
enum verdict { VERDICT_NONE, VERDICT_KEEP, VERDICT_REDACT };
enum verdict rules_of_name(const struct rules *rules, const char *name);
enum verdict rules_of_type(const struct rules *rules, const char *type);
/* Finds the first match at or after text[from], see ere_find(), with the matches of other rules that overlap it. */
bool rules_find(const struct rules *rules, const char *text, size_t len, size_t from,
		struct span *ret);

#endif
