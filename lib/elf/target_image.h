/* SPDX-License-Identifier: Apache-2.0 */
/* target_image.h - a target for a program that is not running: memory as its file
 * initializes it, with pointers as its bias makes them if it is position-independent. No
 * threads and no mappings; pid 0. */
#ifndef GOSNAP_TARGET_IMAGE_H
#define GOSNAP_TARGET_IMAGE_H

#include "lib/elf/image.h"

/* img must outlive it. NULL: ERR_UNSUPPORTED, no table for this processor. */
struct target *target_image_new(const struct image *img, struct err *err);

#endif
