/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - text for people: numbers, durations, sizes. Prints nothing. The main
 * header of src/viewer/terminal: page.h knows the width and colours of the terminal,
 * pager.h starts a pager. Knows nothing of documents. */
#ifndef GOSNAP_TEXT_H
#define GOSNAP_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/util.h"

struct reader_node;

/* A growing string. Initialize to { .words = NULL }; the owner frees words. */
struct text {
	char *words;
	size_t len, cap;
};

void text_add(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same words, sooner. */
void text_append(struct text *text, const char *words, size_t len);
/* "4,012" and "12 min", "2.1 ms", "3 h 5 min", "6 days 4 h" */
void text_add_count(struct text *text, uint64_t n);
void text_add_duration(struct text *text, int64_t ns);
/* Parses "1h30m", and everything that text_add_duration() prints: "6 days 4 h", "2.1
 * ms". */
bool text_parse_duration(const char *words, int64_t *ret_ns);
/* "2026-11-21T03:12:05.123456789Z" as "2026-11-21 03:12:05 UTC" */
void text_add_time(struct text *text, const char *time);
/* "1,234 bytes", "8 KiB", "1.5 MiB" */
void text_add_size(struct text *text, uint64_t bytes);
/* "1 goroutine", "4,012 goroutines" */
void text_add_counted(struct text *text, uint64_t n, const char *noun);
/* Truncates to that many columns, with dots for the rest. */
void text_shorten(struct text *text, size_t columns);
/* Likewise; allocated. */
char *text_shortened(const char *words, size_t columns);
void text_done(struct text *text);
/* "" if nothing was added. Valid until the next addition. */
const char *text_words(const struct text *text);

/* A string of the document, or the hex digits of one that was not UTF-8. Absent:
 * fallback. */
const char *text_of(const struct reader_node *node, const char *fallback);

/* In UTF-8. */
static inline bool text_starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}
/* The width in columns of harmless words. */
size_t text_width(const char *words);

#endif
