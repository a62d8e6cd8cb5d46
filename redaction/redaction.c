/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction/redaction_priv.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <nettle/hmac.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum {
	KEY_BYTES = 32,
	KEY_FILE_MAX = 4096,
};

static bool make_key(const char *path, struct hmac_sha256_ctx *ret, struct err *err)
{
	uint8_t random[KEY_BYTES];
	size_t len;

	if (!path) {
		if (getrandom(random, sizeof(random), 0) != sizeof(random))
			return err_sys(err, "cannot get random numbers");
		hmac_sha256_set_key(ret, sizeof(random), random);
		explicit_bzero(random, sizeof(random));
		return true;
	}
	char *key = slurp(path, KEY_FILE_MAX, &len);
	bool ok = key && len >= KEY_BYTES / 2;
	if (!key)
		err_set(err, ERR_USAGE, "cannot read the key in %.200s: %s", path,
			strerror(errno));
	else if (!ok)
		err_set(err, ERR_USAGE,
			"the key in %.200s is too short: expected at least 16 bytes",
			path);
	else
		hmac_sha256_set_key(ret, len, (const uint8_t *)key);
	if (key)
		explicit_bzero(key, len);
	xfree(key);
	return ok;
}

struct redaction *redaction_new(const struct redaction_options *options, struct err *err)
{
	AUTO(redaction_free) struct redaction *r = xcalloc(1, sizeof(*r));

	r->mode = options->mode;
	r->here = secrets_new();
	if (options->rules) {
		if (!(r->rules = rules_read(options->rules, err)))
			return NULL;
		r->rules_file = xrealpath(options->rules);
	}
	r->has_given_key = options->key != NULL;
	if (!make_key(options->key, &r->key, err))
		return NULL;
	return TAKE(r);
}

bool redaction_renew_key(struct redaction *r, struct err *err)
{
	return r->has_given_key || make_key(NULL, &r->key, err);
}

void redaction_free(struct redaction *r)
{
	if (!r)
		return;
	rules_free(r->rules);
	xfree(r->rules_file);
	secrets_free(r->always);
	secrets_free(r->here);
	secrets_free(r->places);
	unused_free(r->unused);
	asked_free(r->asked);
	xfree(r->header_starts);
	explicit_bzero(&r->key, sizeof(r->key));
	xfree(r);
}

enum redaction_mode redaction_mode(const struct redaction *r)
{
	return r->mode;
}

const char *redaction_mode_name(const struct redaction *r)
{
	static const char *const names[] = {
		[REDACT_SECRETS] = "secrets",
		[REDACT_STRICT] = "strict",
		[REDACT_NOTHING] = "nothing",
	};

	return names[r->mode];
}

const char *redaction_rules_file(const struct redaction *r)
{
	return r->rules_file;
}

/* Of names and types: by rules that are built in, or by the user's. */
enum judgement { JUDGED_OPEN, JUDGED_SECRET, JUDGED_BY_USER };
static const char name_rules[][5] = {
	[JUDGED_SECRET] = "name", [JUDGED_BY_USER] = "name"
};
static const char type_rules[][5] = {
	[JUDGED_SECRET] = "type", [JUDGED_BY_USER] = "type"
};

static enum judgement judge_name(const struct redaction *r, const char *name, size_t len)
{
	enum verdict verdict = VERDICT_NONE;

	if (r->rules) {
		AUTO(xfree) char *word = xstrndup(name, len);
		verdict = rules_of_name(r->rules, word);
	}
	if (verdict == VERDICT_NONE)
		return is_secret_name(name, len) ? JUDGED_SECRET : JUDGED_OPEN;
	return verdict == VERDICT_REDACT ? JUDGED_BY_USER : JUDGED_OPEN;
}

static enum judgement judgement_of_name(struct redaction *r, const char *name, size_t len)
{
	uint32_t hash = (uint32_t)len;

	if (len == 0 || len > CACHED_NAME)
		return len > 0 ? judge_name(r, name, len) : JUDGED_OPEN;
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619;
	struct cached *at = &r->names[(hash ^ hash >> 16) & (CACHE - 1)];
	if (at->len != len || memcmp(at->name, name, len) != 0) {
		at->len = (uint8_t)len;
		memcpy(at->name, name, len);
		at->judgement = (uint8_t)judge_name(r, name, len);
	}
	return at->judgement;
}

bool is_name_of_secret(void *arg, const char *name, size_t len)
{
	return judgement_of_name(arg, name, len) != JUDGED_OPEN;
}

const char *redaction_of_name(struct redaction *r, const char *name, size_t len)
{
	const enum judgement judgement =
		r->mode == REDACT_NOTHING ? JUDGED_OPEN : judgement_of_name(r, name, len);

	return judgement == JUDGED_OPEN ? NULL : name_rules[judgement];
}

bool redaction_is_users_rule(const char *rule)
{
	return rule == name_rules[JUDGED_BY_USER] || rule == type_rules[JUDGED_BY_USER];
}

/* Random characters split into many words, one of which may be "pw". */
bool redaction_is_name(struct redaction *r, const char *text, size_t len)
{
	enum { WORDS_MAX = 5 };

	return name_words(text, len) <= WORDS_MAX && redaction_of_name(r, text, len);
}

const char *redaction_of_parameter(struct redaction *r, const char *name, size_t len)
{
	if (r->mode == REDACT_NOTHING)
		return NULL;
	return is_signature(name, len) || is_name_of_secret(r, name, len) ? "name" : NULL;
}

bool redaction_asks_for_text(const char *name, size_t len, bool is_parameter)
{
	return (is_parameter && is_doubtful_name(name, len, DOUBTFUL_PARAMETER)) ||
	       is_doubtful_name(name, len, DOUBTFUL_ANYWHERE);
}

const char *redaction_of_named_text(struct redaction *r, const char *name, size_t len,
				    const char *text, size_t text_len, bool is_parameter)
{
	const char *rule = is_parameter ? redaction_of_parameter(r, name, len)
					: redaction_of_name(r, name, len);

	if (rule || r->mode != REDACT_SECRETS)
		return rule;
	if (is_parameter &&
	    is_doubtful_value(name, len, DOUBTFUL_PARAMETER, text, text_len))
		return "name";
	return is_doubtful_value(name, len, DOUBTFUL_ANYWHERE, text, text_len) ? "name"
									       : NULL;
}

const char *redaction_of_type(struct redaction *r, const char *type)
{
	enum verdict verdict = VERDICT_NONE;

	if (r->mode == REDACT_NOTHING)
		return NULL;
	if (r->rules)
		verdict = rules_of_type(r->rules, type);
	if (verdict == VERDICT_NONE)
		return is_secret_type(type) ? type_rules[JUDGED_SECRET] : NULL;
	return verdict == VERDICT_REDACT ? type_rules[JUDGED_BY_USER] : NULL;
}

/* They are in too many places: a weak password is redacted where it is one. */
static bool is_common(const char *text, size_t len)
{
	static const char *const words[] = {
		"0.0.0.0",     "127.0.0.1",
		"Basic",       "Bearer",
		"DELETE",      "GET",
		"HEAD",	       "OPTIONS",
		"PATCH",       "POST",
		"PUT",	       "apikey",
		"api_key",     "application/json",
		"basic",       "bearer",
		"bytes",       "cookie",
		"debug",       "default",
		"development", "disabled",
		"enabled",     "error",
		"example.com", "example.org",
		"false",       "grpc",
		"http",	       "https",
		"info",	       "json",
		"localhost",   "main",
		"none",	       "null",
		"password",    "production",
		"root",	       "secret",
		"session",     "staging",
		"string",      "test",
		"text/html",   "text/plain",
		"token",       "true",
		"undefined",   "unix",
		"unknown",     "utf-8",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
			return true;
	return false;
}

/* A longer one is not a secret but an unset variable with an arbitrary length. */
static uint64_t place(uint64_t size)
{
	enum { MAX = 64 << 10, BEGINNING = 4096 };

	return size > MAX ? BEGINNING : size;
}

void redaction_learn(struct redaction *r, uint64_t addr, uint64_t size, const void *bytes,
		     size_t len)
{
	if (bytes && is_common(bytes, len)) {
		bytes = NULL;
		len = 0;
	}
	if (r->mode != REDACT_NOTHING && !(addr && is_public_place(r, addr)))
		secrets_learn(r->here, addr, place(size), bytes, len);
}

bool is_public_place(const struct redaction *r, uint64_t addr)
{
	return r->is_public && r->is_public(r->public_arg, addr);
}

void redaction_set_public(struct redaction *r,
			  bool (*is_public)(void *arg, uint64_t addr), void *arg)
{
	r->is_public = is_public;
	r->public_arg = arg;
}

void redaction_learn_number(struct redaction *r, uint64_t number)
{
	if (r->mode != REDACT_NOTHING)
		secrets_learn_number(r->here, number);
}

void redaction_learn_long_number(struct redaction *r, const uint8_t *bytes, size_t len)
{
	if (r->mode != REDACT_NOTHING)
		secrets_learn_long_number(r->here, bytes, len);
}

static void forget_unused(struct redaction *r)
{
	unused_free(r->unused);
	r->unused = NULL;
}

void redaction_remember(struct redaction *r)
{
	forget_unused(r);
	secrets_free(r->always);
	r->always = r->here;
	r->here = secrets_new();
}

void redaction_learns_nothing(struct redaction *r)
{
	r->learns_nothing = true;
}

void redaction_set_missed(struct redaction *r, bool missed)
{
	r->missed = missed;
}

void redaction_forget(struct redaction *r)
{
	forget_unused(r);
	if (secrets_count(r->here) == 0)
		return;
	secrets_clear(r->here);
}

void redaction_suspect_all(struct redaction *r)
{
	if (r->mode != REDACT_NOTHING)
		secrets_suspect_all(r->here);
}

void redaction_set_suspect(struct redaction *r, bool suspect)
{
	if (r->mode != REDACT_NOTHING)
		secrets_set_suspect(r->here, suspect);
}

const char *redaction_rule_of_copy(const struct redaction *r)
{
	return secrets_are_all(r->here) || (r->always && secrets_are_all(r->always))
		       ? "uncertain"
		       : "copy_of_secret";
}

void redaction_ask(struct redaction *r)
{
	if (!r->asked)
		r->asked = asked_new();
	asked_begin(r->asked, r->here);
	r->asking = true;
}

bool redaction_settled(struct redaction *r)
{
	r->asking = false;
	return asked_settled(r->asked, r->here);
}

size_t redaction_known(const struct redaction *r)
{
	return secrets_count(r->here) + unused_noted(r);
}

bool redaction_is_key(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	size_t zeros = 0;

	for (size_t i = 0; i < len; i++)
		zeros += !at[i];
	return 4 * zeros < len;
}

bool redaction_at(struct redaction *r, uint64_t addr, uint64_t size)
{
	return secrets_at(r->here, addr, size) ||
	       (r->always && secrets_at(r->always, addr, size));
}

/* Card numbers of 16 digits, and of 15 digits starting with 34 or 37, as only those do.
 * Numbers of other lengths are more often times and hashes. */
static bool may_be_card(uint64_t number)
{
	const uint64_t ten_to_13 = UINT64_C(10000000000000);
	uint64_t first = number / ten_to_13;

	return (first >= 100 && first <= 999) || first == 34 || first == 37;
}

static const char *rule_of_card(uint64_t number)
{
	char digits[24];
	int len;

	if (!may_be_card(number))
		return NULL;
	len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	return is_card_number(digits, (size_t)len) ? "card_number" : NULL;
}

static bool is_known_number(struct redaction *r, uint64_t number)
{
	bool known = secrets_have_number(r->here, number) ||
		     (r->always && secrets_have_number(r->always, number));

	if (!known && r->asking)
		asked_number(r->asked, number);
	return known;
}

const char *redaction_of_number(struct redaction *r, uint64_t number)
{
	if (r->mode != REDACT_SECRETS)
		return NULL;
	return is_known_number(r, number) ? redaction_rule_of_copy(r)
					  : rule_of_card(number);
}

bool redaction_of_bytes(struct redaction *r, uint64_t addr, const void *bytes, size_t len)
{
	const uint8_t *at = bytes, *end = at + len;
	uint64_t word;

	if (r->mode != REDACT_SECRETS)
		return false;
	if (addr && redaction_at(r, addr, len))
		return true;
	for (; len >= sizeof(word) && at < end; at += sizeof(word)) {
		if (at + sizeof(word) > end)
			at = end - sizeof(word);
		memcpy(&word, at, sizeof(word));
		/* The bytes of a secret are rarely a small number. One in two hundred
		 * words, not being numbers themselves, looks like a card number. */
		if (word > UINT32_MAX && is_known_number(r, word))
			return true;
	}
	return false;
}

/* Four or more consecutive characters. */
static bool has_letters(uint64_t word)
{
	enum { LEAST = 4 };
	unsigned n = 0;

	for (; word && n < LEAST; word >>= 8)
		n = isprint((int)(word & UINT8_MAX)) ? n + 1 : 0;
	return n == LEAST;
}

bool redaction_is_plain_number(uint64_t word)
{
	return (word <= UINT32_MAX || -word <= UINT32_MAX) && !has_letters(word);
}

/* Eight characters. Four followed by zeros occur in too many halves of addresses. */
static bool is_letters(uint64_t word)
{
	for (size_t i = 0; i < sizeof(word); i++, word >>= 8)
		if (!isprint((int)(word & UINT8_MAX)))
			return false;
	return true;
}

static bool is_secret_word(struct redaction *r, uint64_t word)
{
	if (r->learns_nothing && is_letters(word))
		return true;
	if (secrets_have_word(r->here, word) ||
	    (r->always && secrets_have_word(r->always, word)))
		return true;
	return rule_of_card(word) != NULL;
}

bool redaction_of_word(struct redaction *r, uint64_t word)
{
	switch (r->mode) {
	case REDACT_STRICT:
		return has_letters(word);
	case REDACT_SECRETS:
		return is_secret_word(r, word);
	case REDACT_NOTHING:
		break;
	}
	return false;
}

bool redaction_of_register(struct redaction *r, uint64_t word)
{
	return (r->mode == REDACT_SECRETS && r->missed && has_letters(word)) ||
	       redaction_of_word(r, word);
}

bool redaction_of_dead_word(struct redaction *r, uint64_t word)
{
	return (r->mode == REDACT_SECRETS && is_letters(word)) ||
	       redaction_of_word(r, word);
}

static bool has_piece(struct redaction *r, uint64_t word)
{
	if (r->mode == REDACT_STRICT)
		return has_letters(word);
	if ((r->learns_nothing && is_letters(word)) || (r->missed && has_letters(word)))
		return true;
	return secrets_have_piece(r->here, word) ||
	       (r->always && secrets_have_piece(r->always, word));
}

bool redaction_of_vector(struct redaction *r,
			 const uint8_t bytes[static REDACTION_VECTOR])
{
	uint64_t low, middle, high;

	if (r->mode == REDACT_NOTHING)
		return false;
	memcpy(&low, bytes, sizeof(low));
	memcpy(&middle, bytes + sizeof(low) / 2, sizeof(middle));
	memcpy(&high, bytes + sizeof(low), sizeof(high));
	return redaction_of_register(r, low) || redaction_of_register(r, high) ||
	       has_piece(r, middle);
}

void redacted_done(struct redacted *text)
{
	xfree(text->text);
	text->text = NULL;
	text->len = 0;
}

void redaction_hash(const struct redaction *r, const void *bytes, size_t len,
		    char ret[REDACTION_HASH])
{
	struct hmac_sha256_ctx ctx = r->key;
	uint8_t digest[(REDACTION_HASH - 1) / 2];

	hmac_sha256_update(&ctx, len, bytes);
	hmac_sha256_digest(&ctx, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(ret + 2 * i, 3, "%02x", digest[i]);
}

uint64_t redaction_length(uint64_t len)
{
	const uint64_t most = UINT64_C(1) << 62; /* of what readers of JSON take */
	uint64_t rounded = 1;

	while (rounded < len && rounded < most)
		rounded <<= 1;
	return len == 0 ? 0 : rounded;
}
