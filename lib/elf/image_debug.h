/* SPDX-License-Identifier: Apache-2.0 */
/* image_debug.h - where the debugging information of an image is, in the file itself or in one
 * apart, and its sections, unpacked. Does not read what they say, and asks no network. */
#ifndef GOSNAP_IMAGE_DEBUG_H
#define GOSNAP_IMAGE_DEBUG_H

#include "lib/base/bytes.h"
#include "lib/elf/image.h"

/* The image itself, or a file apart, which is looked for once, when this is first called:
 * /usr/lib/debug/.build-id, then what .gnu_debuglink names, beside the program, in .debug and
 * below /usr/lib/debug, each in the root of the process and in ours. It is believed by its build
 * id, or by the checksum of the link. NULL, ERR_NOT_FOUND: there is none, and why. Borrowed
 * from img. */
const struct image *image_debug(const struct image *img, struct err *err);
/* Uses this file for the image that it belongs to, by its build id. ERR_SYS, ERR_CANNOT. */
MUST_CHECK bool images_use_debug_file(struct images *images, const char *path,
				      struct err *err);
/* As above, for one image; path is for people. fd is taken over. */
MUST_CHECK bool image_use_debug_fd(const struct image *img, int fd, const char *path,
				   struct err *err);
/* The name of the file that its debugging information was moved to (.gnu_debuglink), the
 * caller's; NULL: it says none. */
char *image_debug_link(const struct image *img);
/* What its debugging information takes when unpacked: the file may say any number. */
uint64_t image_debug_bytes(const struct image *img);

/* Img, which has debugging information itself, outlives it. NULL: ERR_LIMIT, more than
 * LIMIT_DEBUG_BYTES; ERR_BAD_DATA. */
struct image_unpacked;
struct image_unpacked *image_unpack(const struct image *img, struct err *err);
/* By the end of its name, "info". Empty: there is none. Valid until freed. */
struct bytes image_unpacked_section(struct image_unpacked *u, const char *name);
/* It is there, but cannot be unpacked. */
bool image_unpacked_damaged(struct image_unpacked *u, const char *name);
void image_unpacked_free(struct image_unpacked *u);

#endif
