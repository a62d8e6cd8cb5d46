/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "printers/values/notes.h"

static const struct {
	const char *name; /* NULL: the kind has no name of its own */
	value_printer *print;
} kinds[TYPE_KINDS] = {
	[KIND_BOOL] = { "bool", print_scalar },
	[KIND_INT] = { "int", print_scalar },
	[KIND_INT8] = { "int8", print_scalar },
	[KIND_INT16] = { "int16", print_scalar },
	[KIND_INT32] = { "int32", print_scalar },
	[KIND_INT64] = { "int64", print_scalar },
	[KIND_UINT] = { "uint", print_scalar },
	[KIND_UINT8] = { "uint8", print_scalar },
	[KIND_UINT16] = { "uint16", print_scalar },
	[KIND_UINT32] = { "uint32", print_scalar },
	[KIND_UINT64] = { "uint64", print_scalar },
	[KIND_UINTPTR] = { "uintptr", print_scalar },
	[KIND_FLOAT32] = { "float32", print_scalar },
	[KIND_FLOAT64] = { "float64", print_scalar },
	[KIND_COMPLEX64] = { "complex64", print_complex },
	[KIND_COMPLEX128] = { "complex128", print_complex },
	[KIND_ARRAY] = { "array", print_array },
	[KIND_CHAN] = { "chan", print_channel },
	[KIND_FUNC] = { "func", print_func },
	[KIND_INTERFACE] = { "interface", print_interface },
	[KIND_MAP] = { "map", print_map },
	[KIND_POINTER] = { "pointer", print_pointer },
	[KIND_SLICE] = { "slice", print_slice },
	[KIND_STRING] = { "string", print_string },
	[KIND_STRUCT] = { "struct", print_struct },
	[KIND_UNSAFE_POINTER] = { "unsafe.Pointer", print_pointer },
	[KIND_UNION] = { "union", print_struct },
	[KIND_ENUM] = { "enum", print_scalar },
};

const struct value_bounds value_bounds_default = {
	.string = 512,
	.elements = 64,
	.entries = 64,
	.depth = 6,
	.pointers = 3,
	.levels = 4,
	.bytes = 64 << 10,
	.goroutine_bytes = 256 << 10,
	.document_bytes = 512 << 20,
};

const struct value_bounds value_bounds_full = {
	.string = 1 << 20,
	.elements = 1 << 16,
	.entries = 1 << 16,
	.depth = 40,
	.pointers = 20,
	.levels = 10,
	.bytes = 4 << 20,
	.goroutine_bytes = 16 << 20,
	.document_bytes = UINT64_C(16) << 30,
	.hidden = true,
};

/* A value seen before but not redacted is visited again if it is secret now: otherwise it
 * would not be learned. */
bool note_seen(struct printing *p, const struct value *v)
{
	const uint64_t type = (uintptr_t)v->type,
		       seen = table_get(&p->seen, v->addr, type);
	enum { SHOWN = 1, REDACTED };

	if (seen == REDACTED || (seen && !p->redacted))
		return true;
	table_set(&p->seen, v->addr, type, p->redacted ? REDACTED : SHOWN);
	return false;
}

bool was_seen(struct printing *p, const struct value *v)
{
	bool seen = note_seen(p, v);

	if (seen)
		sink_named_address(p->out, "seen", v->addr);
	return seen;
}

void print_unreadable(struct printing *p, const char *why)
{
	print_reason(p, "unreadable", why);
}

void print_limited(struct printing *p, enum limited_by by)
{
	static const char *const words[] = {
		[LIMITED_BY_STRING_BYTES] = "string_bytes",
		[LIMITED_BY_ELEMENTS] = "elements",
		[LIMITED_BY_ENTRIES] = "entries",
		[LIMITED_BY_DEPTH] = "depth",
		[LIMITED_BY_OUTPUT_BYTES] = "output_bytes",
		[LIMITED_BY_PAUSE] = "pause",
		[LIMITED_BY_LEVELS] = "levels",
		[LIMITED_BY_DOCUMENT_BYTES] = "document_bytes",
		[LIMITED_BY_UNUSED] = "unused",
	};

	sink_named_string(p->out, "limited_by", words[by]);
}

void print_failure(struct printing *p, const struct err *err)
{
	print_unreadable(p, err->text);
	if (err_is(err, ERR_MISSED))
		print_limited(p, LIMITED_BY_PAUSE);
}

void print_omitted(struct printing *p, uint64_t n, enum limited_by by)
{
	sink_named_uint(p->out, "omitted", n);
	print_limited(p, by);
}

/* Redacted values take as long to look at as printed ones. */
static uint64_t spent(const struct printing *p)
{
	return sink_bytes(p->out) + p->redacted_bytes;
}

bool goroutine_has_room(const struct printing *p)
{
	return spent(p) - p->goroutine_begun < p->bounds->goroutine_bytes;
}

bool has_room(const struct printing *p)
{
	return spent(p) - p->begun < p->bounds->bytes && goroutine_has_room(p);
}

bool may_descend(struct printing *p, uint64_t n)
{
	if (n && p->depth > p->bounds->depth) {
		print_omitted(p, n, LIMITED_BY_DEPTH);
		return false;
	}
	if (n && !has_room(p)) {
		print_omitted(p, n, LIMITED_BY_OUTPUT_BYTES);
		return false;
	}
	return true;
}

bool read_value(struct printing *p, const struct value *v, void *ret, size_t len)
{
	struct err err;

	if (runtime_bytes(p->rt, v->addr, ret, len, &err))
		return true;
	print_failure(p, &err);
	return false;
}

const char *kind_name(enum type_kind kind)
{
	return kinds[kind].name;
}

static void print_content(struct printing *p, const struct value *v,
			  const struct type_notes *notes)
{
	const char *before = redact_of_type(p, notes);
	const bool in_key = p->in_key, is_public = p->is_public;

	p->in_key |= notes->redacted != NULL;
	p->is_public |= p->in_key && notes->is_public;
	if (!redact_value(p, v)) {
		p->known->print(p, v, notes);
		p->depth++;
		kinds[type_kind(v->type)].print(p, v);
		p->depth--;
	}
	p->redacted = before;
	p->in_key = in_key;
	p->is_public = is_public;
}

/* What lies in a struct, array or slice is found through that, except what pointers are
 * often to: a lock, or an element. */
static bool has_own_address(struct printing *p, const struct value *v)
{
	const bool inside = p->inside;
	const enum type_kind kind = type_kind(v->type);

	p->inside = false;
	return value_has_address(v) &&
	       (!inside || kind == KIND_STRUCT || kind == KIND_ARRAY);
}

/* By its type: what has none leads nowhere in any goroutine with the same stack. Parts of
 * structs and arrays count for themselves. */
static bool may_lead(const struct type *type)
{
	enum type_kind kind = type ? type_kind(type) : KIND_UNKNOWN;
	const struct type *elem = kind == KIND_ARRAY ? type_elem(type) : NULL;

	/* Bytes may be text. */
	if (elem && type_kind(elem) == KIND_UINT8)
		return true;
	return (kind < KIND_BOOL || kind > KIND_ARRAY) && kind != KIND_STRUCT;
}

void print_inside(struct printing *p, const struct value *v)
{
	p->inside = true;
	print_value_rest(p, v);
}

void print_value_rest(struct printing *p, const struct value *v)
{
	p->has_leads |= may_lead(v->type);
	if (!v->type) {
		print_unreadable(p, "unknown type");
		return;
	}
	if (has_own_address(p, v) && has_memory(p, v->addr))
		sink_named_address(p->out, "address", v->addr);
	if (kinds[type_kind(v->type)].print)
		print_content(p, v, notes_of(p, v->type));
	else
		print_unreadable(p, "unsupported type");
}

void print_element(struct printing *p, const struct value *v)
{
	sink_begin(p->out, SINK_OBJECT);
	if (v->type)
		print_members(p->out, notes_of(p, v->type)->head);
	print_inside(p, v);
	sink_end(p->out);
}

void print_value_members(struct printing *p, const struct value *v)
{
	if (v->type)
		print_members(p->out, notes_of(p, v->type)->head);
	print_value_rest(p, v);
}

void print_value(struct printing *p, const struct value *v)
{
	sink_begin(p->out, SINK_OBJECT);
	print_value_members(p, v);
	sink_end(p->out);
}

void print_named_value(struct printing *p, const char *name, const struct value *v)
{
	sink_name(p->out, name);
	print_value(p, v);
}

void printing_begin(struct printing *p, struct sink *out,
		    const struct value_bounds *bounds, const struct snapshot_time *moment,
		    const struct value_texts *known, struct redaction *redaction)
{
	*p = (struct printing){ .out = out,
				.bounds = bounds,
				.moment = moment,
				.known = known,
				.redaction = redaction,
				.begun = sink_bytes(out),
				.goroutine_begun = sink_bytes(out) };
}

void printing_end(struct printing *p)
{
	table_free(&p->seen);
}

static uint64_t missed_so_far(const struct print_again *again)
{
	return again->memory ? target_missed(again->memory) : 0;
}

void print_to_fixpoint(const struct print_again *again)
{
	enum { TIMES_MAX = 8 }; /* past this, suspect everything */
	const uint64_t missed = missed_so_far(again);
	bool suspect = false;

	redaction_forget(again->redaction);
	sink_mark(again->out);
	for (int i = 0; i <= TIMES_MAX; i++) {
		size_t known = redaction_known(again->redaction);
		sink_rewind(again->out);
		again->print(again->arg);
		bool settled = redaction_known(again->redaction) == known;
		if (settled && (suspect || missed_so_far(again) == missed))
			break;
		suspect = i + 1 == TIMES_MAX || missed_so_far(again) != missed;
		if (suspect)
			redaction_suspect_all(again->redaction);
	}
	sink_release(again->out);
}

static void print_flags(struct sink *out, const struct variable *v)
{
	if (v->result)
		sink_named_bool(out, "is_result", true);
	if (v->shadowed)
		sink_named_bool(out, "shadowed", true);
	if (v->captured)
		sink_named_bool(out, "captured", true);
	if (v->escaped)
		sink_named_bool(out, "escaped", true);
	if (v->dead)
		sink_named_bool(out, "dead", true);
	if (v->may_be_unset)
		sink_named_bool(out, "may_be_unset", true);
	if (v->line)
		sink_named_uint(out, "declared_line", v->line);
	sink_named_string(out, "type_unresolved_reason", v->type_unresolved);
}

void print_variable_head(struct sink *out, const struct variable *v)
{
	const struct type *type = v->value.type;

	sink_named_string(out, "name", v->name);
	print_flags(out, v);
	if (type)
		sink_named_string(out, "type", type_name(type));
	if (type && !v->optimized_out && !v->unreadable)
		print_kind(out, type);
	if (v->optimized_out)
		sink_named_bool(out, "optimized_out", true);
}

void print_inner_variable(struct printing *p, const struct variable *v)
{
	const struct variable_notes *notes = notes_of_variable(p, v);
	const char *before = p->redacted;

	sink_begin(p->out, SINK_OBJECT);
	if (notes) {
		p->redacted = before ? before : notes->redacted;
		print_members(p->out, notes->head);
	} else {
		redact_named(p, v->name, strlen(v->name));
		print_variable_head(p->out, v);
	}
	if (v->unreadable)
		print_unreadable(p, v->unreadable);
	if (!v->optimized_out && !v->unreadable)
		print_value_rest(p, &v->value);
	sink_end(p->out);
	p->redacted = before;
}

void print_variable(struct printing *p, struct runtime *rt, const struct variable *v)
{
	p->rt = rt;
	p->begun = spent(p);
	p->in_pem = false;
	p->variables++;
	print_inner_variable(p, v);
}
