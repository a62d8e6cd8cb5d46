/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/notes.h"

#include <string.h>
#include <strings.h>

#include "printers/values/buffer.h"

static struct members take(const struct type *owner, struct sink *members)
{
	const size_t len = sink_part_bytes(members);
	char *text = xstrndup(sink_part_text(members), len);

	sink_free(members);
	return (struct members){ type_keep(owner, text), len };
}

static bool is_the_same(const struct variable *a, const struct variable *b)
{
	return a->name == b->name && a->value.type == b->value.type &&
	       a->optimized_out == b->optimized_out && a->dead == b->dead &&
	       a->may_be_unset == b->may_be_unset && a->escaped == b->escaped;
}

static struct variable_notes *note_variable(struct printing *p, const struct variable *v)
{
	AUTO(sink_free) struct sink *members = sink_members_new();

	print_variable_head(members, v);
	size_t len = sink_part_bytes(members);
	struct variable_notes *notes = xmalloc(sizeof(*notes) + len);
	char *text = (char *)(notes + 1);
	memcpy(text, sink_part_text(members), len);
	*notes = (struct variable_notes){
		.of = *v,
		.redacted = redaction_of_name(p->redaction, v->name, strlen(v->name)),
		.head = { text, len },
	};
	return notes;
}

const struct variable_notes *notes_of_variable(struct printing *p,
					       const struct variable *v)
{
	struct variable_notes *notes = v->notes ? *v->notes : NULL;

	if (!v->notes || v->unreadable || v->type_unresolved)
		return NULL;
	if (notes && is_the_same(&notes->of, v))
		return notes;
	xfree(notes);
	return *v->notes = note_variable(p, v);
}

void print_kind(struct sink *out, const struct type *type)
{
	const char *kind = kind_name(type_kind(type));

	if (kind && strcmp(kind, type_name(type)) != 0)
		sink_named_string(out, "kind", kind);
}

static void name_type(struct sink *out, const struct type *type)
{
	sink_named_string(out, "type", type_name(type));
	print_kind(out, type);
}

static struct type_notes *make(struct printing *p, const struct type *type)
{
	struct type_notes *notes = xcalloc(1, sizeof(*notes));
	struct sink *head = sink_members_new();

	name_type(head, type);
	*notes = (struct type_notes){
		.known = p->known->row_of(type),
		.rule = rule_for(p->bounds->rules, type),
		.redacted = redaction_of_type(p->redaction, type_name(type)),
		.is_public = redaction_is_public(type_name(type)),
		.is_enum = redaction_is_enum(type_name(type)),
		.buffer = buffer_type_of(type),
		.is_context = runtime_is_context(type),
		.is_goroutine = strcmp(type_name(type), "runtime.g") == 0,
		.head = take(type, head),
	};
	return notes;
}

struct type_notes *notes_of(struct printing *p, const struct type *type)
{
	void **notes = &type_found(type)->notes;

	if (!*notes)
		*notes = type_keep(type, make(p, type));
	return *notes;
}

/* It counts how often the goroutine is in runtime/secret (runtime/runtime2.go, 1.26). */
static bool is_no_secret(const struct type *owner, const char *field)
{
	return strcmp(type_name(owner), "runtime.g") == 0 && strcmp(field, "secret") == 0;
}

/* The modulus, in Go 1.20 to 1.23 (crypto/rsa/rsa.go). */
static bool is_public(const struct type *owner, const char *field)
{
	return strcmp(type_name(owner), "crypto/rsa.PrecomputedValues") == 0 &&
	       strcmp(field, "n") == 0;
}

static bool may_be_text(const struct type *type)
{
	const enum type_kind kind = type_kind(type);

	return kind == KIND_STRING ||
	       ((kind == KIND_SLICE || kind == KIND_ARRAY) && type_elem(type) &&
		type_kind(type_elem(type)) == KIND_UINT8);
}

/* What a key in JSON is read into (RFC 7517): a struct with "kty" and the numbers. */
static bool is_of_web_key(const struct type *owner, const char *field)
{
	if (!redaction_is_key_member(field, strlen(field)))
		return false;
	for (size_t i = 0; i < type_field_count(owner); i++)
		if (strcasecmp(type_field(owner, i)->name, "kty") == 0)
			return true;
	return false;
}

/* A user's rule does not hide a secret: it is shown as redacted, so that it is learned
 * and recognised elsewhere. */
static struct field_notes notes_of_field(struct printing *p, const struct type *owner,
					 const struct type_field *field,
					 const struct rule *rule)
{
	struct sink *head = sink_members_new();
	const char *name = rule_name(rule, field->name);
	bool by_name = false;
	struct field_notes ret = {
		.redacted = is_no_secret(owner, field->name)
				    ? NULL
				    : redaction_of_name(p->redaction, field->name,
							strlen(field->name)),
		.is_public = is_public(owner, field->name),
		.open = redaction_is_open(type_name(owner), field->name, &by_name),
		.is_buffer = is_buffer_field(notes_of(p, owner)->buffer, field),
	};

	if (ret.open && by_name && !redaction_is_users_rule(ret.redacted))
		ret.redacted = NULL;
	if (!ret.redacted && field->type && may_be_text(field->type))
		ret.redacted =
			redaction_of_member(p->redaction, type_name(owner), field->name);
	ret.is_of_web_key = redaction_mode(p->redaction) != REDACT_NOTHING &&
			    is_of_web_key(owner, field->name);
	if (ret.is_of_web_key && !ret.redacted)
		ret.redacted = "name";
	ret.hidden = !ret.redacted && rule_hides(rule, field->name);
	sink_named_string(head, "name", name);
	if (name != field->name)
		sink_named_string(head, "renamed_from", field->name);
	if (field->embedded)
		sink_named_bool(head, "embedded", true);
	if (field->type)
		name_type(head, field->type);
	ret.head = take(owner, head);
	return ret;
}

struct type_notes *notes_of_fields(struct printing *p, const struct type *type)
{
	struct type_notes *notes = notes_of(p, type);
	size_t n = type_field_count(type);

	if (notes->fields || !n)
		return notes;
	notes->fields = type_keep(type, xcalloc(n, sizeof(*notes->fields)));
	for (size_t i = 0; i < n; i++)
		notes->fields[i] =
			notes_of_field(p, type, type_field(type, i), notes->rule);
	return notes;
}
