/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/stack/explain.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/stack/pointees.h"
#include "src/viewer/stack/raw_words.h"
#include "src/viewer/terminal/text.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is(const struct reader_node *node, const char *member)
{
	return node_bool(node_get(node, member), false);
}

/* "main.middle (main.through is inlined there), main.go:12" */
static void add_code(struct text *text, const struct reader_node *code)
{
	const char *inlined = text_of(node_get(code, "inlined"), NULL);
	const char *file = text_of(node_get(code, "file"), NULL);
	const int64_t offset = node_int(node_get(code, "offset"), 0);
	const bool is_return = is(code, "return_address");

	text_add(text, "%s", text_of(node_get(code, "function"), "code without a name"));
	if (inlined)
		text_add(text, " (%s is inlined there)", inlined);
	if (offset && !is_return)
		text_add(text, "+0x%" PRIx64, (uint64_t)offset);
	if (file)
		text_add(text, ", %s:%" PRId64, base_name(file),
			 node_int(node_get(code, "line"), 0));
}

static bool is_stale_return(const struct raw_words *raw, size_t i)
{
	return i < raw->count && raw->words[i].returns_from == NOT_THERE &&
	       is(raw_code_at(raw, raw->words[i].value), "return_address");
}

/* The last part that begins at or before the byte; NULL: the variable has none. */
static const struct reader_node *part_at(const struct reader_node *place, uint64_t offset)
{
	const struct reader_node *parts = node_get(place, "parts"), *ret = NULL;

	for (size_t i = 0; i < node_count(parts); i++) {
		const struct reader_node *part = node_at(parts, i);
		const int64_t at = node_int(node_get(part, "offset"), -1);
		if (at >= 0 && (uint64_t)at <= offset)
			ret = part;
	}
	return ret;
}

static uint64_t part_offset(const struct reader_node *part)
{
	return (uint64_t)node_int(node_get(part, "offset"), 0);
}

/* "p.label.name.ptr *uint8", "room+0x40 [16]int" */
static void add_name(struct text *text, const struct reader_node *place, uint64_t offset)
{
	const struct reader_node *part = part_at(place, offset);
	const char *type = text_of(node_get(part ? part : place, "type"), NULL);
	const uint64_t into = part ? offset - part_offset(part) : offset;

	text_add(text, "%s%s", text_of(node_get(place, "name"), "?"),
		 part ? text_of(node_get(part, "name"), "") : "");
	if (into)
		text_add(text, "+0x%" PRIx64, into);
	if (type)
		text_add(text, " %s", type);
}

static const char *function_of(const struct raw_words *raw,
			       const struct reader_node *place, uint32_t *ret_frame)
{
	*ret_frame = raw_frame_of(raw, (uint64_t)node_int(node_get(place, "frame"), -1));
	return *ret_frame == NOT_THERE ? "?" : raw->frames[*ret_frame].function;
}

/* Without debug information only what the collector needs is known. */
static bool is_nameless(const struct reader_node *place)
{
	return strncmp(text_of(node_get(place, "name"), ""), "sp+", 3) == 0;
}

static void add_variable(struct text *text, const struct reader_node *place,
			 uint64_t offset)
{
	text_add(text, "%s ",
		 is_nameless(place)	 ? "live"
		 : is(place, "result")	 ? "result"
		 : is(place, "argument") ? "argument"
		 : is(place, "compiler") ? "of the compiler:"
					 : "local");
	add_name(text, place, offset);
}

static void add_doubts(struct text *text, const struct reader_node *place, bool argument)
{
	if (is(place, "dead"))
		text_add(text, argument ? " (may be stale)" : " (no longer needed)");
	else if (is(place, "may_be_unset"))
		text_add(text, " (may be uninitialized)");
}

/* A function may save an argument that it gets in a register. */
static void add_argument(struct text *text, const struct reader_node *place,
			 uint64_t offset)
{
	if (node_get(place, "name")) {
		text_add(text, "spill slot of argument ");
		add_name(text, place, offset);
	} else {
		text_add(text, "argument word");
	}
}

/* "record of deferred main.main.func1, .sp uintptr" */
static void add_deferred(struct text *text, const struct reader_node *place,
			 uint64_t offset, const char *what)
{
	const struct reader_node *part = part_at(place, offset);

	text_add(text, "%s deferred %s", what,
		 text_of(node_get(place, "name"), "function"));
	if (part && part_offset(part) == offset)
		text_add(text, ", %s %s", text_of(node_get(part, "name"), "?"),
			 text_of(node_get(part, "type"), ""));
	else if (offset)
		text_add(text, ", +0x%" PRIx64, offset);
}

static void add_place(struct text *text, const struct raw_words *raw, size_t i,
		      const struct reader_node *place)
{
	const uint64_t at = node_address(node_get(place, "address"), 0);
	const uint64_t offset = raw_address(raw, i) > at ? raw_address(raw, i) - at : 0;
	const char *kind = node_string(node_get(place, "kind"), "variable");
	uint32_t frame;
	const char *function = function_of(raw, place, &frame);
	const bool argument = strcmp(kind, "argument") == 0;

	if (argument)
		add_argument(text, place, offset);
	else if (strcmp(kind, "defer") == 0)
		add_deferred(text, place, offset, "record of");
	else if (strcmp(kind, "closure") == 0)
		add_deferred(text, place, offset, "func value of");
	else
		add_variable(text, place, offset);
	if (frame != raw->words[i].frame && frame != NOT_THERE)
		text_add(text, " of %s", function);
	add_doubts(text, place, argument);
}

static void add_places(struct text *text, const struct raw_words *raw, size_t i)
{
	const struct raw_word *word = &raw->words[i];

	for (size_t k = 0; k < word->place_count; k++) {
		text_add(text, k ? "; " : "");
		add_place(text, raw, i, node_at(raw->places, word->places[k]));
	}
}

/* Where in this stack: the frame, and the variable that begins there. */
static void add_own(struct text *text, const struct raw_words *raw, uint32_t to,
		    uint64_t address)
{
	const struct raw_word *word = &raw->words[to];
	const struct reader_node *place =
		word->place_count ? node_at(raw->places, word->places[0]) : NULL;

	text_add(text, "+0x%03" PRIx64, address - raw->base);
	if (place && node_address(node_get(place, "address"), 0) == address &&
	    node_get(place, "name"))
		text_add(text, " %s", text_of(node_get(place, "name"), "?"));
	if (word->frame != NOT_THERE)
		text_add(text, " in %s", raw->frames[word->frame].function);
}

/* What it points to, if that is known. */
static bool add_pointee(struct text *text, const struct raw_words *raw,
			const struct pointees *pointees, size_t i, const char *before)
{
	const uint64_t value = raw->words[i].value;
	const uint32_t own = raw_word_at(raw, value);
	struct text pointee = { 0 };
	const struct reader_node *code = raw_code_at(raw, value);

	if (code)
		add_code(&pointee, code);
	else if (own != NOT_THERE)
		add_own(&pointee, raw, own, value);
	else
		pointees_add(pointees, value, &pointee);
	if (pointee.len)
		text_add(text, "%s%s", before, text_words(&pointee));
	const bool ret = pointee.len > 0;
	text_done(&pointee);
	return ret;
}

static void add_unknown(struct text *text, const struct raw_words *raw,
			const struct pointees *pointees, size_t i)
{
	const uint32_t own = raw_word_at(raw, raw->words[i].value);

	if (is_stale_return(raw, i)) {
		text_add(text, "stale: return address into ");
		add_code(text, raw_code_at(raw, raw->words[i].value));
	} else if (own != NOT_THERE && is_stale_return(raw, i + 1)) {
		text_add(text, "stale: frame pointer ");
		add_own(text, raw, own, raw->words[i].value);
	} else if (!add_pointee(text, raw, pointees, i, "unknown -> ")) {
		text_add(text, "unknown");
	}
}

/* A signal makes it look as if the instruction that it interrupted had called a function. */
static void add_return(struct text *text, const struct raw_words *raw, size_t i)
{
	const struct reader_node *code = raw_code_at(raw, raw->words[i].value);

	text_add(text, !code || is(code, "return_address")
			       ? "return address into "
			       : "return to the instruction in ");
	if (code)
		add_code(text, code);
	else
		text_add(text, "code without a name");
}

void explain_word(const struct raw_words *raw, const struct pointees *pointees, size_t i,
		  struct text *text)
{
	const struct raw_word *word = &raw->words[i];
	const size_t caller = (size_t)word->saved_by + 1;

	if (word->returns_from != NOT_THERE) {
		add_return(text, raw, i);
		return;
	}
	if (word->saved_by != NOT_THERE) {
		text_add(text, "frame pointer of %s",
			 caller < raw->frame_count ? raw->frames[caller].function
						   : "nothing");
		return;
	}
	if (!word->place_count) {
		add_unknown(text, raw, pointees, i);
		return;
	}
	add_places(text, raw, i);
	add_pointee(text, raw, pointees, i, " -> ");
}
