/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/reader_inline.h"

#include <jansson.h>
#include <string.h>

#include "lib/base/table.h"
#include "lib/document/sink.h"

enum { BYTES_MAX = 1 << 20 }; /* of objects in one node */

struct place {
	uint64_t offset;
	size_t bytes;
};

struct inliner {
	struct reader *reader;
	struct place *objects;
	size_t count, cap;
	/* Of the node that is being filled. */
	struct table seen; /* numbers of objects */
	size_t bytes;
};

void inliner_add(struct inliner *in, const struct reader_text *object)
{
	GROW(in->objects, in->count, in->cap);
	in->objects[in->count++] = (struct place){ object->offset, object->bytes };
}

size_t inliner_count(const struct inliner *in)
{
	return in->count;
}

uint64_t inliner_offset(const struct inliner *in, size_t i, size_t *ret_bytes)
{
	*ret_bytes = in->objects[i].bytes;
	return in->objects[i].offset;
}

static bool note_object(void *arg, const char *member, size_t index,
			const struct reader_text *text)
{
	(void)index;
	if (strcmp(member, "objects") == 0)
		inliner_add(arg, text);
	return true;
}

struct inliner *inliner_empty(struct reader *r, struct err *err)
{
	AUTO(inliner_free) struct inliner *in = xcalloc(1, sizeof(*in));

	in->reader = r;
	return reader_unpack(r, err) ? TAKE(in) : NULL;
}

struct inliner *inliner_new(struct reader *r, struct err *err)
{
	AUTO(inliner_free) struct inliner *in = inliner_empty(r, err);
	struct err told;

	if (!in)
		return NULL;
	/* Who reads the document says what is damaged. */
	bool whole = reader_visit(
		r, &(struct reader_calls){ .text = note_object, .arg = in }, &told);
	(void)whole;
	return TAKE(in);
}

void inliner_free(struct inliner *in)
{
	if (!in)
		return;
	table_free(&in->seen);
	xfree(in->objects);
	xfree(in);
}

/* NULL: there is no such object, or no more room. */
static json_t *read_object(struct inliner *in, json_int_t number)
{
	if (number < 0 || (uint64_t)number >= in->count || in->bytes > BYTES_MAX)
		return NULL;
	const struct place *at = &in->objects[number];
	in->bytes += at->bytes;
	return (json_t *)reader_at(in->reader, at->offset, at->bytes);
}

const struct reader_node *inliner_object(struct inliner *in, uint64_t number)
{
	in->bytes = 0;
	return number > INT64_MAX
		       ? NULL
		       : (const struct reader_node *)read_object(in, (json_int_t)number);
}

static void fill(struct inliner *in, json_t *value, unsigned depth);

/* What a map, channel or function refers to has the same type. */
static bool is_content(const json_t *value)
{
	const char *kind = json_string_value(json_object_get(value, "kind"));

	return kind && (strcmp(kind, "map") == 0 || strcmp(kind, "chan") == 0 ||
			strcmp(kind, "func") == 0);
}

static void put(json_t *value, json_t *object)
{
	const char *key;
	json_t *member;

	if (!is_content(value)) {
		json_object_set(value, "target", object);
		return;
	}
	json_object_foreach(object, key, member)
	{
		/* Where the map is, and who refers to it, is not said of the variable. */
		if (strcmp(key, "address") != 0 && strcmp(key, "referrers") != 0 &&
		    !json_object_get(value, key))
			json_object_set(value, key, member);
	}
}

static void fill_reference(struct inliner *in, json_t *value, unsigned depth)
{
	const json_t *number = json_object_get(value, "object");
	json_t *to = json_object_get(value, "to");

	if (!json_is_integer(number) || !to || depth == 0)
		return;
	if (table_get(&in->seen, (uint64_t)json_integer_value(number), 0)) {
		json_object_set(value, "seen", to);
		return;
	}
	json_t *object = read_object(in, json_integer_value(number));
	if (!object)
		return;
	table_add(&in->seen, (uint64_t)json_integer_value(number), 0);
	fill(in, object, depth - 1);
	put(value, object);
	json_decref(object);
}

static void fill(struct inliner *in, json_t *value, unsigned depth)
{
	const char *key;
	json_t *member;
	size_t i;

	json_array_foreach(value, i, member) fill(in, member, depth);
	json_object_foreach(value, key, member) fill(in, member, depth);
	if (json_is_object(value))
		fill_reference(in, value, depth);
}

const struct reader_node *inliner_fill(struct inliner *in, const struct reader_node *node,
				       unsigned depth)
{
	json_t *value;

	if (in->count == 0)
		return node_hold(node);
	value = json_deep_copy((const json_t *)node);
	table_clear(&in->seen);
	in->bytes = 0;
	fill(in, value, depth);
	return (const struct reader_node *)value;
}

struct writing {
	struct sink *out;
	struct inliner *objects; /* NULL: as it is */
	unsigned depth;
	bool in_array, left_out;
};

static void write_array(void *arg, const char *member, bool begins)
{
	struct writing *w = arg;

	const bool is_objects = w->objects && strcmp(member, "objects") == 0;

	w->left_out = begins && is_objects;
	w->in_array = begins;
	if (is_objects)
		return;
	if (!begins) {
		sink_end(w->out);
		return;
	}
	sink_name_text(w->out, member, strlen(member));
	sink_begin(w->out, SINK_ARRAY);
}

static bool write_element(void *arg, const char *member, size_t index,
			  const struct reader_node *node)
{
	struct writing *w = arg;

	(void)index;
	if (w->left_out)
		return true;
	if (!w->in_array)
		sink_name_text(w->out, member, strlen(member));
	const struct reader_node *whole =
		w->objects ? inliner_fill(w->objects, node, w->depth) : node_hold(node);
	node_write(w->out, whole);
	node_drop(whole);
	return true;
}

bool inline_write(struct reader *r, unsigned depth, struct sink *out, struct err *err)
{
	if (depth > INLINE_DEPTH_MAX)
		depth = INLINE_DEPTH_MAX;
	AUTO(inliner_free)
	struct inliner *objects = depth ? inliner_new(r, err) : NULL;
	struct writing w = { .out = out, .objects = objects, .depth = depth };

	if (depth && !objects)
		return false;
	sink_begin(out, SINK_OBJECT);
	bool whole = reader_visit(r,
				  &(struct reader_calls){ .element = write_element,
							  .array = write_array,
							  .arg = &w },
				  err);
	if (whole)
		sink_end(out);
	return whole;
}
