/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/stack/raw_words.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/document/reader.h"
#include "src/viewer/terminal/text.h"

/* Steps that the frames and places of a document may take: hostile ones overlap. */
enum { STEPS_MAX = 1 << 24 };

static void read_words(struct raw_words *raw)
{
	const struct reader_node *words = node_get(raw->node, "words");

	raw->count = node_count(words);
	if (raw->count > WORDS_MAX)
		raw->count = WORDS_MAX;
	raw->words = xcalloc(raw->count + 1, sizeof(*raw->words));
	for (size_t i = 0; i < raw->count; i++) {
		const struct reader_node *node = node_at(words, i);
		const char *text = node_string(node, "");
		raw->words[i] = (struct raw_word){
			.value = node_address(node, 0),
			.state = !*text				 ? WORD_UNREADABLE
				 : strcmp(text, "redacted") == 0 ? WORD_REDACTED
								 : WORD_KNOWN,
			.frame = NOT_THERE,
			.returns_from = NOT_THERE,
			.saved_by = NOT_THERE,
		};
	}
}

uint32_t raw_word_at(const struct raw_words *raw, uint64_t address)
{
	const uint64_t i = (address - raw->base) / WORD_BYTES;

	return address >= raw->base && i < raw->count ? (uint32_t)i : NOT_THERE;
}

static uint64_t address_of(const struct reader_node *object, const char *member)
{
	return node_address(node_get(object, member), 0);
}

/* The words of [low, high) that are there, as a range of indexes. */
static bool words_of(const struct raw_words *raw, uint64_t low, uint64_t high,
		     size_t *ret_first, size_t *ret_end)
{
	const uint64_t end = raw_address(raw, raw->count);

	if (low < raw->base)
		low = raw->base;
	if (high > end)
		high = end;
	if (low >= high || end < raw->base)
		return false;
	*ret_first = (low - raw->base) / WORD_BYTES;
	*ret_end = (high - raw->base + WORD_BYTES - 1) / WORD_BYTES;
	return *ret_first < *ret_end;
}

/* NULL: no word begins there. */
static struct raw_word *word_of(struct raw_words *raw, const struct reader_node *object,
				const char *member)
{
	const uint64_t address = address_of(object, member);
	const uint32_t i = raw_word_at(raw, address);

	return i != NOT_THERE && (address - raw->base) % WORD_BYTES == 0 ? &raw->words[i]
									 : NULL;
}

static void read_frames(struct raw_words *raw, size_t *steps)
{
	const struct reader_node *frames = node_get(raw->node, "frames");
	size_t first, end;

	raw->frame_count = node_count(frames);
	raw->frames = xcalloc(raw->frame_count + 1, sizeof(*raw->frames));
	for (size_t i = 0; i < raw->frame_count; i++) {
		const struct reader_node *node = node_at(frames, i);
		struct raw_frame *f = &raw->frames[i];
		*f = (struct raw_frame){
			.number = (uint64_t)node_int(node_get(node, "frame"), -1),
			.low = address_of(node, "low"),
			.high = address_of(node, "high"),
			.function = text_of(node_get(node, "function"), "?"),
		};
		struct raw_word *word = word_of(raw, node, "return_address_at");
		if (word)
			word->returns_from = (uint32_t)i;
		word = word_of(raw, node, "frame_pointer_at");
		if (word)
			word->saved_by = (uint32_t)i;
		if (!words_of(raw, f->low, f->high, &first, &end))
			continue;
		for (; first < end && *steps < STEPS_MAX; first++, ++*steps)
			raw->words[first].frame = (uint32_t)i;
	}
}

static bool is(const struct reader_node *place, const char *member)
{
	return node_bool(node_get(place, member), false);
}

/* What says most of a word comes first: a variable that lives, then what may be older. */
static unsigned rank(const struct reader_node *place)
{
	const bool argument =
		strcmp(node_string(node_get(place, "kind"), ""), "argument") == 0;

	return (is(place, "dead") ? 4u : 0u) + (argument ? 2u : 0u) +
	       (is(place, "compiler") ? 1u : 0u);
}

static bool same_name(const struct reader_node *a, const struct reader_node *b)
{
	return strcmp(text_of(node_get(a, "name"), ""),
		      text_of(node_get(b, "name"), "")) == 0;
}

/* Several pieces of a word may be variables of their own. Of what overlaps only the best is kept. */
static void add_place(struct raw_words *raw, struct raw_word *word, size_t number)
{
	const struct reader_node *place = node_at(raw->places, number);
	const uint64_t at = address_of(place, "address");
	size_t i = 0;

	for (; i < word->place_count; i++) {
		const struct reader_node *other = node_at(raw->places, word->places[i]);
		if (address_of(other, "address") != at && !same_name(other, place))
			continue;
		if (rank(place) < rank(other))
			word->places[i] = (uint32_t)number;
		return;
	}
	if (i < PLACES_PER_WORD)
		word->places[word->place_count++] = (uint32_t)number;
}

static void read_places(struct raw_words *raw, size_t *steps)
{
	size_t first, end;

	raw->places = node_get(raw->node, "places");
	for (size_t i = 0; i < node_count(raw->places); i++) {
		const struct reader_node *place = node_at(raw->places, i);
		const uint64_t at = address_of(place, "address");
		const int64_t size = node_int(node_get(place, "size_bytes"), 0);
		if (size <= 0 || at + (uint64_t)size < at ||
		    !words_of(raw, at, at + (uint64_t)size, &first, &end))
			continue;
		for (; first < end && *steps < STEPS_MAX; first++, ++*steps)
			add_place(raw, &raw->words[first], i);
	}
}

static int compare_codes(const void *a, const void *b)
{
	const struct raw_code *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void read_code(struct raw_words *raw)
{
	raw->code = node_get(raw->node, "code");
	raw->code_count = node_count(raw->code);
	raw->codes = xcalloc(raw->code_count + 1, sizeof(*raw->codes));
	for (size_t i = 0; i < raw->code_count; i++) {
		raw->codes[i].node = node_at(raw->code, i);
		raw->codes[i].address = address_of(raw->codes[i].node, "address");
	}
	qsort(raw->codes, raw->code_count, sizeof(*raw->codes), compare_codes);
}

void raw_words_init(struct raw_words *raw, const struct reader_node *node)
{
	size_t steps = 0;

	*raw = (struct raw_words){ .node = node,
				   .registers = node_get(node, "registers"),
				   .base = address_of(node, "address") };
	read_words(raw);
	read_frames(raw, &steps);
	read_places(raw, &steps);
	read_code(raw);
}

void raw_words_done(struct raw_words *raw)
{
	xfree(raw->words);
	xfree(raw->frames);
	xfree(raw->codes);
}

const struct reader_node *raw_code_at(const struct raw_words *raw, uint64_t address)
{
	const size_t i = LOWER_BOUND(k, raw->code_count, raw->codes[k].address < address);

	return i < raw->code_count && raw->codes[i].address == address
		       ? raw->codes[i].node
		       : NULL;
}

/* Inlined calls come before the function that they are in. */
uint32_t raw_frame_of(const struct raw_words *raw, uint64_t number)
{
	const size_t i = LOWER_BOUND(k, raw->frame_count, raw->frames[k].number < number);

	return i < raw->frame_count ? (uint32_t)i : NOT_THERE;
}
