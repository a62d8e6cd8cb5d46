/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h - what was found out about a build, kept on disk for the next time: a file for each key
 * in a folder of the user's. What is another user's, or another one may write to, is neither used
 * nor touched, and no link of his is followed. Nothing here fails: what cannot be kept is found out
 * again. Files are replaced, never changed. Their bytes are to be doubted like any others. */
#ifndef GOSNAP_CACHE_H
#define GOSNAP_CACHE_H

#include <sys/uio.h>

#include "lib/base/util.h"

struct cache;

/* kind: "names/v1", a folder in $XDG_CACHE_HOME/gosnap or ~/.cache/gosnap. NULL: there is none to
 * be had. */
struct cache *cache_open(const char *kind);
void cache_close(struct cache *c);
DEFINE_AUTO(struct cache, cache_close)

struct cache_file {
	const void *bytes; /* a copy: the file may change or become shorter */
	size_t len;
};
/* key: a name of a file. False: there is none. */
bool cache_get(struct cache *c, const char *key, struct cache_file *ret);
void cache_release(struct cache_file *file);
/* Of all files together LIMIT_CACHE_BYTES are kept, those that were used last. */
void cache_put(struct cache *c, const char *key, const struct iovec *parts, int n);

#endif
