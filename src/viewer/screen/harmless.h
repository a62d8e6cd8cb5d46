/* SPDX-License-Identifier: Apache-2.0 */
/* harmless.h - words of a document for a clipboard or a file: what a terminal may act on, or a reader cannot see,
 * is written as its number, as in line.h. Of all control characters, newlines and tabs, too. */
#ifndef GOSNAP_HARMLESS_H
#define GOSNAP_HARMLESS_H

#include <stddef.h>

#include "src/viewer/terminal/text.h"

void harmless_add_bytes(struct text *text, const char *words, size_t len);
void harmless_add(struct text *text, const char *words);

#endif
