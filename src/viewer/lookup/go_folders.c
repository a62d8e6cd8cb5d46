/* SPDX-License-Identifier: Apache-2.0 */
/* go_folders.c - the settings of `go env`, without running it: of the environment, of the file of `go env -w`,
 * or what Go takes where neither has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/viewer/lookup/source_paths.h"

enum { SETTING_BYTES = 4096 };

static FILE *open_settings(void)
{
	const char *own = getenv("GOENV"), *config = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");
	AUTO(xfree)
	char *usual = config && *config
			      ? xasprintf("%s/go/env", config)
			      : xasprintf("%s/.config/go/env", home ? home : "");

	return fopen(own && *own ? own : usual, "re");
}

/* "NAME=VALUE" of that file; NULL: it has none. The caller frees it. */
static char *setting_of(const char *name)
{
	char line[SETTING_BYTES];
	const size_t len = strlen(name);
	FILE *file = open_settings();
	char *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file))
		if (strncmp(line, name, len) == 0 && line[len] == '=')
			found = xstrndup(line + len + 1, strcspn(line + len + 1, "\r\n"));
	if (file)
		fclose(file);
	return found;
}

static char *find(const char *name)
{
	const char *own = getenv(name);

	return own && *own ? xstrdup(own) : setting_of(name);
}

/* Two folders above the program `go`, as it finds it itself. NULL: there is none. */
static char *above_go(void)
{
	const char *at = getenv("PATH");
	char *found = NULL;

	for (size_t n; at && *at && !found; at += n + (at[n] == ':')) {
		n = strcspn(at, ":");
		AUTO(xfree) char *path = xasprintf("%.*s/go", (int)n, at);
		if (*at != '/' || access(path, X_OK) != 0)
			continue;
		char *real = xrealpath(path), *end = strstr(real, "/bin/go");
		if (end && end != real && !end[strlen("/bin/go")]) {
			*end = '\0';
			found = xstrdup(real);
		}
		xfree(real);
	}
	return found;
}

static char *below_home(const char *name)
{
	const char *home = getenv("HOME");

	return home && *home == '/' ? xasprintf("%s/%s", home, name) : NULL;
}

void go_folders_read(struct go_folders *folders)
{
	AUTO(xfree) char *root = find("GOROOT"), *above = above_go();

	folders->goroot = xasprintf("%s:%s:/usr/lib/go:/usr/local/go", root ? root : "",
				    above ? above : "");
	folders->gopath = find("GOPATH");
	if (!folders->gopath)
		folders->gopath = below_home("go");
	folders->sdk = below_home("sdk");
	folders->cache = find("GOMODCACHE");
}

void go_folders_done(struct go_folders *folders)
{
	xfree(folders->goroot);
	xfree(folders->gopath);
	xfree(folders->cache);
	xfree(folders->sdk);
	*folders = (struct go_folders){ .goroot = NULL };
}
