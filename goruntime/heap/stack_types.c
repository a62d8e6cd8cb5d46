/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that a stack map calls dead are left out, and those of generic functions whose real types only
 * dictionaries have: goroutines with the same stack may have different ones. */
#include "goruntime/heap/stack_types.h"

#include <string.h>

#include "goruntime/heap/type_slots.h"
#include "goruntime/variables/dictionary.h"
#include "goruntime/variables/variable_place.h"
#include "lib/base/table.h"

/* A variable, or a piece of one, that lies on the stack. */
struct typed_part {
	int64_t from, end;
	struct object_type variable;
	uint64_t off; /* of the piece in it */
};

struct stack_types {
	struct typed_part *parts;
	size_t part_count, part_cap;
	struct object_type *told;
	size_t told_count, told_cap;
	struct table by_offset; /* 1 + an index of told, or NOT_KNOWN */
};

enum { NOT_KNOWN = UINT32_MAX, PARTS_MAX = 4096 };

static void add_part(struct stack_types *t, const struct typed_part *part)
{
	if (part->from >= part->end || t->part_count == PARTS_MAX)
		return;
	GROW(t->parts, t->part_count, t->part_cap);
	t->parts[t->part_count++] = *part;
}

static void add_variable(struct stack_types *t, const struct pc_variable *v, int64_t cfa)
{
	const uint64_t size = type_size(v->v.value.type);
	uint64_t off = 0;

	for (size_t i = 0; i < v->at.piece_count && off < size; i++) {
		const struct dwarf_piece *p = &v->at.pieces[i];
		off += variable_padding(v->v.value.type, off, p->size);
		if (off >= size)
			return;
		const uint64_t len = p->size < size - off ? p->size : size - off;
		if (p->where == DWARF_PIECE_CFA && !p->twice && off % WORD == 0 &&
		    len <= INT32_MAX && p->at >= INT32_MIN && p->at <= INT32_MAX)
			add_part(t, &(struct typed_part){
					    .from = cfa + p->at,
					    .end = cfa + p->at + (int64_t)len,
					    .variable = { .type = v->v.value.type },
					    .off = off,
				    });
		off += len;
	}
}

/* The runtime's own functions see channels and maps without their types. */
static bool is_of_runtime(const struct pclntab_call *call)
{
	static const char *const packages[] = { "runtime.", "internal/runtime/" };

	for (size_t i = 0; i < ARRAY_SIZE(packages); i++)
		if (strncmp(call->name, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

void stack_types_add(struct stack_types **types, const struct runtimes *all,
		     const struct raw_frame *raw)
{
	struct runtime *rt;
	const struct code *code = code_of_frame(all, raw, &rt);
	struct frame_variables frame = { .code = code };

	if (!code || !code_variables(rt, code)->scopes)
		return;
	frame.rt = rt;
	if (!*types)
		*types = xcalloc(1, sizeof(**types));
	for (; frame.call < code->call_count; frame.call++) {
		const struct dwarf_scope *s = pc_variables_scope(&frame);
		const struct pc_variable *v =
			s && s->variable_count ? pc_variables_of(&frame, s) : NULL;
		if (is_of_runtime(&code->calls[frame.call]))
			continue;
		for (size_t i = 0; v && i < s->variable_count; i++)
			if (v[i].reported && v[i].v.value.type && !v[i].dead &&
			    !dictionary_has(&s->variables[i], &v[i].v))
				add_variable(*types, &v[i], raw->argp);
	}
}

void stack_types_free(struct stack_types *t)
{
	if (!t)
		return;
	xfree(t->parts);
	xfree(t->told);
	table_free(&t->by_offset);
	xfree(t);
}

static bool find(const struct heap *h, const struct stack_types *t, int64_t off,
		 struct object_type *ret)
{
	struct object_type told;
	bool found = false;

	for (size_t i = 0; i < t->part_count; i++) {
		const struct typed_part *p = &t->parts[i];
		if (off < p->from || off >= p->end ||
		    !type_slots_at(h, &p->variable, 0, p->off + (uint64_t)(off - p->from),
				   &told))
			continue;
		if (found && (told.type != ret->type || told.form != ret->form))
			return false;
		*ret = told;
		found = true;
	}
	return found;
}

bool stack_types_at(const struct heap *h, struct stack_types *t, int64_t off,
		    struct object_type *ret)
{
	if (!t)
		return false;
	uint64_t number = table_get(&t->by_offset, (uint64_t)off, 0);
	if (!number) {
		GROW(t->told, t->told_count, t->told_cap);
		number = find(h, t, off, &t->told[t->told_count]) ? ++t->told_count
								  : NOT_KNOWN;
		table_set(&t->by_offset, (uint64_t)off, 0, number);
	}
	if (number == NOT_KNOWN)
		return false;
	*ret = t->told[number - 1];
	return true;
}
