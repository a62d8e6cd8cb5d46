/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/types/type_reflected.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"

enum {
	BODY_WORDS = 3,
	FIELD_WORDS = 3,
	DEPTH_MAX = 8,
	SLICE_WORDS = 3,
	RESULTS_MASK = 0x7fff,
	VARIADIC = 1 << 15, /* in the count of results */
	RECEIVES = 1,	    /* in the direction of a channel */
	SENDS = 2,
};

struct composing {
	struct runtime *rt;
	int depth;
	struct go_type *to;
	struct err *err;
};

static void put(struct composing *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct composing *c, const char *format, ...)
{
	const size_t room = sizeof(c->to->name) - c->to->name_len;
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(c->to->name + c->to->name_len, room, format, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < room) {
		c->to->name_len += (size_t)n;
	} else {
		c->to->omitted += (uint64_t)n;
	}
}

static bool put_type(struct composing *c, uint64_t addr)
{
	struct go_type type;

	if (!type_read_inside(c->rt, addr, c->depth + 1, &type, c->err))
		return false;
	put(c, "%.*s", (int)type.name_len, type.name);
	return true;
}

static bool put_around(struct composing *c, const char *before, uint64_t addr)
{
	put(c, "%s", before);
	return put_type(c, addr);
}

static bool put_map(struct composing *c, const uint64_t *body)
{
	if (!put_around(c, "map[", body[0]))
		return false;
	return put_around(c, "]", body[1]);
}

static bool put_channel(struct composing *c, const uint64_t *body)
{
	return put_around(c,
			  body[1] == RECEIVES ? "<-chan "
			  : body[1] == SENDS  ? "chan<- "
					      : "chan ",
			  body[0]);
}

static bool put_array(struct composing *c, const uint64_t *body)
{
	put(c, "[%" PRIu64 "]", body[2]);
	return put_type(c, body[0]);
}

static bool put_field(struct composing *c, const uint64_t *words)
{
	struct go_type name;
	bool embedded;

	if (!type_read_name(c->rt, words[0], &name, &embedded, c->err))
		return false;
	if (!embedded)
		put(c, " %.*s", (int)name.name_len, name.name);
	return put_around(c, " ", words[1]);
}

static bool put_struct(struct composing *c, const uint64_t *body)
{
	uint64_t words[FIELD_WORDS];

	put(c, "struct {");
	for (uint64_t i = 0; i < body[2] && i < LIMIT_FIELDS; i++) {
		put(c, "%s", i ? ";" : "");
		if (!target_read(c->rt->target, body[1] + i * sizeof(words), words,
				 sizeof(words), c->err) ||
		    !put_field(c, words))
			return false;
	}
	put(c, "%s}", body[2] ? " " : "");
	return true;
}

/* The last argument of a variadic function is a slice. */
static bool put_repeated(struct composing *c, uint64_t slice)
{
	uint64_t elem;

	put(c, "...");
	return target_read_uint(c->rt->target, slice + TYPE_HEAD_BYTES, WORD, &elem,
				c->err) &&
	       put_type(c, elem);
}

static bool put_list(struct composing *c, uint64_t at, uint64_t n, bool variadic)
{
	uint64_t addr;

	for (uint64_t i = 0; i < n && i < LIMIT_FIELDS; i++) {
		put(c, "%s", i ? ", " : "");
		if (!target_read_uint(c->rt->target, at + i * WORD, WORD, &addr, c->err))
			return false;
		if (!(variadic && i == n - 1 ? put_repeated(c, addr) : put_type(c, addr)))
			return false;
	}
	return true;
}

static bool put_function(struct composing *c, uint64_t addr, const uint64_t *body)
{
	const uint64_t arguments = body[0] & UINT16_MAX;
	const uint64_t results = body[0] >> 16 & RESULTS_MASK;
	const uint64_t at = addr + type_bytes(c->rt, KIND_FUNC) +
			    (c->to->flags & TYPE_UNCOMMON ? TYPE_UNCOMMON_BYTES : 0);

	put(c, "func(");
	if (!put_list(c, at, arguments, body[0] >> 16 & VARIADIC))
		return false;
	put(c, ")%s%s", results ? " " : "", results > 1 ? "(" : "");
	if (!put_list(c, at + arguments * WORD, results, false))
		return false;
	put(c, "%s", results > 1 ? ")" : "");
	return true;
}

static bool put_by_kind(struct composing *c, uint64_t addr, const uint64_t *body)
{
	switch ((int)c->to->kind) {
	case KIND_POINTER:
		return put_around(c, "*", body[0]);
	case KIND_SLICE:
		return put_around(c, "[]", body[0]);
	case KIND_ARRAY:
		return put_array(c, body);
	case KIND_MAP:
		return put_map(c, body);
	case KIND_CHAN:
		return put_channel(c, body);
	case KIND_FUNC:
		return put_function(c, addr, body);
	default:
		return put_struct(c, body);
	}
}

/* The head of a descriptor, unchanged since Go 1.15: internal/abi/type.go Type. */
enum { SIZE = 0, POINTER_BYTES = 1, ALIGNMENTS = 21, ALIGNMENTS_END = 23, NAME = 40 };

/* 0: of a struct without fields. */
static bool is_alignment(uint8_t n)
{
	return n <= WORD && (n & (n - 1)) == 0;
}

/* Is it like one that reflect has made? Names that it adds have negative numbers
 * (runtime/runtime1.go reflect_addReflectOff), which a text does not have there. */
static bool is_made(const uint64_t *head)
{
	const uint8_t *bytes = (const uint8_t *)head;
	int32_t name;

	for (size_t i = ALIGNMENTS; i < ALIGNMENTS_END; i++)
		if (!is_alignment(bytes[i]))
			return false;
	memcpy(&name, bytes + NAME, sizeof(name));
	return name < 0 && head[POINTER_BYTES] <= head[SIZE];
}

/* Do values of the kind have that size? Only these kinds are made. */
static bool is_of_size(enum type_kind kind, uint64_t size)
{
	switch ((int)kind) {
	case KIND_POINTER:
	case KIND_MAP:
	case KIND_CHAN:
	case KIND_FUNC:
		return size == WORD;
	case KIND_SLICE:
		return size == SLICE_WORDS * WORD;
	case KIND_ARRAY:
	case KIND_STRUCT:
		return size <= INT64_MAX;
	default:
		return false;
	}
}

bool type_name_reflected(struct runtime *rt, uint64_t addr, const uint64_t *head,
			 int depth, struct go_type *ret, struct err *err)
{
	struct composing c = { rt, depth, ret, err };
	uint64_t body[BODY_WORDS];

	ret->names = 0;
	ret->name_len = 0;
	ret->omitted = 0;
	if (depth > DEPTH_MAX || !is_made(head) || !is_of_size(ret->kind, head[SIZE]) ||
	    !target_read(rt->target, addr + TYPE_HEAD_BYTES, body, sizeof(body), err) ||
	    !put_by_kind(&c, addr, body))
		return err_set(err, ERR_BAD_DATA, "the type at 0x%" PRIx64 " is damaged",
			       addr);
	return true;
}
