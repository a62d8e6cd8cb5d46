/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/warnings.h"
#include "lib/elf/image_debug.h"
#include "lib/sandbox/downloader.h"

/* From elfutils; loaded only on demand: it depends on a dozen libraries. */
static const char library[] = "libdebuginfod.so.1";
#define NO_LIBRARY "cannot load %s (Debian package libdebuginfod1)"

enum { SECONDS_MAX = 24 * 3600 };

typedef int find_fn(void *client, const unsigned char *id, int id_len, char **path);

struct client {
	void *library, *self;
	void *(*begin)(void);
	find_fn *find_debug_info, *find_executable;
	void (*end)(void *client);
	uint64_t until_ns;
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

/* Of *ret_path, which the caller frees, too; negative: of errno. */
static int find_bytes(struct client *c, enum question_kind what, const unsigned char *id,
		      size_t n, char **ret_path)
{
	find_fn *find = what == ASK_EXECUTABLE ? c->find_executable : c->find_debug_info;

	if (n == 0)
		return -EINVAL; /* it would be taken for text */
	return find(c->self, id, (int)n, ret_path);
}

static int find_here(struct client *c, enum question_kind what, const char *build_id,
		     char **ret_path)
{
	unsigned char id[64];
	size_t n = bytes_of(build_id, id, sizeof(id));

	return find_bytes(c, what, id, n, ret_path);
}

static int seconds_until(uint64_t until_ns)
{
	uint64_t now = monotonic_ns(), left = until_ns > now ? until_ns - now : 0;

	return (int)(left / 1000000000) + 1;
}

/* *ret_said: in words, if there are any. */
static int find_by_parent(enum question_kind what, const char *build_id,
			  uint64_t until_ns, char **ret_path, char **ret_said)
{
	struct question q = { .kind = what, .number = seconds_until(until_ns) };
	struct answer a;
	int fd = -1;

	q.len = (uint32_t)strnlen(build_id, sizeof(q.text) - 1);
	memcpy(q.text, build_id, q.len);
	if (!sandbox_ask(&q, -1, &a, &fd))
		return -EIO;
	*(fd < 0 ? ret_said : ret_path) = a.len ? xstrndup(a.bytes, a.len) : NULL;
	return fd < 0 && a.result >= 0 ? -EIO : fd < 0 ? a.result : fd;
}

static void warn(struct warnings *warnings, enum question_kind what, const char *of,
		 int error, const char *said)
{
	if (error == ELIBACC)
		warnings_add(warnings, "debuginfod", NO_LIBRARY, library);
	else if (error == ENOENT)
		warnings_add(warnings, "debuginfod", "%s: no server has its %s", of,
			     what == ASK_EXECUTABLE ? "executable" : "debug information");
	else
		warnings_add(warnings, "debuginfod", "%s: %s", of,
			     said	       ? said
			     : error == ENOSYS ? "DEBUGINFOD_URLS is not set"
					       : strerror(error));
}

/* What the server has with this build-id; -1: a warning says why there is no file. The caller
 * frees *ret_path. */
static int ask(struct client *c, enum question_kind what, const char *build_id,
	       const char *of, char **ret_path, struct warnings *warnings)
{
	AUTO(xfree) char *said = NULL;
	int fd = sandbox_is_closed()
			 ? find_by_parent(what, build_id, c->until_ns, ret_path, &said)
			 : find_here(c, what, build_id, ret_path);

	if (fd >= 0)
		return fd;
	warn(warnings, what, of, -fd, said);
	return -1;
}

static void fetch(struct client *c, const struct image *img, struct warnings *warnings)
{
	char *path = NULL;
	struct err err;
	int fd = ask(c, ASK_DEBUG_FILE, image_build_id(img), image_path(img), &path,
		     warnings);

	if (fd >= 0 && !image_use_debug_fd(img, fd, path, &err))
		warnings_add(warnings, "debuginfod", "%s", err.text);
	free(path);
}

/* The library takes its timeout, per file, from the environment. */
static void set_bound(int seconds)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", seconds);
	setenv("DEBUGINFOD_MAXTIME", text, 0);
}

static bool is_wanted(const struct runtimes *all, const struct image *img)
{
	struct err ignored;

	return *image_build_id(img) && runtimes_have_module_in(all, img) &&
	       !image_debug(img, &ignored);
}

static bool load_client(struct client *c)
{
	c->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (c->library && find_functions(c))
		c->self = c->begin();
	return c->self != NULL;
}

static bool open_client(struct client *c, uint64_t until_ns, struct warnings *warnings)
{
	c->until_ns = until_ns;
	if (sandbox_is_closed())
		return true;
	set_bound(seconds_until(until_ns));
	if (load_client(c))
		return true;
	warnings_add(warnings, "debuginfod", NO_LIBRARY, library);
	return false;
}

static void close_client(struct client *c)
{
	if (c->self)
		c->end(c->self);
	/* Never unloaded: its dependencies do not support that. */
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
		if (!opened && !open_client(&c, until_ns, warnings))
			break;
		opened = true;
		fetch(&c, img, warnings);
	}
	close_client(&c);
}

int debuginfod_executable(const char *build_id, const char *path, uint64_t until_ns,
			  struct warnings *warnings)
{
	struct client c = { .self = NULL };
	char *cached = NULL;
	int fd = -1;

	if (open_client(&c, until_ns, warnings))
		fd = ask(&c, ASK_EXECUTABLE, build_id, path, &cached, warnings);
	close_client(&c);
	free(cached);
	return fd;
}

/* In the child that downloads, which answers one question after the other. */
static int get(const struct download *wanted, char *ret_path, size_t size)
{
	static struct client client;
	char *path = NULL;

	if (!client.self) {
		set_bound((int)wanted->seconds);
		if (!load_client(&client))
			return -ELIBACC;
	}
	int fd = find_bytes(&client, wanted->kind, wanted->id, wanted->id_len, &path);
	snprintf(ret_path, size, "%s", path ? path : "");
	free(path);
	return fd;
}

struct debuginfod_host {
	struct downloader *downloader;
	struct sandbox_service services[3];
};

static void serve(void *arg, const struct question *q, int with, struct answer *ret,
		  int *ret_fd)
{
	struct debuginfod_host *host = arg;
	struct download wanted = { .kind = q->kind, .seconds = (uint32_t)q->number };

	(void)with, (void)ret_fd;
	if (strnlen(q->text, sizeof(q->text)) != q->len || q->len % 2 ||
	    q->len > 2 * sizeof(wanted.id) ||
	    strspn(q->text, "0123456789abcdef") != q->len || q->number < 0 ||
	    q->number > SECONDS_MAX) {
		ret->result = -EINVAL;
		return;
	}
	wanted.id_len = (uint32_t)bytes_of(q->text, wanted.id, sizeof(wanted.id));
	downloader_ask(host->downloader, &wanted, ret);
}

static bool finish(void *arg, struct answer *ret, int *ret_fd,
		   struct answer_wait *ret_wait)
{
	struct debuginfod_host *host = arg;

	return downloader_finish(host->downloader, ret, ret_fd, ret_wait);
}

/* Where the library keeps what it gets, as it decides itself, and stays with. */
static char *cache_folder(void)
{
	const char *given = getenv("DEBUGINFOD_CACHE_PATH"),
		   *home = getenv("HOME") ? getenv("HOME") : "/",
		   *caches = getenv("XDG_CACHE_HOME");
	AUTO(xfree) char *former = xasprintf("%s/.debuginfod_client_cache", home);

	if (given && *given)
		return xstrdup(given);
	if (access(former, F_OK) == 0)
		return TAKE(former);
	return caches && *caches ? xasprintf("%s/debuginfod_client", caches)
				 : xasprintf("%s/.cache/debuginfod_client", home);
}

struct debuginfod_host *debuginfod_host_new(uint64_t total_ns)
{
	struct debuginfod_host *host = xcalloc(1, sizeof(*host));
	AUTO(xfree) char *folder = cache_folder();

	host->downloader = downloader_new(folder, get, total_ns);
	host->services[0] =
		(struct sandbox_service){ ASK_DEBUG_FILE, serve, host, finish };
	host->services[1] =
		(struct sandbox_service){ ASK_EXECUTABLE, serve, host, finish };
	return host;
}

const struct sandbox_service *debuginfod_host_services(const struct debuginfod_host *host)
{
	return host->services;
}

void debuginfod_host_renew(struct debuginfod_host *host)
{
	downloader_renew(host->downloader);
}

void debuginfod_host_free(struct debuginfod_host *host)
{
	if (!host)
		return;
	downloader_free(host->downloader);
	xfree(host);
}
