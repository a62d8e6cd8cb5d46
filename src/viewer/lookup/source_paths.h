/* SPDX-License-Identifier: Apache-2.0 */
/* source_paths.h - where on this machine the source file may be that a document names: paths to try, the best
 * first. Knows where Go keeps sources, by its settings; opens none of them. */
#ifndef GOSNAP_SOURCE_PATHS_H
#define GOSNAP_SOURCE_PATHS_H

#include "lib/base/err.h"
#include "lib/base/util.h"

/* What the user says. Zero it; the owner calls source_places_done(). */
struct source_places {
	const char *folder; /* with the program's sources; NULL: none. Borrowed */
	struct source_map *maps;
	size_t count, cap;
};

/* "FROM=TO": whole elements of a path that begins with FROM are TO here. Borrowed. ERR_USAGE */
MUST_CHECK bool source_places_map(struct source_places *places, const char *words,
				  struct err *err);
void source_places_done(struct source_places *places);

/* Where Go keeps the sources of modules and of itself: lists of folders. NULL: unknown. */
struct go_folders {
	char *goroot, *gopath, *cache;
	char *sdk; /* where golang.org/dl puts each release */
};
/* As `go env` has them, whether by the environment or by `go env -w`; done is its counterpart. */
void go_folders_read(struct go_folders *folders);
void go_folders_done(struct go_folders *folders);

/* Zero it; the owner calls source_paths_done(). */
struct source_paths {
	char **all;
	size_t count, cap;
};

/* version: of the Go that built the program, as "go1.24.4"; NULL or another text: unknown. */
void source_paths_fill(struct source_paths *paths, const struct source_places *places,
		       const struct go_folders *go, const char *path,
		       const char *version);
void source_paths_done(struct source_paths *paths);

/* So that no document names a file that is none of its program. */
bool source_path_is_one(const char *path);

#endif
