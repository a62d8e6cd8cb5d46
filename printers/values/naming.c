/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/naming.h"

#include <string.h>

enum {
	NAME_MAX = 256,
	FIELDS_MAX = 16, /* of a key */
};

static bool may_name(const struct type *type)
{
	return type &&
	       (type_kind(type) == KIND_STRING || type_kind(type) == KIND_INTERFACE ||
		type_kind(type) == KIND_STRUCT);
}

static const struct type_field *find_naming(const struct type *type)
{
	static const char *const names[] = { "Key", "key", "Name", "name", "K", "k" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct type_field *f = type_field_named(type, names[i]);
		if (f && may_name(f->type))
			return f;
	}
	return NULL;
}

const struct type_field *naming_field(const struct type *type)
{
	struct type_found *found = type_found(type);

	if (!found->naming_known)
		found->naming = find_naming(type);
	found->naming_known = true;
	return found->naming;
}

bool is_named_by(const struct type_field *naming, const struct type_field *f)
{
	bool itself = f->off == naming->off && f->type == naming->type;

	return !itself &&
	       !(f->embedded && f->type && type_kind(f->type) == KIND_INTERFACE);
}

/* Reads a string, up to the longest name. *ret_whole: it ends there. */
static size_t read_string(const struct naming *n, const struct value *v,
			  char ret[static NAME_MAX], bool *ret_whole)
{
	struct text_value s;
	struct err ignored;

	if (type_kind(v->type) != KIND_STRING || !runtime_string(n->rt, v, &s, &ignored))
		return 0;
	size_t len = s.len < NAME_MAX ? (size_t)s.len : NAME_MAX;
	*ret_whole = s.len == len;
	return runtime_bytes(n->rt, s.addr, ret, len, &ignored) ? len : 0;
}

static const char *rule_of_string(const struct naming *n, const struct value *v)
{
	char name[NAME_MAX];
	bool whole = false;
	size_t len = read_string(n, v, name, &whole);

	return whole ? redaction_of_name(n->redaction, name, len) : NULL;
}

/* struct{Tenant, Field string} */
static const char *rule_of_struct(const struct naming *n, const struct value *v)
{
	const char *rule = NULL;

	for (size_t i = 0; !rule && i < type_field_count(v->type) && i < FIELDS_MAX;
	     i++) {
		const struct type_field *f = type_field(v->type, i);
		if (f->type)
			rule = rule_of_string(
				n, &(struct value){ f->type, v->addr + f->off });
	}
	return rule;
}

static const char *rule_of_interface(const struct naming *n, const struct value *v,
				     bool by_type)
{
	struct interface_value in;
	struct err ignored;
	const char *rule = NULL;

	if (!runtime_interface(n->rt, v, &in, &ignored) || !in.descriptor)
		return NULL;
	const char *dot = strrchr(in.name, '.'), *name = dot ? dot + 1 : in.name;
	if (by_type)
		rule = redaction_of_name(n->redaction, name, strlen(name));
	return rule || !in.inside.type ? rule : rule_of_string(n, &in.inside);
}

const char *rule_of_key(const struct naming *n, const struct value *key)
{
	if (!key->type || redaction_mode(n->redaction) == REDACT_NOTHING)
		return NULL;
	switch (type_kind(key->type)) {
	case KIND_STRUCT:
		return rule_of_struct(n, key);
	case KIND_INTERFACE: /* keys of contexts are named by their types */
		return rule_of_interface(n, key, true);
	default:
		return rule_of_string(n, key);
	}
}

static bool is_list_of_strings(const struct type *type)
{
	return type && type_kind(type) == KIND_SLICE && type_elem(type) &&
	       type_kind(type_elem(type)) == KIND_STRING;
}

/* A string, or the first of a list of them. */
static size_t read_first_string(const struct naming *n, const struct value *v,
				char ret[static NAME_MAX])
{
	struct slice_value list;
	struct err ignored;
	bool whole;

	if (!is_list_of_strings(v->type))
		return read_string(n, v, ret, &whole);
	if (!runtime_slice(n->rt, v, &list, &ignored) || list.len == 0)
		return 0;
	const struct value first = { type_elem(v->type), list.addr };
	return read_string(n, &first, ret, &whole);
}

const char *rule_of_entry(const struct naming *n, const struct value *key,
			  const struct value *elem)
{
	char name[NAME_MAX], text[NAME_MAX];
	bool whole = false;
	const char *rule = rule_of_key(n, key);

	if (rule || !key->type || redaction_mode(n->redaction) == REDACT_NOTHING)
		return rule;
	const bool form = is_list_of_strings(elem->type);
	if (!form && (!elem->type || type_kind(elem->type) != KIND_STRING))
		return NULL;
	size_t len = read_string(n, key, name, &whole);
	if (whole && form)
		rule = redaction_of_parameter(n->redaction, name, len);
	if (whole && !rule && redaction_asks_for_text(name, len, form))
		rule = redaction_of_named_text(n->redaction, name, len, text,
					       read_first_string(n, elem, text), form);
	return rule;
}

/* {"--password", "x"}; or two strings as strings.SplitN() returns them: {"password",
 * "x"}. */
static const char *rule_of_word(const struct naming *n, struct listed *list,
				const struct value *v, bool second, size_t *ret_from)
{
	char word[NAME_MAX];
	bool whole;
	size_t len = read_string(n, v, word, &whole);

	*ret_from = redaction_of_argument(n->redaction, &list->arguments, word, len);
	if (second && rule_of_string(n, &list->before))
		*ret_from = 0;
	return *ret_from < len ? "name" : NULL;
}

/* Is it a constant in the program, as names are? */
static bool is_constant(const struct naming *n, const struct value *v)
{
	struct interface_value in;
	struct text_value s;
	struct err ignored;

	return runtime_interface(n->rt, v, &in, &ignored) && in.inside.type &&
	       type_kind(in.inside.type) == KIND_STRING &&
	       runtime_string(n->rt, &in.inside, &s, &ignored) &&
	       runtime_in_file(n->rt, s.addr);
}

/* "password", "x"; if what precedes them is not pairs, a constant is more likely the next
 * name. */
static const char *rule_of_any(const struct naming *n, struct listed *list,
			       const struct value *element, uint64_t i)
{
	const char *rule = NULL;

	if (i % 2 == 1 || (i > 0 && !list->named))
		rule = rule_of_interface(n, &list->before, false);
	if (rule && i % 2 == 0 && is_constant(n, element))
		rule = NULL;
	list->named = rule != NULL;
	return rule;
}

const char *rule_of_element(const struct naming *n, struct listed *list,
			    const struct value *element, uint64_t i, uint64_t count,
			    size_t *ret_from)
{
	const enum type_kind kind = type_kind(element->type);
	const char *rule = NULL;

	*ret_from = 0;
	if (count < 2 || redaction_mode(n->redaction) == REDACT_NOTHING)
		return NULL;
	if (kind == KIND_STRING)
		rule = rule_of_word(n, list, element, i == 1 && count == 2, ret_from);
	else if (kind == KIND_INTERFACE)
		rule = rule_of_any(n, list, element, i);
	list->before = *element;
	return rule;
}
