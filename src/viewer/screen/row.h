/* SPDX-License-Identifier: Apache-2.0 */
/* row.h - draws an encoded row, whoever made it: characters that are plain to see, in styles that there
 * are. */
#ifndef GOSNAP_ROW_H
#define GOSNAP_ROW_H

#include <stdbool.h>
#include <stddef.h>

/* After ncurses has begun. */
void row_begin(bool colours);
void row_draw(unsigned row, const char *bytes, size_t len);

#endif
