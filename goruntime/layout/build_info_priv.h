/* SPDX-License-Identifier: Apache-2.0 */
/* build_info_priv.h - reads build information. Format: debug/buildinfo/buildinfo.go and
 * runtime/debug/mod.go. Private to goruntime. */
#ifndef GOSNAP_BUILD_INFO_PRIV_H
#define GOSNAP_BUILD_INFO_PRIV_H

#include "goruntime/layout/build_info.h"
#include "lib/elf/image.h"
#include "lib/target/target.h"

/* The caller frees it. NULL and ERR_NOT_FOUND: this image was not built by the gc
 * toolchain. */
struct build_info *build_info_read(struct target *t, const struct image *img,
				   struct err *err);
/* The Go string at addr if it is a version, else NULL. The caller frees it. */
char *build_version_at(struct target *t, uint64_t addr);
void build_info_free(struct build_info *info);
DEFINE_AUTO(struct build_info, build_info_free)

/* 24 for "go1.24.4", "go1.24rc1", "devel go1.24-abc"; -1: not such a version. */
int version_minor(const char *version);

#endif
