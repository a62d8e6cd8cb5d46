/* SPDX-License-Identifier: Apache-2.0 */
/* gzip.h - compresses what is in memory as a whole. */
#ifndef GOSNAP_GZIP_H
#define GOSNAP_GZIP_H

#include <stddef.h>

/* The caller frees it. */
void *gzip_compress(const void *bytes, size_t len, size_t *ret_len);

#endif
