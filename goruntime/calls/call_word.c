/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/calls/call_word.h"

#include <string.h>

#include "goruntime/calls/call_plan.h"
#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/variables/variables_priv.h"

/* A value on the way along a path. */
struct stop {
	const struct type *type;
	struct call_place place;
	uint64_t off;	/* in the place */
	uint32_t step;	/* that copies the place; CALL_NO_STEP: it is there */
	uint64_t begin; /* where what the step copies begins */
};

static bool unknown(const char *path, const char *why, struct err *err)
{
	return err_set(err, ERR_CANNOT, "%.100s: %s", path, why);
}

static bool begin(const struct frame_variables *frame, const char *name, size_t len,
		  struct stop *ret)
{
	const struct dwarf_scope *s = pc_variables_scope(frame);
	const struct pc_variable *v =
		s && s->variable_count ? pc_variables_of(frame, s) : NULL;

	for (size_t i = 0; v && i < s->variable_count; i++) {
		if (!v[i].reported || !v[i].v.argument || v[i].v.result ||
		    !v[i].v.value.type || strlen(v[i].v.name) != len ||
		    strncmp(v[i].v.name, name, len) != 0)
			continue;
		*ret = (struct stop){ .type = v[i].v.value.type,
				      .place = { .frame = frame, .variable = &v[i] },
				      .step = CALL_NO_STEP };
		return true;
	}
	return false;
}

static bool step_from(const struct call_plan *plan, uint64_t addr_at, uint64_t length_at,
		      uint32_t *ret)
{
	for (uint32_t i = 0; i < plan->count; i++)
		if (plan->step[i].addr_at == addr_at &&
		    plan->step[i].length_at == length_at) {
			*ret = i;
			return true;
		}
	return false;
}

/* What a pointer leads to, if a probe copies it. */
static bool follow(const struct call_plan *plan, struct stop *s)
{
	uint64_t at;
	uint32_t step;

	if (!call_place_at(&s->place, s->off, &at) ||
	    !step_from(plan, at, CALL_NO_LENGTH, &step))
		return false;
	const struct call_step *of = &plan->step[step];
	*s = (struct stop){ .type = type_elem(s->type),
			    .place = { .at = of->to, .size = of->max },
			    .step = step,
			    .begin = of->to };
	return true;
}

static bool enter_field(const struct call_plan *plan, struct stop *s, const char *name,
			size_t len)
{
	if (type_kind(s->type) == KIND_POINTER && !follow(plan, s))
		return false;
	for (size_t i = 0; s->type && i < type_field_count(s->type); i++) {
		const struct type_field *f = type_field(s->type, i);
		if (!f->type || strlen(f->name) != len ||
		    strncmp(f->name, name, len) != 0)
			continue;
		s->type = f->type;
		s->off += f->off;
		return true;
	}
	return false;
}

static bool walk(const struct frame_variables *frame, const struct call_plan *plan,
		 const char *path, struct stop *ret, struct err *err)
{
	size_t len = strcspn(path, ".");

	if (!begin(frame, path, len, ret))
		return unknown(path, "there is no such argument", err);
	for (const char *at = path + len; *at; at += len) {
		len = strcspn(++at, ".");
		if (!enter_field(plan, ret, at, len))
			return unknown(path,
				       "there is no such field, or no probe copies it",
				       err);
	}
	return true;
}

static bool is_signed(enum type_kind kind)
{
	return kind >= KIND_INT && kind <= KIND_INT64;
}

static uint16_t need_of(const struct stop *s, uint64_t at, uint64_t size)
{
	return (uint16_t)(s->step == CALL_NO_STEP ? 0 : at + size - s->begin);
}

static void set(const struct stop *s, uint64_t at, uint64_t size, struct call_word *ret)
{
	*ret = (struct call_word){
		.at = (uint16_t)at,
		.size = (uint8_t)size,
		.is_signed = is_signed(type_kind(s->type)),
		.step = s->step,
		.need = need_of(s, at, size),
	};
}

/* Of a map or channel: the first word of its header. */
static bool set_length_of_header(const struct call_plan *plan, struct stop *s,
				 const char *path, struct call_word *ret, struct err *err)
{
	const struct stop before = *s;
	uint64_t nil_at;

	if (!call_place_at(&s->place, s->off, &nil_at) || !follow(plan, s))
		return unknown(path, "no probe copies it", err);
	s->type = before.type;
	set(s, s->begin, WORD, ret);
	ret->may_be_nil = true;
	ret->nil_at = (uint16_t)nil_at;
	ret->nil_step = before.step;
	ret->nil_need = need_of(&before, nil_at, WORD);
	return true;
}

static bool set_length(const struct call_plan *plan, struct stop *s, const char *path,
		       struct call_word *ret, struct err *err)
{
	const enum type_kind kind = type_kind(s->type);
	uint64_t at;

	if (kind == KIND_MAP || kind == KIND_CHAN)
		return set_length_of_header(plan, s, path, ret, err);
	if (kind != KIND_STRING && kind != KIND_SLICE)
		return unknown(path, "it has no length", err);
	if (!call_place_at(&s->place, s->off + WORD, &at))
		return unknown(path, "no probe copies it", err);
	set(s, at, WORD, ret);
	return true;
}

static bool set_text(const struct call_plan *plan, const struct stop *s, const char *path,
		     struct call_word *ret, struct err *err)
{
	uint64_t at, length_at;
	uint32_t step;

	if (!call_place_at(&s->place, s->off, &at) ||
	    !call_place_at(&s->place, s->off + WORD, &length_at) ||
	    !step_from(plan, at, length_at, &step))
		return unknown(path, "no probe copies it", err);
	set(s, length_at, WORD, ret);
	ret->is_text = true;
	ret->text_at = plan->step[step].to;
	ret->text_step = step;
	return true;
}

static bool set_number(const struct stop *s, const char *path, struct call_word *ret,
		       struct err *err)
{
	const uint64_t size = type_size(s->type);
	const enum type_kind kind = type_kind(s->type);
	uint64_t at;

	if (kind == KIND_FLOAT32 || kind == KIND_FLOAT64 || kind == KIND_STRUCT ||
	    kind == KIND_ARRAY || kind == KIND_INTERFACE || kind == KIND_SLICE ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return unknown(path, "it is no number, string or pointer", err);
	if (!s->place.frame) {
		at = s->place.at + s->off;
		if (s->off + size > s->place.size)
			return unknown(path, "no probe copies it", err);
	} else if (!call_place_at(&s->place, s->off, &at)) {
		return unknown(path, "no probe copies it", err);
	}
	set(s, at, size, ret);
	return true;
}

bool call_word_find(struct runtime *rt, uint64_t entry, const struct call_plan *plan,
		    const char *path, bool length, struct call_word *ret, struct err *err)
{
	struct frame_variables frame;
	struct stop s;

	if (!call_plan_begin(rt, entry, &frame))
		return unknown(path, "there is no debugging information", err);
	if (!walk(&frame, plan, path, &s, err))
		return false;
	const bool found = length ? set_length(plan, &s, path, ret, err)
			   : type_kind(s.type) == KIND_STRING
				   ? set_text(plan, &s, path, ret, err)
				   : set_number(&s, path, ret, err);
	if (found && ret->at > CALL_OFFSETS - WORD)
		return unknown(path, "no probe copies it", err);
	return found;
}
