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

typedef int find_fn(void *client, const unsigned char *id, int id_len, char **path);

struct client {
	void *library, *self;
	void *(*begin)(void);
	find_fn *find_debug_info, *find_executable;
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
		{ "debuginfod_find_debuginfo", &c->find_debug_info },
		{ "debuginfod_find_executable", &c->find_executable },
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

/* What the server has with this build-id; -1: a warning says why there is no file. The caller
 * frees *ret_path. */
static int ask(struct client *c, find_fn *find, const char *build_id, const char *of,
	       char **ret_path, struct warnings *warnings)
{
	unsigned char id[64];
	size_t n = bytes_of(build_id, id, sizeof(id));
	int fd = find(c->self, id, (int)n, ret_path);

	if (fd >= 0)
		return fd;
	if (fd == -ENOENT)
		warnings_add(warnings, "debuginfod", "%s: no server has its %s", of,
			     find == c->find_executable ? "executable"
							: "debug information");
	else
		warnings_add(warnings, "debuginfod", "%s: %s", of,
			     fd == -ENOSYS ? "DEBUGINFOD_URLS is not set"
					   : strerror(-fd));
	return -1;
}

static void fetch(struct client *c, const struct image *img, struct warnings *warnings)
{
	char *path = NULL;
	struct err err;
	int fd = ask(c, c->find_debug_info, image_build_id(img), image_path(img), &path,
		     warnings);

	if (fd >= 0 && !image_use_debug_fd(img, fd, path, &err))
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

static bool open_client(struct client *c, struct warnings *warnings)
{
	c->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (c->library && find_functions(c))
		c->self = c->begin();
	if (!c->self)
		warnings_add(warnings, "debuginfod",
			     "cannot load %s (Debian package libdebuginfod1)", library);
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
		if (!opened && !open_client(&c, warnings))
			break;
		opened = true;
		fetch(&c, img, warnings);
	}
	if (c.self)
		c.end(c.self);
	/* Never unloaded: its dependencies do not support that. */
}

int debuginfod_executable(const char *build_id, const char *path, uint64_t until_ns,
			  struct warnings *warnings)
{
	struct client c = { .self = NULL };
	char *cached = NULL;
	int fd = -1;

	set_bound(until_ns);
	if (open_client(&c, warnings)) {
		fd = ask(&c, c.find_executable, build_id, path, &cached, warnings);
		c.end(c.self);
	}
	free(cached);
	return fd;
}
