/* SPDX-License-Identifier: Apache-2.0 */
/* withheld.c - what stands in the place of a secret: its length, rounded up, the rule, and a hash
 * that tells equal ones. What is withheld here is learned, so that it is known by other names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"
#include "value_printers.h"
#include "withheld.h"

enum {
	HASHED_MAX = 64 << 10, /* bytes of a secret */
	KEY_MAX = 256,
	NUMBER_MAX = 16, /* bytes: of a complex number */
};

const char *withhold_named(struct printing *p, const char *name, size_t len)
{
	const char *before = p->withheld;

	if (!before)
		p->withheld = redaction_of_name(p->redaction, name, len);
	return before;
}

static void withhold_of_string(struct printing *p, const struct value *key)
{
	char bytes[KEY_MAX];
	struct text_value s;
	struct err ignored;

	if (type_kind(key->type) == KIND_STRING &&
	    runtime_string(p->rt, key, &s, &ignored) && s.len <= sizeof(bytes) &&
	    runtime_bytes(p->rt, s.addr, bytes, (size_t)s.len, &ignored))
		withhold_named(p, bytes, (size_t)s.len);
}

/* Of a key like struct{Tenant, Field string}. */
static void withhold_of_struct(struct printing *p, const struct value *key)
{
	enum { FIELDS_MAX = 16 };

	for (size_t i = 0; i < type_field_count(key->type) && i < FIELDS_MAX; i++) {
		const struct type_field *f = type_field(key->type, i);
		if (f->type)
			withhold_of_string(
				p, &(struct value){ f->type, key->addr + f->off });
	}
}

const char *withhold_keyed(struct printing *p, const struct value *key)
{
	const char *before = p->withheld;
	struct interface_value in;
	struct err ignored;

	if (before || redaction_mode(p->redaction) == REDACT_NOTHING)
		return before;
	if (type_kind(key->type) == KIND_STRUCT) {
		withhold_of_struct(p, key);
	} else if (type_kind(key->type) != KIND_INTERFACE) {
		withhold_of_string(p, key);
	} else if (runtime_interface(p->rt, key, &in, &ignored) && in.descriptor) {
		/* Keys of contexts are named by their types. */
		const char *dot = strrchr(in.name, '.');
		const char *name = dot ? dot + 1 : in.name;
		withhold_named(p, name, strlen(name));
		if (in.inside.type)
			withhold_of_string(p, &in.inside);
	}
	return before;
}

const char *withhold_next(struct printing *p, const struct value *before, uint64_t i,
			  uint64_t n)
{
	struct interface_value in;
	struct text_value s;
	struct err ignored;
	char first;

	if (p->withheld || i == 0 || redaction_mode(p->redaction) == REDACT_NOTHING)
		return p->withheld;
	if (type_kind(before->type) == KIND_STRING) {
		if (n == 2 ||
		    (runtime_string(p->rt, before, &s, &ignored) && s.len > 1 &&
		     runtime_bytes(p->rt, s.addr, &first, 1, &ignored) && first == '-'))
			withhold_of_string(p, before);
	} else if (type_kind(before->type) == KIND_INTERFACE && i % 2 == 1 &&
		   runtime_interface(p->rt, before, &in, &ignored) && in.inside.type) {
		withhold_of_string(p, &in.inside);
	}
	return NULL;
}

void print_same(struct printing *p, const void *bytes, size_t len, const char *rule)
{
	char same[REDACTION_SAME];

	redaction_same(p->redaction, bytes, len, same);
	sink_named_string(p->out, "redacted", rule);
	sink_named_string(p->out, "same", same);
	p->withheld_count++;
}

/* What is shown is only the beginning; what is equal is so as a whole. */
static void print_same_text(struct printing *p, const struct shown_text *text,
			    const char *rule)
{
	size_t n = text->whole < HASHED_MAX ? (size_t)text->whole : HASHED_MAX;
	AUTO(xfree) uint8_t *bytes = xcalloc(n + 1, 1);
	struct err ignored;

	if (n > text->len && runtime_bytes(p->rt, text->addr, bytes, n, &ignored))
		print_same(p, bytes, n, rule);
	else
		print_same(p, text->bytes, text->len, rule);
	explicit_bzero(bytes, n);
}

static void withhold_bytes(struct printing *p, uint64_t addr, uint64_t len,
			   const char *rule)
{
	size_t n = len < HASHED_MAX ? (size_t)len : HASHED_MAX;
	AUTO(xfree) uint8_t *bytes = xcalloc(n + 1, 1);
	struct err err;

	sink_named_uint(p->out, "len", redaction_length(len));
	if (!runtime_bytes(p->rt, addr, bytes, n, &err)) {
		print_unreadable(p, err.text);
		return;
	}
	redaction_learn(p->redaction, addr, len, bytes, n);
	print_same(p, bytes, n, rule);
	explicit_bzero(bytes, n);
}

static bool is_signed(enum type_kind kind)
{
	return kind >= KIND_INT && kind <= KIND_INT64;
}

/* Its digits are what it would be known by in a text. */
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

static void withhold_number(struct printing *p, const struct value *v, const char *rule)
{
	uint8_t bytes[NUMBER_MAX];
	uint64_t size = type_size(v->type);

	if (size < 1 || size > sizeof(bytes)) {
		print_unreadable(p, "values of this type are not known");
		return;
	}
	if (!read_value(p, v, bytes, (size_t)size))
		return;
	learn_number(p, v, bytes, (size_t)size);
	print_same(p, bytes, (size_t)size, rule);
}

/* Where its bytes are. False: it is no text, or an empty one, which is no secret. */
static bool find_bytes(struct printing *p, const struct value *v, uint64_t *ret_addr,
		       uint64_t *ret_len)
{
	const struct type *elem = type_elem(v->type);
	struct text_value s;
	struct slice_value slice;
	struct err ignored;

	switch (type_kind(v->type)) {
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
		return elem && type_kind(elem) == KIND_UINT8 && *ret_len > 0;
	default:
		return false;
	}
	return *ret_len > 0;
}

static bool is_number(enum type_kind kind)
{
	return kind >= KIND_INT && kind <= KIND_COMPLEX128;
}

static const char *rule_of_number(struct printing *p, const struct value *v)
{
	uint64_t bits = 0;
	struct err ignored;

	if (p->withheld)
		return p->withheld;
	if (type_size(v->type) != sizeof(bits) ||
	    !runtime_bytes(p->rt, v->addr, &bits, sizeof(bits), &ignored))
		return NULL;
	p->number = bits;
	p->has_number = true;
	return redaction_of_number(p->redaction, bits);
}

bool withhold_value(struct printing *p, const struct value *v)
{
	enum type_kind kind = type_kind(v->type);
	uint64_t addr, len;
	const char *rule;

	p->has_number = false;
	if (is_number(kind) && (rule = rule_of_number(p, v))) {
		withhold_number(p, v, rule);
		return true;
	}
	if (!p->withheld || !find_bytes(p, v, &addr, &len))
		return false;
	withhold_bytes(p, addr, len, p->withheld);
	return true;
}

/* A text that is one of a key's pieces is withheld as a whole. */
static struct redacted judge(struct printing *p, const struct shown_text *text)
{
	bool piece = redaction_of_piece(text->bytes, text->len, &p->in_pem);

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
	sink_named_uint(p->out, "len", redaction_length(text->whole));
	size_t n = left.len < text->shown ? left.len : text->shown;
	if (left.text && n < left.len)
		n = utf8_cut(left.text, n);
	if (left.text && utf8_valid(left.text, n)) {
		sink_name(p->out, member);
		sink_text(p->out, left.text, n);
	}
	print_same_text(p, text, left.rule);
	redacted_done(&left);
	return true;
}

static const char mask[] = "[redacted]";

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
	char same[REDACTION_SAME];

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
	redaction_same(r, text.bytes, text.len, same);
	sink_named_string(out, "redacted", left.rule);
	sink_named_string(out, "same", same);
	redacted_done(&left);
}
