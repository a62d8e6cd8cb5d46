/* SPDX-License-Identifier: Apache-2.0 */
/* install_files.h - the files that install.c writes, each whole or not at all; and those of the kernel. */
#ifndef GOSNAP_INSTALL_FILES_H
#define GOSNAP_INSTALL_FILES_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/install/install.h"

/* Without the newline at the end. */
MUST_CHECK bool install_read(const char *path, char *ret, size_t size, struct err *err);
/* A value of the kernel's, in one write. */
MUST_CHECK bool install_set(const char *path, const char *value, struct err *err);
/* Makes its folder, if that is missing. */
MUST_CHECK bool install_write(const char *path, const char *text, mode_t mode,
			      struct err *err);
bool install_has(const char *path, const char *text);
/* If it is there; and what an install_write() that was killed has left of it. */
MUST_CHECK bool install_remove(const char *path, bool dry_run, install_say_fn *say,
			       struct err *err);

#endif
