/* SPDX-License-Identifier: Apache-2.0 */
/* source_files.h - source files, by the paths that documents have. In the sandbox, the parent opens them:
 * regular files that are called like sources, where sources are. */
#ifndef GOSNAP_SOURCE_FILES_H
#define GOSNAP_SOURCE_FILES_H

#include "lib/base/util.h"

struct sandbox_service;
struct source_files;
struct source_places;

/* places: where the user has them. Borrowed. */
struct source_files *source_files_new(const struct source_places *places);
void source_files_free(struct source_files *files);
DEFINE_AUTO(struct source_files, source_files_free)

const struct sandbox_service *source_files_services(const struct source_files *files);

enum { SOURCE_BYTES_MAX = 4 << 20 };

/* Its text; NULL: it is not found. version: of Go, see source_paths.h. *ret_where: where it is, else what was tried, a path in each line. The caller
 * frees both. */
char *source_files_read(const struct source_files *files, const char *path,
			const char *version, char **ret_where);

#endif
