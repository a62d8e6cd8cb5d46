/* SPDX-License-Identifier: Apache-2.0 */
/* Types as described by the runtime's own descriptors: internal/abi/type.go (1.27),
 * runtime/type.go (up to 1.20). The first 48 bytes are the same in every release, and so
 * is what follows, except for the offsets of fields. */
#include <inttypes.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/type_name.h"
#include "goruntime/types/type_priv.h"
#include "lib/base/limit.h"

enum {
	HEAD_WORDS = 6,	 /* of every kind */
	BODY_WORDS = 4,	 /* of array, channel, map, pointer, slice, struct: enough */
	FIELD_WORDS = 3, /* name, type, offset */
};

/* Words after the head, by kind. */
enum {
	ELEM = 0,
	ARRAY_COUNT = 2,
	MAP_KEY = 0,
	MAP_ELEM = 1,
	MAP_GROUP = 2, /* or bucket */
	LIST = 1,
	LIST_COUNT = 2
};

static void take_body(struct type *ret, const uint64_t *body)
{
	switch ((int)ret->kind) {
	case KIND_ARRAY:
		ret->elem_at = body[ELEM];
		ret->count = body[ARRAY_COUNT];
		break;
	case KIND_CHAN:
	case KIND_POINTER:
	case KIND_SLICE:
		ret->elem_at = body[ELEM];
		break;
	case KIND_MAP:
		ret->key_at = body[MAP_KEY];
		ret->elem_at = body[MAP_ELEM];
		ret->group_at = body[MAP_GROUP];
		break;
	case KIND_STRUCT:
	case KIND_INTERFACE:
		ret->fields_at = body[LIST];
		ret->fields_n = body[LIST_COUNT];
	}
}

static bool describe(struct runtime *rt, struct type *ret, uint64_t descriptor,
		     struct err *err)
{
	uint64_t words[HEAD_WORDS + BODY_WORDS];
	struct go_type named;

	if (!type_read_full(rt, descriptor, &named, err) ||
	    !target_read(rt->target, descriptor, words, sizeof(words), err))
		return false;
	if (named.kind > KIND_UNSAFE_POINTER || !type_is_sound(named.kind, words[0]))
		return err_set(err, ERR_BAD_DATA, "the type at 0x%" PRIx64 " is damaged",
			       descriptor);
	ret->kind = named.kind;
	ret->size = words[0];
	ret->descriptor = descriptor;
	ret->name = types_keep_name(ret->types, xstrndup(named.name, named.name_len));
	take_body(ret, words + HEAD_WORDS);
	return ret->count <= INT64_MAX ||
	       err_set(err, ERR_BAD_DATA, "invalid array: %" PRIu64 " elements",
		       ret->count);
}

/* A type is read once: that counts, even if who asked only looks for something. */
bool type_describe(struct runtime *rt, struct type *ret, uint64_t descriptor,
		   struct err *err)
{
	const bool is_type = type_is_at(rt, descriptor);
	const bool before = target_set_searching(rt->target, !is_type);
	const bool done = describe(rt, ret, descriptor, err);

	target_set_searching(rt->target, before);
	return done;
}

static bool add_field(struct runtime *rt, struct type *type, const uint64_t *words)
{
	bool shifted = layout_has(&rt->layout, L_structfield_embed), embedded;
	struct go_type name;
	struct err ignored;

	if (!type_read_name(rt, words[0], &name, &embedded, &ignored))
		return false;
	GROW(type->fields, type->field_count, type->field_cap);
	type->fields[type->field_count++] = (struct type_field){
		.name = types_keep_name(type->types, xstrndup(name.name, name.name_len)),
		.type = runtime_type_at(rt, words[1], &ignored),
		.off = shifted ? words[2] >> 1 : words[2],
		.embedded = shifted ? words[2] & 1 : embedded,
	};
	return true;
}

static void describe_fields(struct runtime *rt, struct type *type)
{
	uint64_t words[FIELD_WORDS];
	struct err ignored;

	for (uint64_t i = 0; i < type->fields_n && i < LIMIT_FIELDS; i++)
		if (!target_read(rt->target, type->fields_at + i * sizeof(words), words,
				 sizeof(words), &ignored) ||
		    !add_field(rt, type, words))
			return;
}

void type_describe_fields(struct runtime *rt, struct type *type)
{
	const bool before = target_set_searching(rt->target, false);

	describe_fields(rt, type);
	target_set_searching(rt->target, before);
}
