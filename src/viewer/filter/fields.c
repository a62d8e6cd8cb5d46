/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/fields.h"

#include <string.h>

#include "lib/base/util.h"

static const struct field fields[] = {
#define FIELD(name, type, source, row, member, inner, about)                             \
	{ name, FIELD_##type, SOURCE_##source, ROW_##row, member, inner, about },
#include "src/viewer/filter/fields.def"
#undef FIELD
};

static const struct filter_function functions[] = {
	{ "any", "a frame for which a condition holds: any(frames, own)" },
	{ "all", "it holds for all frames: all(frames, !own)" },
	{ "count", "number of such frames: count(frames, own) > 9" },
	{ "has", "there is such a value: has(waits.peer)" },
	{ "len", "length of a value: len(var.ids) > 9" },
	{ "contains", "a text is in it, whatever the case: contains(reason, \"chan\")" },
};

const struct field *field_at(size_t i)
{
	return i < ARRAY_SIZE(fields) ? &fields[i] : NULL;
}

const struct field *field_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

enum cost field_cost(const struct field *field)
{
	switch (field->source) {
	case SOURCE_ROW:
	case SOURCE_FINDING:
		return COST_ROW;
	case SOURCE_FRAME:
		return COST_FRAMES;
	case SOURCE_LABEL:
	case SOURCE_ADDRESSES:
		return COST_LABEL;
	case SOURCE_MEMBER:
	case SOURCE_WAITS:
		return COST_MEMBER;
	case SOURCE_VALUE:
		break;
	}
	return COST_VALUES;
}

static const struct {
	const char *name, *example;
} types[] = {
	[FIELD_TEXT] = { "text", "\"...\"" },
	[FIELD_NUMBER] = { "a number", "12" },
	[FIELD_DURATION] = { "a duration", "5m" },
	[FIELD_SIZE] = { "a size", "64KiB" },
	[FIELD_ADDRESS] = { "an address", "0xc000012345" },
	[FIELD_BOOL] = { "true or false", "true" },
	[FIELD_ANY] = { "a value", "12" },
};

const char *field_type_name(enum field_type type)
{
	return types[type].name;
}

const char *field_type_example(enum field_type type)
{
	return types[type].example;
}

const struct filter_function *filter_function_at(size_t i)
{
	return i < ARRAY_SIZE(functions) ? &functions[i] : NULL;
}
