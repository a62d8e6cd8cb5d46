/* SPDX-License-Identifier: Apache-2.0 */
/* trusted_path.h - resolves the path of an output file safely. Other users may be able
 * to write to folders along the path, so its parent folder is opened once, and a
 * symbolic link, pipe or device is used only if no other user can have put it there.
 * Links in /proc belong to the kernel: naming one means the file that the process has
 * open there. */
#ifndef GOSNAP_TRUSTED_PATH_H
#define GOSNAP_TRUSTED_PATH_H

#include <sys/stat.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct trusted_path {
	int descriptor; /* one already open, as for /dev/stdout; -1: use the file */
	int folder;	/* O_PATH */
	char *name;	/* in folder; never a symbolic link */
	int found;	/* O_PATH: what exists under this name; -1: nothing */
	mode_t mode;	/* of found */
};

/* False: err says why, and there is nothing to release. */
MUST_CHECK bool trusted_path_find(const char *path, struct trusted_path *ret,
				  struct err *err);
/* The folder is ours or root's, so a missing name may be created in it. */
bool trusted_path_folder_is_ours(const struct trusted_path *path);
void trusted_path_done(struct trusted_path *path);

#endif
