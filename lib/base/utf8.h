/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - is it text? Unicode's table 3-7: no overlong forms, no surrogates. */
#ifndef GOSNAP_UTF8_H
#define GOSNAP_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first character of len bytes, one at least: returns how many bytes it has; 0: it is none. */
size_t utf8_next(const char *bytes, size_t len, uint32_t *ret);
bool utf8_valid(const void *bytes, size_t len);
/* len, or so much less that the cut goes through no character: the rest would no longer be
 * UTF-8. */
size_t utf8_cut(const char *bytes, size_t len);

#endif
