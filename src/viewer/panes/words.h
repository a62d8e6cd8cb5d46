/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - goroutines, frames and states in the words of all panes. */
#ifndef GOSNAP_PANE_WORDS_H
#define GOSNAP_PANE_WORDS_H

#include "src/viewer/panes/browse.h"

/* A frame, wherever it comes from. Borrowed. */
struct frame_words {
	const char *function, *file; /* "": unknown */
	uint32_t line;
	uint64_t pc;
	bool hidden, is_c;
};
struct frame_words words_of_frame(const struct browse *b,
				  const struct model_frame *frame);
struct frame_words words_of_node(const struct reader_node *frame);
/* "main.(*inventory).reserve  examples/sick/main.go:80" */
void words_add_frame(const struct browse *b, struct line *line,
		     const struct frame_words *frame);
/* Of a function of the program or of a module of it. */
bool words_is_own(const struct browse *b, const struct frame_words *frame);
/* Where a stack is, as people see it: the innermost frame of the program, else that which is not hidden.
 * NULL: it has none. */
const struct model_frame *words_place(const struct browse *b, uint32_t group);
/* The same of words_place(), if there is one. */
void words_add_place(const struct browse *b, struct line *line, uint32_t group);
/* State, time and place, in columns. */
void words_add_goroutine(struct browse *b, struct line *line,
			 const struct model_goroutine *g);
void words_add_state(const struct browse *b, struct text *text,
		     const struct model_goroutine *g);
/* Several lines, with the stack; harmless. */
void words_add_whole(struct browse *b, struct text *text, uint32_t row);
/* A line of it. */
void words_add_frame_text(struct text *text, const struct frame_words *frame);
/* NULL: there is none of that id. */
const struct model_goroutine *words_find(const struct browse *b, int64_t id);

/* Text in lines of that many columns at most, as rows. */
struct wrapped {
	char **rows;
	size_t count, cap;
};
void wrapped_add(struct wrapped *w, const char *words, unsigned columns, unsigned indent);
void wrapped_done(struct wrapped *w);

#endif
