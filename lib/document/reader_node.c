/* SPDX-License-Identifier: Apache-2.0 */
/* reader_node.c - node accessors. A node is a json_t; NULL is an absent node. */
#include "lib/document/reader.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/sink.h"

static json_t *json_of(const struct reader_node *node)
{
	return (json_t *)node;
}

static const struct reader_node *node_of(json_t *json)
{
	return (const struct reader_node *)json;
}

const struct reader_node *node_of_text(const char *text, size_t len)
{
	return node_of(json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL));
}

const struct reader_node *node_get(const struct reader_node *node, const char *key)
{
	return node_of(json_object_get(json_of(node), key));
}

size_t node_count(const struct reader_node *array)
{
	return json_array_size(json_of(array));
}

const struct reader_node *node_at(const struct reader_node *array, size_t i)
{
	return node_of(json_array_get(json_of(array), i));
}

const char *node_string(const struct reader_node *node, const char *fallback)
{
	return json_is_string(json_of(node)) ? json_string_value(json_of(node))
					     : fallback;
}

char *node_words(const struct reader_node *node)
{
	const json_t *json = json_of(node);
	char real[REAL_BYTES];

	if (json_is_integer(json))
		return xasprintf("%" JSON_INTEGER_FORMAT, json_integer_value(json));
	if (json_is_real(json)) {
		shortest_real(real, json_real_value(json), false);
		return xstrdup(real);
	}
	if (json_is_boolean(json))
		return xstrdup(json_is_true(json) ? "true" : "false");
	return xstrdup(node_string(node, "?"));
}

int64_t node_int(const struct reader_node *node, int64_t fallback)
{
	double real = json_real_value(json_of(node));
	/* 2^63 is the first double above every int64_t. */
	if (json_is_real(json_of(node)) && real >= -0x1p63 && real < 0x1p63 &&
	    real == (double)(int64_t)real)
		return (int64_t)real;
	return json_is_integer(json_of(node)) ? json_integer_value(json_of(node))
					      : fallback;
}

bool node_bool(const struct reader_node *node, bool fallback)
{
	return json_is_boolean(json_of(node)) ? json_is_true(json_of(node)) : fallback;
}

uint64_t node_address(const struct reader_node *node, uint64_t fallback)
{
	const char *text = node_string(node, "");
	uint64_t addr = 0;
	size_t i;
	if (text[0] != '0' || text[1] != 'x')
		return fallback;
	for (i = 2; i < 18 && text[i]; i++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, text[i]);
		if (!digit)
			return fallback;
		addr = addr << 4 | (uint64_t)(digit - digits);
	}
	return i > 2 && !text[i] ? addr : fallback;
}

void node_each(const struct reader_node *object, node_fn *fn, void *arg)
{
	const char *key;
	json_t *value;
	json_object_foreach(json_of(object), key, value)
	{
		fn(arg, key, node_of(value));
	}
}

struct writing {
	struct sink *out;
	node_number_fn *number; /* NULL: as it is */
	void *arg;
};

static void write_json(const struct writing *w, const json_t *json, unsigned depth);

/* Of a value, the number of the object that it refers to. */
static bool is_reference(const json_t *json, const char *key, const json_t *member)
{
	return strcmp(key, "object") == 0 && json_is_integer(member) &&
	       json_integer_value(member) >= 0 && json_object_get(json, "to");
}

static void write_members(const struct writing *w, const json_t *json, unsigned depth)
{
	const char *key;
	json_t *member;

	sink_begin(w->out, SINK_OBJECT);
	json_object_foreach((json_t *)json, key, member)
	{
		sink_name_text(w->out, key, strlen(key));
		if (w->number && is_reference(json, key, member))
			sink_uint(w->out, w->number(w->arg, (uint64_t)json_integer_value(
								    member)));
		else
			write_json(w, member, depth);
	}
	sink_end(w->out);
}

static void write_elements(const struct writing *w, const json_t *json, unsigned depth)
{
	json_t *element;
	size_t i;

	sink_begin(w->out, SINK_ARRAY);
	json_array_foreach(json, i, element) write_json(w, element, depth);
	sink_end(w->out);
}

/* What is nested deeper than any document of ours becomes null. */
static void write_json(const struct writing *w, const json_t *json, unsigned depth)
{
	struct sink *out = w->out;

	if (depth == NODE_DEPTH_MAX)
		sink_null(out);
	else if (json_is_object(json))
		write_members(w, json, depth + 1);
	else if (json_is_array(json))
		write_elements(w, json, depth + 1);
	else if (json_is_string(json))
		sink_text(out, json_string_value(json), json_string_length(json));
	else if (json_is_integer(json))
		sink_int(out, json_integer_value(json));
	else if (json_is_real(json))
		sink_float(out, json_real_value(json), SINK_DOUBLE);
	else if (json_is_boolean(json))
		sink_bool(out, json_is_true(json));
	else
		sink_null(out);
}

void node_write(struct sink *out, const struct reader_node *node)
{
	write_json(&(struct writing){ .out = out }, json_of(node), 0);
}

void node_write_numbered(struct sink *out, const struct reader_node *node,
			 node_number_fn *number, void *arg)
{
	write_json(&(struct writing){ out, number, arg }, json_of(node), 0);
}

const struct reader_node *node_hold(const struct reader_node *node)
{
	return node_of(json_incref(json_of(node)));
}

void node_drop(const struct reader_node *node)
{
	json_decref(json_of(node));
}
