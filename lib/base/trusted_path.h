/* SPDX-License-Identifier: Apache-2.0 */
/* trusted_path.h - where the name of something that we write to leads. Others may be able to write
 * to the folders on the way: its own folder is opened once, and a symbolic link, a pipe or a
 * device is used only if it cannot be theirs. A link in /proc is the kernel's: who names it wants
 * what the process has there. */
#ifndef GOSNAP_TRUSTED_PATH_H
#define GOSNAP_TRUSTED_PATH_H

#include <sys/stat.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct trusted_path {
	int descriptor; /* one that is open already, as of /dev/stdout; -1: a file */
	int folder;	/* O_PATH */
	char *name;	/* in that folder; not a symbolic link */
	int found;	/* O_PATH: what has this name; -1: nothing has */
	mode_t mode;	/* of what was found */
};

/* False: err says why; nothing is to be released. */
MUST_CHECK bool trusted_path_find(const char *path, struct trusted_path *ret,
				  struct err *err);
/* Or root's: a name that is not there may be made in it. */
bool trusted_path_folder_is_ours(const struct trusted_path *path);
void trusted_path_done(struct trusted_path *path);

#endif
