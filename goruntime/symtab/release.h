/* SPDX-License-Identifier: Apache-2.0 */
/* release.h - finds a Go runtime without build information, and infers its release: strip
 * tools, other linkers, packers and obfuscators remove it. Private to goruntime. */
#ifndef GOSNAP_RELEASE_H
#define GOSNAP_RELEASE_H

#include "goruntime/layout/build_info.h"
#include "goruntime/layout/layout.h"

/* The build information of img. If there is none, or it has no version, the version is
 * runtime.buildVersion, else an inferred release (version_source says which), else NULL,
 * when the moduledata has no known shape. The caller frees the result. NULL and
 * ERR_NOT_FOUND: no Go runtime in img. */
struct build_info *build_info_find(struct target *t, const struct images *images,
				   const struct image *img, struct err *err);

/* Is the version inferred, as no text in the program has it? */
bool release_is_inferred(const struct build_info *build);
/* Replaces an inferred release by the one whose row fits. told: that row is the user's
 * choice. */
void release_correct(struct build_info *build, const struct layout *layout, bool told);

/* One sentence about what is unusual; NULL: nothing. The caller frees it. */
char *release_doubt(const struct build_info *build, const struct layout *layout);

#endif
