/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/pending_read.h"

#include <string.h>

#include "printers/values/buffer.h"

/* The arguments of a call: (p []byte) (n int, err error), as io.Reader has it. */
struct signature {
	struct runtime *rt;
	struct value bytes;
	unsigned slices, others, numbers, errors;
};

static bool is_receiver(const struct signature *s, const struct variable *v)
{
	const enum type_kind kind =
		v->value.type ? type_kind(v->value.type) : KIND_UNKNOWN;

	return !s->slices && !s->others && (kind == KIND_POINTER || kind == KIND_STRUCT);
}

static bool is_bytes(const struct type *type)
{
	return type && type_kind(type) == KIND_SLICE && type_elem(type) &&
	       type_kind(type_elem(type)) == KIND_UINT8;
}

static void add_argument(void *arg, struct runtime *rt, const struct variable *v)
{
	struct signature *s = arg;
	const struct type *type = v->value.type;

	s->rt = rt;
	if (v->result) {
		s->numbers += type && type_kind(type) == KIND_INT;
		s->errors += type && strcmp(type_name(type), "error") == 0;
	} else if (is_bytes(type)) {
		s->slices++;
		if (!v->optimized_out && !v->unreadable)
			s->bytes = v->value;
	} else if (!is_receiver(s, v)) {
		s->others++;
	}
}

/* Without debugging information: it has no other slice of bytes. */
static void add_slot(void *arg, struct runtime *rt, const struct variable *v)
{
	struct signature *s = arg;

	s->rt = rt;
	if (is_bytes(v->value.type) && !v->optimized_out && !v->unreadable)
		s->bytes = v->value;
}

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len > n && strcmp(text + len - n, end) == 0;
}

void note_pending_read(struct printing *p, const struct code_frame *f)
{
	struct signature s = { .bytes = { NULL, 0 } };

	if (!f->function || !ends_with(f->function, ".Read"))
		return;
	frame_each_variable(f->variables, true, add_argument, &s);
	if (strcmp(f->function, "internal/poll.(*FD).Read") == 0 && !s.slices)
		frame_each_variable(f->variables, false, add_slot, &s);
	else if (s.slices != 1 || s.others || s.numbers != 1 || s.errors != 1)
		return;
	if (!s.bytes.type)
		return;
	p->rt = s.rt;
	note_unused_slice(p, &s.bytes);
}
