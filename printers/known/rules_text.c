/* SPDX-License-Identifier: Apache-2.0 */
/* A path that cannot be resolved appears in the text as in the rule, in its braces. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/utf8.h"
#include "printers/known/known.h"
#include "printers/values/notes.h"

enum {
	STEPS_MAX = 256, /* paths followed for one text, including inner texts */
	NAMES_MAX = 64,	 /* fields in one path */
	EMBEDDED_MAX = 4,
	BYTES_MAX = 256, /* of a sequence */
	NS = 1000000000,
};

static bool is_named(const struct type_field *f, const char *name, size_t len)
{
	return strlen(f->name) == len && memcmp(f->name, name, len) == 0 && f->type;
}

/* Like Go: fields of embedded structs too. */
static bool find_field(struct type_walk *w, const struct type *type, const char *name,
		       size_t len, uint64_t off, struct type_field *ret)
{
	bool found = false;

	if (w->depth > EMBEDDED_MAX || !type_enter(w, type))
		return false;
	for (size_t i = 0; !found && i < type_field_count(type); i++) {
		found = is_named(type_field(type, i), name, len);
		if (found) {
			*ret = *type_field(type, i);
			ret->off += off;
		}
	}
	for (size_t i = 0; !found && i < type_field_count(type); i++) {
		const struct type_field *f = type_field(type, i);
		found = f->embedded && f->type && type_kind(f->type) == KIND_STRUCT &&
			find_field(w, f->type, name, len, off + f->off, ret);
	}
	type_leave(w);
	return found;
}

static bool leads(const struct value *v)
{
	enum type_kind kind = type_kind(v->type);

	return kind == KIND_POINTER || kind == KIND_INTERFACE;
}

static bool is_nil_pointer(struct printing *p, const struct value *v)
{
	struct err ignored;
	uint64_t to;

	return type_kind(v->type) == KIND_POINTER &&
	       runtime_bytes(p->rt, v->addr, &to, sizeof(to), &ignored) && !to;
}

/* True only if certain: an unreadable value is not nil. */
static bool is_nil(struct printing *p, const struct value *v)
{
	struct interface_value in;
	struct err ignored;

	if (type_kind(v->type) != KIND_INTERFACE)
		return is_nil_pointer(p, v);
	return runtime_interface(p->rt, v, &in, &ignored) &&
	       (!in.descriptor || (in.inside.type && is_nil_pointer(p, &in.inside)));
}

/* False: *v, then with type NULL, is nil; or not known what it leads to. */
static bool step_behind(struct printing *p, struct value *v)
{
	struct value at = *v;

	if (!leads(v) || runtime_behind(p->rt, &at, v))
		return true;
	*v = at;
	if (is_nil(p, &at))
		v->type = NULL;
	return false;
}

/* The value of a path, and the rule that makes it secret. */
struct place {
	struct value value; /* type NULL: nil pointer on the way */
	const char *secret; /* NULL: not secret by its names */
};

static const char *rule_of_field(struct printing *p, const struct value *v,
				 const struct type_field *f)
{
	const struct type_field *naming = naming_field(v->type);

	return naming && is_named_by(naming, f) ? rule_of_pair(p, v) : NULL;
}

/* False: no such field, or nil on the way. */
static bool follow(struct printing *p, const struct value *v, const char *path,
		   struct place *ret)
{
	struct type_field field;

	*ret = (struct place){ .value = *v };
	for (int i = 0; *path && i < NAMES_MAX; i++) {
		size_t len = strcspn(path, ".");
		struct type_walk walk = { .of_value = true };
		if (!step_behind(p, &ret->value) ||
		    !find_field(&walk, ret->value.type, path, len, 0, &field))
			return false;
		if (!ret->secret)
			ret->secret = redaction_of_name(p->redaction, path, len);
		if (!ret->secret)
			ret->secret = rule_of_field(p, &ret->value, &field);
		if (!ret->secret)
			ret->secret = notes_of(p, ret->value.type)->redacted;
		ret->value = (struct value){ field.type, ret->value.addr + field.off };
		path += len + (path[len] == '.');
	}
	return !*path && step_behind(p, &ret->value);
}

static bool is_signed(enum type_kind kind)
{
	return (kind >= KIND_INT && kind <= KIND_INT64) || kind == KIND_ENUM;
}

static bool is_number(enum type_kind kind)
{
	return (kind >= KIND_INT && kind <= KIND_UINTPTR) || kind == KIND_ENUM;
}

/* Sign-extended, so that numbers of different widths compare. */
static bool read_number(struct printing *p, const struct value *v, uint64_t *ret)
{
	const uint64_t size = type_size(v->type);
	struct err ignored;

	*ret = 0;
	if (!is_number(type_kind(v->type)) || size < 1 || size > WORD ||
	    !runtime_bytes(p->rt, v->addr, ret, size, &ignored))
		return false;
	unsigned unused = 8 * (unsigned)(WORD - size);
	if (is_signed(type_kind(v->type)))
		*ret = (uint64_t)((int64_t)(*ret << unused) >> unused);
	return true;
}

static bool read_float(struct printing *p, const struct value *v, double *ret)
{
	struct err ignored;
	float single;

	if (type_kind(v->type) == KIND_FLOAT64)
		return runtime_bytes(p->rt, v->addr, ret, sizeof(*ret), &ignored);
	if (type_kind(v->type) != KIND_FLOAT32 ||
	    !runtime_bytes(p->rt, v->addr, &single, sizeof(single), &ignored))
		return false;
	*ret = (double)single;
	return true;
}

struct octets {
	uint8_t bytes[BYTES_MAX];
	uint64_t addr, len; /* total */
	size_t count;	    /* in bytes */
};

static bool is_byte(const struct type *type)
{
	return type && type_kind(type) == KIND_UINT8;
}

/* From a string, slice or array of bytes. */
static bool read_octets(struct printing *p, const struct value *v, struct octets *ret)
{
	struct text_value s;
	struct slice_value slice;
	struct err ignored;

	ret->addr = v->addr;
	switch (type_kind(v->type)) {
	case KIND_STRING:
		if (!runtime_string(p->rt, v, &s, &ignored))
			return false;
		ret->addr = s.addr;
		ret->len = s.len;
		break;
	case KIND_SLICE:
		if (!is_byte(type_elem(v->type)) ||
		    !runtime_slice(p->rt, v, &slice, &ignored))
			return false;
		ret->addr = slice.addr;
		ret->len = slice.len;
		break;
	case KIND_ARRAY:
		if (!is_byte(type_elem(v->type)))
			return false;
		ret->len = type_count(v->type);
		break;
	default:
		return false;
	}
	ret->count = ret->len < BYTES_MAX ? (size_t)ret->len : BYTES_MAX;
	return !ret->count ||
	       runtime_bytes(p->rt, ret->addr, ret->bytes, ret->count, &ignored);
}

static void add_hex(struct known_words *to, const struct octets *o)
{
	for (size_t i = 0; i < o->count; i++)
		known_add(to, "%02x", o->bytes[i]);
	if (o->count < o->len)
		known_add(to, "...");
}

static bool add_as_hex(struct printing *p, const struct value *v, struct known_words *to)
{
	struct octets o;
	uint64_t n;

	if (read_number(p, v, &n)) {
		uint64_t size = type_size(v->type);
		n = size < WORD ? n & ((UINT64_C(1) << 8 * size) - 1) : n;
		known_add(to, "0x%" PRIx64, n);
		return true;
	}
	if (!read_octets(p, v, &o))
		return false;
	add_hex(to, &o);
	return true;
}

/* As a signed number of nanoseconds. */
static bool read_ns(struct printing *p, const struct value *v, uint64_t unit,
		    int64_t *ret)
{
	uint64_t n;
	double real;

	if (read_number(p, v, &n))
		return !__builtin_mul_overflow((int64_t)n, (int64_t)unit, ret);
	if (!read_float(p, v, &real))
		return false;
	real *= (double)unit;
	if (!(real > -9e18 && real < 9e18))
		return false;
	*ret = (int64_t)real;
	return true;
}

static bool add_as_duration(struct printing *p, const struct value *v, uint64_t unit,
			    struct known_words *to)
{
	int64_t ns;

	if (!read_ns(p, v, unit, &ns))
		return false;
	if (ns < 0)
		known_add(to, "-");
	known_add_duration(to, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
	return true;
}

static bool add_as_time(struct printing *p, const struct value *v, uint64_t unit,
			struct known_words *to)
{
	struct time_value t = { .seconds = 0 };
	const int64_t in_second = (int64_t)(NS / unit);
	uint64_t n;
	int64_t ns;

	if (read_number(p, v, &n)) {
		int64_t rest = (int64_t)n % in_second;
		t.seconds = (int64_t)n / in_second - (rest < 0);
		t.ns = (uint32_t)((rest < 0 ? rest + in_second : rest) * (int64_t)unit);
	} else if (read_ns(p, v, unit, &ns)) {
		int64_t rest = ns % NS;
		t.seconds = ns / NS - (rest < 0);
		t.ns = (uint32_t)(rest < 0 ? rest + NS : rest);
	} else if (!runtime_time(p->rt, v, &t)) {
		return false;
	}
	known_add_time(to, &t);
	return true;
}

static bool add_as_ip(struct printing *p, const struct value *v, struct known_words *to)
{
	struct octets o = { .len = 4 };
	uint64_t n;

	if (read_number(p, v, &n) && type_size(v->type) == 4) {
		uint32_t big = htonl((uint32_t)n);
		memcpy(o.bytes, &big, sizeof(big));
	} else if (!read_octets(p, v, &o) || type_kind(v->type) == KIND_STRING) {
		return false;
	}
	if (o.len != 4 && o.len != 16)
		return false;
	known_add_ip(to, o.bytes, o.len);
	return true;
}

static void add_number(struct known_words *to, const struct value *v, uint64_t n)
{
	if (is_signed(type_kind(v->type)))
		known_add(to, "%" PRId64, (int64_t)n);
	else
		known_add(to, "%" PRIu64, n);
}

static void add_name(struct known_words *to, const struct rule_word *word)
{
	known_add_bytes(to, word->name, strlen(word->name));
}

static bool add_as_enum(struct printing *p, const struct value *v,
			const struct rule_format *f, struct known_words *to)
{
	uint64_t n;

	if (!read_number(p, v, &n))
		return false;
	for (size_t i = 0; i < f->count; i++) {
		if (f->words[i].value != n)
			continue;
		add_name(to, &f->words[i]);
		return true;
	}
	add_number(to, v, n);
	return true;
}

/* "read|exec|0x40"; for 0 its name, or "0". */
static bool add_as_flags(struct printing *p, const struct value *v,
			 const struct rule_format *f, struct known_words *to)
{
	const char *between = "";
	uint64_t n;

	if (!read_number(p, v, &n))
		return false;
	if (!n)
		return add_as_enum(p, v, f, to);
	if (type_size(v->type) < WORD)
		n &= (UINT64_C(1) << 8 * type_size(v->type)) - 1;
	for (size_t i = 0; i < f->count; i++) {
		uint64_t bits = f->words[i].value;
		if (!bits || (n & bits) != bits)
			continue;
		known_add(to, "%s", between);
		add_name(to, &f->words[i]);
		n &= ~bits;
		between = "|";
	}
	if (n)
		known_add(to, "%s0x%" PRIx64, between, n);
	return true;
}

static bool add_as_len(struct printing *p, const struct value *v, struct known_words *to)
{
	struct text_value s;
	struct slice_value slice;
	struct map_value map;
	struct channel_value channel;
	struct err ignored;
	uint64_t n;

	if (type_kind(v->type) == KIND_STRING && runtime_string(p->rt, v, &s, &ignored))
		n = s.len;
	else if (type_kind(v->type) == KIND_SLICE &&
		 runtime_slice(p->rt, v, &slice, &ignored))
		n = slice.len;
	else if (type_kind(v->type) == KIND_MAP && runtime_map(p->rt, v, &map, &ignored))
		n = map.addr ? map.len : 0;
	else if (type_kind(v->type) == KIND_CHAN &&
		 runtime_channel(p->rt, v, &channel, &ignored))
		n = channel.addr ? channel.len : 0;
	else if (type_kind(v->type) == KIND_ARRAY)
		n = type_count(v->type);
	else
		return false;
	known_add(to, "%" PRIu64, n);
	return true;
}

/* As text if it is text, else as hexadecimal digits. */
static bool add_octets(struct printing *p, const struct value *v, struct known_words *to)
{
	struct octets o;

	if (!read_octets(p, v, &o))
		return false;
	size_t whole =
		o.count < o.len ? utf8_cut((const char *)o.bytes, o.count) : o.count;
	if (type_kind(v->type) != KIND_ARRAY && utf8_valid(o.bytes, whole)) {
		known_add_bytes(to, (const char *)o.bytes, whole);
		if (whole < o.len)
			known_add(to, "...");
	} else {
		add_hex(to, &o);
	}
	return true;
}

static void add_real(struct known_words *to, double real, bool single)
{
	char text[REAL_BYTES];

	shortest_real(text, real, single);
	known_add(to, "%s", text);
}

static bool add_scalar(struct printing *p, const struct value *v, struct known_words *to)
{
	struct err ignored;
	uint64_t n = 0;
	double real;

	if (read_number(p, v, &n)) {
		add_number(to, v, n);
		return true;
	}
	if (read_float(p, v, &real)) {
		add_real(to, real, type_kind(v->type) == KIND_FLOAT32);
		return true;
	}
	if (type_kind(v->type) != KIND_BOOL ||
	    !runtime_bytes(p->rt, v->addr, &n, 1, &ignored))
		return false;
	known_add(to, n ? "true" : "false");
	return true;
}

/* A value with a text of its own gets that; for the value itself, not the text being
 * made. */
static bool add_plain(struct printing *p, const struct value *v, bool inside,
		      struct known_words *to)
{
	const size_t len = to->len;

	if (inside ? known_text_of(p, v, to) : known_built_in(p, v, to))
		return true;
	to->len = len;
	return add_scalar(p, v, to) || add_octets(p, v, to);
}

static bool add_formatted(struct printing *p, const struct value *v,
			  const struct rule_piece *piece, struct known_words *to)
{
	const struct rule_format *f = &piece->format;

	switch (f->kind) {
	case FORMAT_TIME:
		return add_as_time(p, v, f->unit_ns, to);
	case FORMAT_DURATION:
		return add_as_duration(p, v, f->unit_ns, to);
	case FORMAT_IP:
		return add_as_ip(p, v, to);
	case FORMAT_HEX:
		return add_as_hex(p, v, to);
	case FORMAT_FLAGS:
		return add_as_flags(p, v, f, to);
	case FORMAT_ENUM:
		return add_as_enum(p, v, f, to);
	case FORMAT_LEN:
		return add_as_len(p, v, to);
	case FORMAT_QUOTED:
		if (type_kind(v->type) != KIND_STRING)
			return false;
		known_quoted(p, v, to);
		return true;
	default:
		return add_plain(p, v, *piece->path, to);
	}
}

/* By its names or by content: once formatted it would not be recognised. */
static bool is_secret(struct printing *p, const struct place *at)
{
	struct octets o;
	uint64_t n;

	if (at->secret || notes_of(p, at->value.type)->redacted)
		return true;
	if (read_number(p, &at->value, &n))
		return type_size(at->value.type) == WORD &&
		       redaction_of_number(p->redaction, n) != NULL;
	if (!read_octets(p, &at->value, &o))
		return false;
	if (redaction_of_bytes(p->redaction, o.addr, o.bytes, o.count))
		return true;
	struct redacted left =
		redaction_of_text(p->redaction, o.addr, (const char *)o.bytes, o.count);
	bool secret = left.rule != NULL;
	redacted_done(&left);
	return secret;
}

static void add_piece(struct printing *p, const struct value *v,
		      const struct rule_piece *piece, struct known_words *to)
{
	const size_t len = to->len;
	const char *instead = piece->words;
	struct place at;

	if (to->steps++ >= STEPS_MAX)
		return;
	bool found = follow(p, v, piece->path, &at);
	if (found && is_secret(p, &at))
		instead = "[redacted]";
	else if (found && add_formatted(p, &at.value, piece, to))
		instead = NULL;
	else if (!at.value.type)
		instead = "nil";
	if (!instead)
		return;
	to->len = len;
	known_add_bytes(to, instead, strlen(instead));
}

bool rule_text(struct printing *p, const struct rule *rule, const struct value *v,
	       struct known_words *ret)
{
	for (size_t i = 0; i < rule->piece_count && ret->len < sizeof(ret->bytes); i++) {
		const struct rule_piece *piece = &rule->pieces[i];
		if (piece->path)
			add_piece(p, v, piece, ret);
		else
			known_add_bytes(ret, piece->words, strlen(piece->words));
	}
	return rule->piece_count > 0;
}
