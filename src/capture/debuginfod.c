/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/warnings.h"
#include "lib/elf/image_debug.h"

/* From elfutils; loaded only on demand: it depends on a dozen libraries. */
static const char library[] = "libdebuginfod.so.1";

struct client {
	void *library, *self;
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int id_len, char **path);
	void (*end)(void *client);
};

static bool find_functions(struct client *c)
{
	/* POSIX lets dlsym() return functions as data pointers. */
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{ "debuginfod_begin", &c->begin },
		{ "debuginfod_find_debuginfo", &c->find },
		{ "debuginfod_end", &c->end },
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *found = dlsym(c->library, functions[i].name);
		if (!found)
			return false;
		memcpy(functions[i].to, &found, sizeof(found));
	}
	return true;
}

static size_t bytes_of(const char *hex, unsigned char *ret, size_t max)
{
	size_t n = 0;

	for (; hex[0] && hex[1] && n < max; hex += 2) {
		char digits[] = { hex[0], hex[1], 0 };
		ret[n++] = (unsigned char)strtoul(digits, NULL, 16);
	}
	return n;
}

static void fetch(struct client *c, const struct image *img, struct warnings *warnings)
{
	unsigned char id[64];
	char *path = NULL;
	struct err err;
	size_t n = bytes_of(image_build_id(img), id, sizeof(id));
	int fd = c->find(c->self, id, (int)n, &path);

	if (fd < 0)
		warnings_add(warnings, "debuginfod", "%s: %s", image_path(img),
			     fd == -ENOSYS   ? "DEBUGINFOD_URLS is not set"
			     : fd == -ENOENT ? "no server has its debug information"
					     : strerror(-fd));
	else if (!image_use_debug_fd(img, fd, path, &err))
		warnings_add(warnings, "debuginfod", "%s", err.text);
	free(path);
}

/* The library takes its timeout, per file, from the environment. */
static void set_bound(uint64_t until_ns)
{
	uint64_t now = monotonic_ns(), left = until_ns > now ? until_ns - now : 0;
	char seconds[32];

	snprintf(seconds, sizeof(seconds), "%llu",
		 (unsigned long long)(left / 1000000000 + 1));
	setenv("DEBUGINFOD_MAXTIME", seconds, 0);
}

static bool is_wanted(const struct runtimes *all, const struct image *img)
{
	struct err ignored;

	return *image_build_id(img) && runtimes_have_module_in(all, img) &&
	       !image_debug(img, &ignored);
}

static bool open_client(struct client *c)
{
	c->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!c->library || !find_functions(c))
		return false;
	c->self = c->begin();
	return c->self != NULL;
}

void debuginfod_fetch(const struct runtimes *all, struct images *images,
		      uint64_t until_ns, struct warnings *warnings)
{
	struct client c = { .self = NULL };
	bool opened = false;

	for (size_t i = 0; i < images_count(images); i++) {
		const struct image *img = images_get(images, i);
		if (!is_wanted(all, img) || monotonic_ns() > until_ns)
			continue;
		set_bound(until_ns);
		if (!opened && !open_client(&c)) {
			warnings_add(warnings, "debuginfod",
				     "cannot load %s (Debian package libdebuginfod1)",
				     library);
			break;
		}
		opened = true;
		fetch(&c, img, warnings);
	}
	if (c.self)
		c.end(c.self);
	/* Never unloaded: its dependencies do not support that. */
}
