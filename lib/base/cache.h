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
/* For processes that cannot open files: from now on, others do it. get: a descriptor to read, or -1. put:
 * takes a copy of what is in fd. */
struct cache_hands {
	int (*get)(const char *kind, const char *key);
	void (*put)(const char *kind, const char *key, int fd);
};
void cache_use_hands(const struct cache_hands *hands);

/* The bytes of an open file, of a size that a cached one can have; the caller frees them. NULL: not
 * so. */
void *cache_read(int fd, size_t *ret_len);

/* key: a file name. -1: not cached. */
int cache_get_file(struct cache *c, const char *key);
/* Likewise its contents. False: not cached. */
bool cache_get(struct cache *c, const char *key, struct cache_file *ret);
void cache_release(struct cache_file *file);
/* Keeps the most recently used files, LIMIT_CACHE_BYTES in total. */
void cache_put(struct cache *c, const char *key, const struct iovec *parts, int n);

#endif
