/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h - on-disk cache of facts derived from a build: one file per key, in a folder of
 * the user's. Folders and files that another user owns or can write to are neither used
 * nor changed, and their symbolic links are not followed. Nothing here reports errors:
 * what cannot be cached is computed again. Files are replaced, never modified. Their
 * contents are as untrusted as any other input. */
#ifndef GOSNAP_CACHE_H
#define GOSNAP_CACHE_H

#include <sys/uio.h>

#include "lib/base/util.h"

struct cache;

/* kind, such as "names/v1": a folder in $XDG_CACHE_HOME/gosnap or ~/.cache/gosnap. NULL:
 * no usable folder. */
struct cache *cache_open(const char *kind);
void cache_close(struct cache *c);
DEFINE_AUTO(struct cache, cache_close)

struct cache_file {
	const void *bytes; /* a copy: the file may change or be truncated */
	size_t len;
};
/* key: a file name. False: not cached. */
bool cache_get(struct cache *c, const char *key, struct cache_file *ret);
void cache_release(struct cache_file *file);
/* Keeps the most recently used files, LIMIT_CACHE_BYTES in total. */
void cache_put(struct cache *c, const char *key, const struct iovec *parts, int n);

#endif
