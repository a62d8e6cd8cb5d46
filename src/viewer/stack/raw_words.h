/* SPDX-License-Identifier: Apache-2.0 */
/* raw_words.h - a raw stack as arrays by word: which frame each belongs to, and what lies
 * there. Private to src/viewer/stack. */
#ifndef GOSNAP_RAW_WORDS_H
#define GOSNAP_RAW_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/util.h"

struct reader_node;

enum {
	WORD_BYTES = 8,
	WORDS_MAX = 1 << 20,
	PLACES_PER_WORD = 4,
	NOT_THERE = UINT32_MAX,
};

enum word_state { WORD_KNOWN, WORD_REDACTED, WORD_UNREADABLE };

struct raw_frame {
	uint64_t number; /* index in the frames of the goroutine */
	uint64_t low, high;
	const char *function; /* "?" if not known; borrowed from the node */
};

struct raw_word {
	uint64_t value;
	enum word_state state;
	/* Indexes in frames; NOT_THERE. */
	uint32_t frame;	       /* that it is in */
	uint32_t returns_from; /* whose return address it is */
	uint32_t saved_by;     /* whose caller's frame pointer it is */
	uint32_t places
		[PLACES_PER_WORD]; /* indexes in the node's places, the best first */
	uint8_t place_count;
};

/* Borrows from the node. */
struct raw_words {
	const struct reader_node *node, *places, *code, *registers;
	uint64_t base;
	struct raw_word *words;
	size_t count;
	struct raw_frame *frames;
	size_t frame_count;
	/* The addresses of node's code, sorted. */
	struct raw_code {
		uint64_t address;
		const struct reader_node *node;
	} * codes;
	size_t code_count;
};

/* node: a raw_stack. */
void raw_words_init(struct raw_words *raw, const struct reader_node *node);
void raw_words_done(struct raw_words *raw);

static inline uint64_t raw_address(const struct raw_words *raw, size_t i)
{
	return raw->base + i * WORD_BYTES;
}

/* The index of the word that has this byte; NOT_THERE. */
uint32_t raw_word_at(const struct raw_words *raw, uint64_t address);
/* NULL: it is no address of code. */
const struct reader_node *raw_code_at(const struct raw_words *raw, uint64_t address);
/* The frame of a place: that of the function itself, if a call inlined in it has the variable; or
 * NOT_THERE. */
uint32_t raw_frame_of(const struct raw_words *raw, uint64_t number);

#endif
