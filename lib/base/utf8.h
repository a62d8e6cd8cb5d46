/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - UTF-8 validation by Unicode's table 3-7: no overlong forms, no surrogates. */
#ifndef GOSNAP_UTF8_H
#define GOSNAP_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Decodes the first character; len is at least 1. Returns its length in bytes; 0:
 * invalid. */
size_t utf8_next(const char *bytes, size_t len, uint32_t *ret);
bool utf8_valid(const void *bytes, size_t len);
/* The largest length up to len that does not split a character. */
size_t utf8_cut(const char *bytes, size_t len);
/* For a terminal. What it may act on becomes a question mark: control characters, what changes the direction
 * of text, and what is not UTF-8. */
void utf8_print_harmless(FILE *out, const char *bytes, size_t len);

#endif
