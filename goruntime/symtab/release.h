/* SPDX-License-Identifier: Apache-2.0 */
/* release.h - finds a Go runtime without build information, and the release that it is of: strip
 * tools, other linkers, packers and obfuscators leave none. Private to goruntime. */
#ifndef GOSNAP_RELEASE_H
#define GOSNAP_RELEASE_H

#include "goruntime/layout/build_info.h"
#include "goruntime/layout/layout.h"

/* The build information of img, and without, or without a version in it, what can be found out: the
 * version is that of runtime.buildVersion; else a release is inferred, as version_source says; else,
 * when the module data has no known shape, it is NULL. NULL and ERR_NOT_FOUND: there is no Go runtime
 * in img. */
struct build_info *build_info_find(struct target *t, const struct images *images,
				   const struct image *img, struct err *err);

/* No text in the program says the version. */
bool release_is_inferred(const struct build_info *build);
/* What was inferred is not the release whose row fits, or not the one that the user says. */
void release_correct(struct build_info *build, const struct layout *layout, bool told);

/* One sentence about what is not as usual; NULL: nothing is. Freed by the caller. */
char *release_doubt(const struct build_info *build, const struct layout *layout);

#endif
