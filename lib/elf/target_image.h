/* SPDX-License-Identifier: Apache-2.0 */
/* target_image.h - the memory of a program that does not run: what its file puts there.
 * No threads and no mappings; pid 0. What the loader would relocate is not relocated. */
#ifndef GOSNAP_TARGET_IMAGE_H
#define GOSNAP_TARGET_IMAGE_H

#include "lib/elf/image.h"

/* img outlives it. NULL: ERR_UNSUPPORTED, a processor that we have no table for. */
struct target *target_image_new(const struct image *img, struct err *err);

#endif
