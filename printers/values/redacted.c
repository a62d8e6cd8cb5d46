/* SPDX-License-Identifier: Apache-2.0 */
/* redacted.c - prints what replaces a secret: its length, rounded up, the rule, and a
 * hash that identifies equal ones. Learns what it redacts, so that the secret is
 * recognised under other names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/utf8.h"
#include "printers/values/buffer.h"
#include "printers/values/notes.h"
#include "printers/values/redacted.h"

enum {
	HASHED_MAX = 64 << 10, /* bytes of a secret */
	NUMBER_MAX = 16,       /* bytes of a complex number */
};

const char *redact_named(struct printing *p, const char *name, size_t len)
{
	const char *before = p->redacted;

	if (!before)
		p->redacted = redaction_of_name(p->redaction, name, len);
	return before;
}

static struct naming naming_of(const struct printing *p)
{
	return (struct naming){ p->rt, p->redaction };
}

const char *redact_entry(struct printing *p, const struct value *key,
			 const struct value *elem)
{
	const char *before = p->redacted;
	const struct naming naming = naming_of(p);

	if (!before)
		p->redacted = rule_of_entry(&naming, key, elem);
	if (!p->redacted && p->in_web_key)
		p->redacted = "name";
	return before;
}

const char *rule_of_pair(struct printing *p, const struct value *v)
{
	const struct type_field *f = naming_field(v->type);
	const struct naming naming = naming_of(p);

	return f ? rule_of_key(&naming, &(struct value){ f->type, v->addr + f->off })
		 : NULL;
}

const char *redact_element(struct printing *p, struct listed *list,
			   const struct value *element, uint64_t i, uint64_t n)
{
	const char *before = p->redacted;
	const struct naming naming = naming_of(p);
	size_t from;

	if (before)
		return before;
	const char *rule = rule_of_element(&naming, list, element, i, n, &from);
	if (rule && from)
		p->secret_from = from;
	else
		p->redacted = rule;
	return before;
}

void print_redacted(struct printing *p, const void *bytes, size_t len, const char *rule)
{
	char hash[REDACTION_HASH];

	redaction_hash(p->redaction, bytes, len, hash);
	sink_named_string(p->out, "redacted", rule);
	sink_named_string(p->out, "redacted_hash", hash);
	p->redacted_count++;
}

/* text has only the beginning; the hash is of the whole. */
static void print_redacted_text(struct printing *p, const struct shown_text *text,
				const char *rule)
{
	size_t n = text->whole < HASHED_MAX ? (size_t)text->whole : HASHED_MAX;
	AUTO(xfree) uint8_t *bytes = xcalloc(n + 1, 1);
	struct err ignored;

	if (n > text->len && runtime_bytes(p->rt, text->addr, bytes, n, &ignored))
		print_redacted(p, bytes, n, rule);
	else
		print_redacted(p, text->bytes, text->len, rule);
	explicit_bzero(bytes, n);
}

/* A public key is in certificates too, which are not secret. */
void learn_redacted(struct printing *p, uint64_t addr, uint64_t size, const void *bytes,
		    size_t len)
{
	if (p->is_public)
		return;
	redaction_learn(p->redaction, addr, size, bytes, len);
	if (bytes)
		redaction_learn_parts(p->redaction, bytes, len);
	if (bytes && p->in_web_key)
		redaction_learn_encoded(p->redaction, bytes, len);
}

/* A text that ends where nothing is was never set. To learn what it would begin with makes secrets of
 * whatever is in memory there. */
static void redact_bytes(struct printing *p, uint64_t addr, uint64_t len,
			 const char *rule)
{
	size_t n = len < HASHED_MAX ? (size_t)len : HASHED_MAX;
	struct err err;

	if (!ends_in_memory(p, len, addr, 1)) {
		print_nowhere(p);
		return;
	}
	AUTO(xfree) uint8_t *bytes = xcalloc(n + 1, 1);
	sink_named_uint(p->out, "len", redaction_length(len));
	if (!runtime_bytes(p->rt, addr, bytes, n, &err)) {
		print_failure(p, &err);
		return;
	}
	/* All texts of one byte are in one table of the runtime. */
	if (len > 1)
		learn_redacted(p, addr, len, bytes, n);
	print_redacted(p, bytes, n, rule);
	explicit_bzero(bytes, n);
}

static bool is_signed(enum type_kind kind)
{
	return kind >= KIND_INT && kind <= KIND_INT64;
}

/* In a text it would be recognised by its digits. */
static void learn_number(struct printing *p, const struct value *v, const void *bytes,
			 size_t size)
{
	enum type_kind kind = type_kind(v->type);
	char digits[24] = "";
	uint64_t bits = 0;

	if (kind >= KIND_INT && kind <= KIND_UINTPTR) {
		unsigned unused = 8 * (unsigned)(sizeof(bits) - size);
		memcpy(&bits, bytes, size);
		if (is_signed(kind))
			bits = (uint64_t)((int64_t)(bits << unused) >> unused);
		snprintf(digits, sizeof(digits),
			 is_signed(kind) ? "%" PRId64 : "%" PRIu64, bits);
		redaction_learn_number(p->redaction, bits);
	}
	redaction_learn(p->redaction, value_has_address(v) ? v->addr : 0, size, digits,
			strlen(digits));
}

/* One number in ten of its length passes for a card's, which texts are searched for anyway. And
 * what is recognised is known: to learn it again as a number of its own, with all its digits, finds
 * more of the kind without end where memory has many digits. */
static bool is_worth_learning(const struct printing *p, const char *rule)
{
	return strcmp(rule, "card_number") != 0 &&
	       rule != redaction_rule_of_copy(p->redaction);
}

static void redact_number(struct printing *p, const struct value *v, const char *rule)
{
	uint8_t bytes[NUMBER_MAX];
	uint64_t size = type_size(v->type);

	if (size < 1 || size > sizeof(bytes)) {
		print_unreadable(p, "unsupported type");
		return;
	}
	if (!read_value(p, v, bytes, (size_t)size))
		return;
	if (!p->is_public && is_worth_learning(p, rule))
		learn_number(p, v, bytes, (size_t)size);
	else if (value_has_address(v) && rule != redaction_rule_of_copy(p->redaction))
		redaction_note_place(p->redaction, v->addr, size);
	print_redacted(p, bytes, (size_t)size, rule);
}

/* Where its bytes are. False: not text, or empty, which is not secret, or never set: what reaches beyond its object
 * would make secrets of whatever is there, and core-export would take that for shown. */
static bool find_bytes(struct printing *p, const struct value *v, uint64_t *ret_addr,
		       uint64_t *ret_len)
{
	const struct type *elem = type_elem(v->type);
	struct text_value s;
	struct slice_value slice;
	struct err ignored;

	switch (type_kind(v->type)) {
	case KIND_STRUCT:
		if (!runtime_slog_text(p->rt, v, &s))
			return false;
		*ret_addr = s.addr;
		*ret_len = s.len;
		break;
	case KIND_STRING:
		if (!runtime_string(p->rt, v, &s, &ignored))
			return false;
		*ret_addr = s.addr;
		*ret_len = s.len;
		break;
	case KIND_SLICE:
		if (!elem || type_kind(elem) != KIND_UINT8 ||
		    !runtime_slice(p->rt, v, &slice, &ignored) || !slice.addr)
			return false;
		*ret_addr = slice.addr;
		*ret_len = slice.len;
		break;
	case KIND_ARRAY:
		*ret_addr = v->addr;
		*ret_len = type_count(v->type);
		if (!elem || type_kind(elem) != KIND_UINT8)
			return false;
		break;
	default:
		return false;
	}
	return *ret_len > 0 && !reaches_beyond(p, *ret_addr, *ret_len);
}

void pass_over(struct printing *p, const struct value *v)
{
	enum { READ_MAX = 16 << 10 };
	uint64_t addr, len;
	struct err ignored;

	if (!find_bytes(p, v, &addr, &len))
		return;
	size_t n = len < READ_MAX ? (size_t)len : READ_MAX;
	AUTO(xfree) char *bytes = xmalloc(n);
	if (runtime_bytes(p->rt, addr, bytes, n, &ignored))
		redaction_of_piece(bytes, n, &p->in_pem);
	explicit_bzero(bytes, n);
}

static bool is_number(enum type_kind kind)
{
	return kind >= KIND_INT && kind <= KIND_COMPLEX128;
}

/* A word of a big number is not a number by itself: one in a few hundred looks like a
 * card number. */
static bool is_part_of_number(const struct type *type)
{
	return strcmp(type_name(type), "math/big.Word") == 0;
}

static const char *rule_of_number(struct printing *p, const struct value *v)
{
	uint64_t bits = 0;
	struct err ignored;

	/* What has a secret's name, or is in what has one. */
	if (p->redacted &&
	    (!notes_of(p, v->type)->is_enum || redaction_is_users_rule(p->redacted)))
		return p->redacted;
	if (value_has_address(v) &&
	    redaction_at(p->redaction, v->addr, type_size(v->type)))
		return redaction_rule_of_copy(p->redaction);
	if (type_size(v->type) != sizeof(bits) ||
	    !runtime_bytes(p->rt, v->addr, &bits, sizeof(bits), &ignored))
		return NULL;
	p->number = bits;
	p->has_number = true;
	if (is_part_of_number(v->type))
		return redaction_of_bytes(p->redaction, 0, &bits, sizeof(bits))
			       ? redaction_rule_of_copy(p->redaction)
			       : NULL;
	return redaction_of_number(p->redaction, bits);
}

bool redact_value(struct printing *p, const struct value *v)
{
	enum type_kind kind = type_kind(v->type);
	uint64_t addr, len;
	const char *rule;

	p->has_number = false;
	if (is_number(kind) && (rule = rule_of_number(p, v))) {
		redact_number(p, v, rule);
		return true;
	}
	if (!p->redacted || !find_bytes(p, v, &addr, &len))
		return false;
	redact_bytes(p, addr, len, p->redacted);
	return true;
}

static const char mask[] = "[redacted]";

/* Is it redacted to its end? */
static bool is_open(const struct redacted *left)
{
	const size_t n = strlen(mask);

	return !left->text ||
	       (left->len >= n && memcmp(left->text + left->len - n, mask, n) == 0);
}

/* Learns the rest of a private key longer than what was read; it may be elsewhere on its
 * own. */
static void learn_rest(struct printing *p, const struct shown_text *text,
		       const struct redacted *left)
{
	enum { REST_MAX = 4096 };
	const uint64_t rest = text->whole - text->len;
	const bool key = left->rule && (strcmp(left->rule, "pem") == 0 ||
					strcmp(left->rule, "der") == 0);
	size_t n = rest < REST_MAX ? (size_t)rest : REST_MAX;
	uint8_t bytes[REST_MAX];
	struct err ignored;

	if (!key || !n || !is_open(left) ||
	    !runtime_bytes(p->rt, text->addr + text->len, bytes, n, &ignored))
		return;
	redaction_learn(p->redaction, text->addr + text->len, rest, bytes, n);
	explicit_bzero(bytes, n);
}

/* A text that is a piece of a key is redacted completely. */
static struct redacted judge(struct printing *p, const struct shown_text *text)
{
	bool piece = redaction_of_piece(text->bytes, text->len, &p->in_pem);
	size_t from = p->secret_from;

	p->secret_from = 0;
	if (from && from < text->len)
		return redaction_of_rest(p->redaction, text->addr, text->bytes, text->len,
					 from);
	if (!piece || redaction_mode(p->redaction) != REDACT_SECRETS)
		return redaction_of_text(p->redaction, text->addr, text->bytes,
					 text->len);
	redaction_learn(p->redaction, text->addr, text->whole, text->bytes, text->len);
	return (struct redacted){ .rule = "pem" };
}

bool print_masked(struct printing *p, const char *member, const struct shown_text *text)
{
	struct redacted left = judge(p, text);

	if (!left.rule)
		return false;
	learn_rest(p, text, &left);
	p->redacted_bytes += text->len;
	sink_named_uint(p->out, "len",
			redaction_length(text->use ? text->n : text->whole));
	size_t n = left.len < text->shown ? left.len : text->shown;
	if (left.text && n < left.len)
		n = utf8_cut(left.text, n);
	if (left.text && utf8_valid(left.text, n)) {
		size_t used = without_zeros(left.text, n);
		sink_name(p->out, member);
		sink_text(p->out, left.text, used);
		print_zeros(p, n - used);
	}
	if (text->use)
		print_unused(p, text->use, text->n);
	print_redacted_text(p, text, left.rule);
	redacted_done(&left);
	return true;
}

void print_item_without_secrets(struct sink *out, struct redaction *r, const char *rule,
				struct bytes_of_text text)
{
	struct redacted left = { .rule = rule };

	if (!rule)
		left = redaction_of_text(r, 0, text.bytes, text.len);
	if (!left.rule)
		sink_text(out, text.bytes, text.len);
	else if (left.text)
		sink_text(out, left.text, left.len);
	else
		sink_string(out, mask);
	redacted_done(&left);
}

char *text_without_secrets(struct redaction *r, const char *text)
{
	struct redacted left = redaction_of_text(r, 0, text, strlen(text));
	char *ret = !left.rule	? xstrdup(text)
		    : left.text ? xstrndup(left.text, left.len)
				: xstrdup(mask);

	redacted_done(&left);
	return ret;
}

void print_masked_member(struct sink *out, struct redaction *r, const char *key,
			 const char *text)
{
	if (!text)
		return;
	sink_name(out, key);
	print_item_without_secrets(out, r, NULL,
				   (struct bytes_of_text){ text, strlen(text) });
}

void print_text_without_secrets(struct sink *out, struct redaction *r, const char *key,
				const char *rule, struct bytes_of_text text)
{
	struct redacted left = { .rule = rule };
	char hash[REDACTION_HASH];

	if (rule)
		redaction_learn(r, 0, 0, text.bytes, text.len);
	else
		left = redaction_of_text(r, 0, text.bytes, text.len);
	if (!left.rule) {
		sink_name(out, key);
		sink_text(out, text.bytes, text.len);
		return;
	}
	if (left.text) {
		sink_name(out, key);
		sink_text(out, left.text, left.len);
	}
	redaction_hash(r, text.bytes, text.len, hash);
	sink_named_string(out, "redacted", left.rule);
	sink_named_string(out, "redacted_hash", hash);
	redacted_done(&left);
}

void print_word_without_secrets(struct sink *out, struct redaction *r, uint64_t word)
{
	if (redaction_of_register(r, word))
		sink_string(out, "redacted");
	else
		sink_address(out, word);
}
