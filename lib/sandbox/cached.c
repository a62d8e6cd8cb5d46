/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: the sandbox has neither its folder nor the right to write there. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/base/cache.h"
#include "lib/sandbox/broker_priv.h"

enum {
	PUTS_MAX = 64, /* by one sandbox: a program has some ten images with names */
};

static bool ask_of(enum question_kind kind, const char *what, const char *key, int fd,
		   int *ret_fd)
{
	struct question q = { .kind = kind };
	struct answer a;
	size_t head = strlen(what) + 1, len = strlen(key);

	if (head + len >= sizeof(q.text))
		return false;
	memcpy(q.text, what, head);
	memcpy(q.text + head, key, len);
	q.len = (uint32_t)(head + len);
	return sandbox_ask(&q, fd, &a, ret_fd) && a.result >= 0;
}

static int get(const char *kind, const char *key)
{
	int fd = -1;

	return ask_of(ASK_CACHED, kind, key, -1, &fd) ? fd : -1;
}

static void put(const char *kind, const char *key, int fd)
{
	(void)!ask_of(ASK_CACHE, kind, key, fd, NULL);
}

void cached_begin(void)
{
	static const struct cache_hands hands = { get, put };

	cache_use_hands(&hands);
}

/* The only kind there is, and a name that is neither hidden nor elsewhere. */
static const char *key_of(const struct question *q)
{
	static const char kind[] = "names/v1";
	const char *key = q->text + sizeof(kind);

	if (q->len <= sizeof(kind) || memcmp(q->text, kind, sizeof(kind)) != 0)
		return NULL;
	const size_t len = strlen(key);
	if (len != q->len - sizeof(kind) || len > NAME_MAX || *key == '.')
		return NULL;
	for (const char *c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return NULL;
	return key;
}

static int keep(struct cache *cache, const char *key, int fd)
{
	size_t len;
	AUTO(xfree) void *bytes = fd < 0 ? NULL : cache_read(fd, &len);

	if (!bytes)
		return -EINVAL;
	const struct iovec part = { bytes, len };
	cache_put(cache, key, &part, 1);
	return 0;
}

void cached_serve(struct cached *c, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	const char *key = key_of(q);

	ret->result = -EACCES;
	if (!c->allowed || !key)
		return;
	if (!c->opened)
		c->cache = cache_open("names/v1");
	c->opened = true;
	if (!c->cache)
		return;
	if (q->kind == ASK_CACHED) {
		*ret_fd = cache_get_file(c->cache, key);
		ret->result = *ret_fd < 0 ? -ENOENT : 0;
	} else if (c->puts++ < PUTS_MAX) {
		ret->result = keep(c->cache, key, fd);
	}
}
