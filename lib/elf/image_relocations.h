/* SPDX-License-Identifier: Apache-2.0 */
/* image_relocations.h - what the dynamic loader adds to the data of a position-independent program: the
 * bias of the image. */
#ifndef GOSNAP_IMAGE_RELOCATIONS_H
#define GOSNAP_IMAGE_RELOCATIONS_H

#include "lib/elf/image.h"

struct image_relocations;

/* Only those that add nothing but the bias. NULL: there are none, or they cannot be read. */
struct image_relocations *image_relocations_read(const struct image *img);
void image_relocations_free(struct image_relocations *relocations);
DEFINE_AUTO(struct image_relocations, image_relocations_free)

/* To len bytes that were read from addr on. relocations: NULL is allowed. */
void image_relocations_apply(const struct image_relocations *relocations, uint64_t addr,
			     void *buf, size_t len);

#endif
