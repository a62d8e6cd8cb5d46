/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/calls/call_point.h"

#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/search.h"
#include "lib/instructions/instructions.h"

enum {
	CODE_MAX = 64 << 10, /* bytes of a function that are looked at */
	PROLOGUE = 16,	    /* instructions, at most, up to the last check of the stack */
	RESTART = 64,	    /* instructions, at most, that grow it and begin again */
	NEAR_RETURN = 0xc3, /* its only form in Go code */
};

struct function_code {
	uint64_t entry, end;
	uint8_t *bytes;
	struct instruction *list;
	size_t count;
};

static size_t index_of(const struct function_code *f, uint64_t pc)
{
	return LOWER_BOUND(i, f->count, f->list[i].pc < pc);
}

/* Is there, at pc, a call that grows the stack, and then a jump to the function's beginning? */
static bool is_restart(const struct function_code *f, uint64_t pc)
{
	bool called = false;

	for (size_t n = 0, i = index_of(f, pc); n < RESTART && i < f->count; n++, i++) {
		const struct instruction *in = &f->list[i];
		called |= in->kind == INSTRUCTION_CALL;
		if (in->kind == INSTRUCTION_JUMP)
			return called && in->target == f->entry;
		if (in->kind == INSTRUCTION_BRANCH || in->kind == INSTRUCTION_RETURN)
			return false;
	}
	return false;
}

static uint64_t behind_check(const struct function_code *f)
{
	uint64_t behind = f->entry;

	for (size_t i = 0; i < PROLOGUE && i < f->count; i++) {
		const struct instruction *in = &f->list[i];
		if (in->kind == INSTRUCTION_BRANCH && is_restart(f, in->target))
			behind = in->pc + in->len;
		else if (in->kind >= INSTRUCTION_BRANCH)
			break;
	}
	return behind;
}

static bool is_repeated(const struct function_code *f, uint64_t addr)
{
	for (size_t i = 0; i < f->count; i++)
		if ((f->list[i].kind == INSTRUCTION_BRANCH ||
		     f->list[i].kind == INSTRUCTION_JUMP) &&
		    f->list[i].target == addr && f->list[i].pc >= addr)
			return true;
	return false;
}

static bool is_wrapper(struct runtime *rt, uint64_t entry)
{
	const struct slot id = rt->layout.slot[L_id_wrapper];
	const struct code *code = code_with_calls(rt->code, entry, true);

	return code && code->call_count && id.off >= 0 &&
	       code_own_call(code)->id == id.off;
}

static void code_done(struct function_code *f)
{
	if (!f)
		return;
	xfree(f->bytes);
	xfree(f->list);
}
DEFINE_AUTO(struct function_code, code_done)

/* NULL: it cannot be read. */
static struct function_code *read_code(const struct runtime *rt, uint64_t entry,
				       uint64_t end, struct function_code *ret)
{
	const uint64_t len = end - entry < CODE_MAX ? end - entry : CODE_MAX;
	struct err ignored;

	*ret = (struct function_code){ .entry = entry, .end = end };
	if (end <= entry)
		return NULL;
	ret->bytes = xmalloc(len);
	if (modules_code(rt->modules, entry, ret->bytes, len))
		ret->list = instructions_decode(target_arch(rt->target), ret->bytes, len,
						entry, &ret->count, &ignored);
	if (ret->list && ret->count)
		return ret;
	code_done(ret);
	return NULL;
}

bool call_point_find(struct runtime *rt, uint64_t entry, uint64_t end,
		     struct call_point *ret)
{
	struct function_code code;
	AUTO(code_done) struct function_code *f = read_code(rt, entry, end, &code);

	if (!f)
		return false;
	*ret = (struct call_point){ .entry = entry,
				    .addr = behind_check(f),
				    .wrapper = is_wrapper(rt, entry) };
	ret->repeated = is_repeated(f, ret->addr);
	return image_file_offset(images_get(rt->images, 0), ret->addr, &ret->offset);
}

static void add_return(const struct runtime *rt, uint64_t pc, struct call_returns *ret)
{
	uint64_t offset;

	if (ret->count == CALL_RETURNS ||
	    !image_file_offset(images_get(rt->images, 0), pc, &offset))
		ret->others = true;
	else
		ret->offset[ret->count++] = offset;
}

void call_returns_find(struct runtime *rt, uint64_t entry, uint64_t end,
		       struct call_returns *ret)
{
	struct function_code code;
	AUTO(code_done) struct function_code *f = read_code(rt, entry, end, &code);

	*ret = (struct call_returns){ .others = !f || end - entry > CODE_MAX };
	for (size_t i = 0; f && i < f->count; i++) {
		const struct instruction *in = &f->list[i];
		if (in->kind == INSTRUCTION_RETURN && in->len == 1 &&
		    f->bytes[in->pc - entry] == NEAR_RETURN)
			add_return(rt, in->pc, ret);
		else if (in->kind == INSTRUCTION_JUMP && in->target &&
			 (in->target < entry || in->target >= end))
			ret->others = true;
	}
}
