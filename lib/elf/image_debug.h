/* SPDX-License-Identifier: Apache-2.0 */
/* image_debug.h - finds the debug info of an image, in the file itself or in a
 * separate file, and decompresses its sections. Does not parse them, and never uses
 * the network. */
#ifndef GOSNAP_IMAGE_DEBUG_H
#define GOSNAP_IMAGE_DEBUG_H

#include "lib/base/bytes.h"
#include "lib/elf/image.h"

/* The image itself or a separate file, which is searched for on the first call:
 * /usr/lib/debug/.build-id, then the name in .gnu_debuglink beside the program, in .debug
 * and below /usr/lib/debug, each in the process's root and in ours. It must match the
 * build-id or the link's checksum. NULL: ERR_NOT_FOUND with the reason. Borrowed from
 * img. */
const struct image *image_debug(const struct image *img, struct err *err);
/* Uses this file for the image with the same build-id. ERR_SYS, ERR_CANNOT. */
MUST_CHECK bool images_use_debug_file(struct images *images, const char *path,
				      struct err *err);
/* Likewise, for one image; path is for messages. Takes ownership of fd. */
MUST_CHECK bool image_use_debug_fd(const struct image *img, int fd, const char *path,
				   struct err *err);
/* The file name in .gnu_debuglink; the caller frees it. NULL: none. */
char *image_debug_link(const struct image *img);

/* img must have debug info itself, and outlive the result. NULL: ERR_LIMIT, more than
 * LIMIT_DEBUG_BYTES; ERR_BAD_DATA. */
struct image_unpacked;
struct image_unpacked *image_unpack(const struct image *img, struct err *err);
/* By the suffix of its name, such as "info". Empty: none. Valid until freed. */
struct bytes image_unpacked_section(struct image_unpacked *u, const char *name);
/* Present, but cannot be decompressed. */
bool image_unpacked_damaged(struct image_unpacked *u, const char *name);
void image_unpacked_free(struct image_unpacked *u);

#endif
