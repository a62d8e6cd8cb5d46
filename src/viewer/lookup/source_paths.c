/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/lookup/source_paths.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "src/viewer/terminal/text.h"

struct source_map {
	const char *from, *to;
	size_t len; /* of from */
};

bool source_places_map(struct source_places *places, const char *words, struct err *err)
{
	const char *equals = strchr(words, '=');
	size_t len = equals ? (size_t)(equals - words) : 0;

	while (len > 1 && words[len - 1] == '/')
		len--;
	if (!len || !equals[1])
		return err_set(err, ERR_USAGE,
			       "--source-map requires FROM=TO, not %.100s", words);
	GROW(places->maps, places->count, places->cap);
	places->maps[places->count++] = (struct source_map){ words, equals + 1, len };
	return true;
}

void source_places_done(struct source_places *places)
{
	xfree(places->maps);
	*places = (struct source_places){ .folder = NULL };
}

bool source_path_is_one(const char *path)
{
	static const char *const ends[] = {
		".go", ".s", ".c", ".h", ".cc", ".cpp", ".S"
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(ends); i++)
		if (strcmp(dot, ends[i]) == 0)
			return !strstr(path, "/../") && strncmp(path, "../", 3) != 0;
	return false;
}

/* Takes the path. */
static void add(struct source_paths *paths, char *path)
{
	for (size_t i = 0; i < paths->count; i++) {
		if (strcmp(paths->all[i], path) != 0)
			continue;
		xfree(path);
		return;
	}
	GROW(paths->all, paths->count, paths->cap);
	paths->all[paths->count++] = path;
}

/* Below each folder of a list. */
static void add_below(struct source_paths *paths, const char *folders, const char *within,
		      const char *path)
{
	for (size_t n; folders && *folders; folders += n + (folders[n] == ':')) {
		n = strcspn(folders, ":");
		if (*folders == '/')
			add(paths, xasprintf("%.*s%s/%s", (int)n, folders, within, path));
	}
}

/* After the path of a module, there may be its version: "@v1.4.2". NULL: the path is another. */
static const char *rest_after(const struct source_map *map, const char *path)
{
	if (strncmp(path, map->from, map->len) != 0)
		return NULL;
	path += map->len;
	if (*path == '@')
		path += strcspn(path, "/");
	return *path == '/' ? path + 1 : map->len == 1 && *map->from == '/' ? path : NULL;
}

static void add_mapped(struct source_paths *paths, const struct source_places *places,
		       const char *path)
{
	for (size_t i = 0; i < places->count; i++) {
		const char *rest = rest_after(&places->maps[i], path);
		if (rest)
			add(paths, xasprintf("%s/%s", places->maps[i].to, rest));
	}
}

/* With as many of its last elements as possible. The name alone, which others have too, comes last of all
 * that is tried. */
static void add_in_folder(struct source_paths *paths, const char *folder,
			  const char *path)
{
	path += strspn(path, "/");
	for (const char *slash; folder && (slash = strchr(path, '/')); path = slash + 1)
		add(paths, xasprintf("%s/%s", folder, path));
}

/* Folders of the cache have "!a" for "A". The caller frees it. */
static char *as_in_cache(const char *path)
{
	const char *version = strchr(path, '@');
	struct text text = { .words = NULL };

	for (; *path; path++) {
		const bool escaped = path < version + strcspn(version, "/") &&
				     isupper((unsigned char)*path);
		const char two[] = { '!', (char)tolower((unsigned char)*path) };
		text_append(&text, escaped ? two : path, escaped ? 2 : 1);
	}
	return text.words;
}

/* "github.com/acme/ledger@v1.4.2/book.go", with anything before it. */
static void add_in_cache(struct source_paths *paths, const struct go_folders *go,
			 const char *path)
{
	static const char cache[] = "/pkg/mod/";
	const char *within = strstr(path, cache);

	if (within)
		path = within + strlen(cache);
	if (!strchr(path, '@') || *path == '/')
		return;
	AUTO(xfree) char *escaped = as_in_cache(path);
	add_below(paths, go->cache, "", escaped);
	add_below(paths, go->gopath, "/pkg/mod", escaped);
}

/* Part of a path. */
static bool is_release(const char *version)
{
	return version && strncmp(version, "go1.", 4) == 0 &&
	       !version[strspn(version, "abcdefghijklmnopqrstuvwxyz0123456789.")];
}

/* Where Go and distributions put the sources of one release. */
static void add_in_release(struct source_paths *paths, const struct go_folders *go,
			   const char *version, const char *path)
{
	static const char *const machines[] = { "amd64", "arm64" };
	const size_t minor = strcspn(version + strlen("go1."), ".") + strlen("go1.");

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		AUTO(xfree)
		char *within =
			xasprintf("/pkg/mod/golang.org/toolchain@v0.0.1-%s.linux-%s/src",
				  version, machines[i]);
		add_below(paths, go->cache, within + strlen("/pkg/mod"), path);
		add_below(paths, go->gopath, within, path);
	}
	AUTO(xfree) char *src = xasprintf("/%s/src", version);
	add_below(paths, go->sdk, src, path);
	add_below(paths, "/usr/local", src, path);
	add(paths, xasprintf("/usr/lib/go-%.*s/src/%s", (int)(minor - strlen("go")),
			     version + strlen("go"), path));
}

/* "runtime/proc.go" of -trimpath, and "/usr/lib/go-1.19/src/runtime/proc.go" of another machine. */
static void add_in_go(struct source_paths *paths, const struct go_folders *go,
		      const char *path, const char *version)
{
	const char *src = strstr(path, "/src/");

	if (src)
		path = src + strlen("/src/");
	if (*path == '/' || strchr(path, '@') || !strchr(path, '/'))
		return;
	if (is_release(version))
		add_in_release(paths, go, version, path);
	add_below(paths, go->goroot, "/src", path);
	add_below(paths, go->gopath, "/src", path);
}

void source_paths_fill(struct source_paths *paths, const struct source_places *places,
		       const struct go_folders *go, const char *path, const char *version)
{
	const char *name = strrchr(path, '/');

	add_mapped(paths, places, path);
	add_in_folder(paths, places->folder, path);
	if (*path == '/')
		add(paths, xstrdup(path));
	add_in_cache(paths, go, path);
	add_in_go(paths, go, path, version);
	if (places->folder)
		add(paths, xasprintf("%s/%s", places->folder, name ? name + 1 : path));
}

void source_paths_done(struct source_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		xfree(paths->all[i]);
	xfree(paths->all);
	*paths = (struct source_paths){ .all = NULL };
}
