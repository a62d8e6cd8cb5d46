/* SPDX-License-Identifier: Apache-2.0 */
/* module_shape.h - does moduledata look as it must? Private to goruntime/symtab. Reads nothing: knows
 * the words of runtime/symtab.go, Go 1.15 to 1.27. */
#ifndef GOSNAP_MODULE_SHAPE_H
#define GOSNAP_MODULE_SHAPE_H

#include "goruntime/layout/layout.h"
#include "lib/elf/image.h"

enum { MODULE_HEAD_WORDS = 19 }; /* enough to recognise it */

/* Does moduledata start with these words? */
bool module_is_head(const uint64_t w[MODULE_HEAD_WORDS]);
/* Without its tables: is what it names where the image has such a thing? md: all of it. */
bool module_has_shape(const struct layout *l, const struct image *img, const uint8_t *md,
		      size_t size);
/* The words that are not needed to find code and variables, which releases have in different places. */
bool module_constants_fit(const struct layout *l, const struct image *img,
			  const uint8_t *md, size_t size);

#endif
