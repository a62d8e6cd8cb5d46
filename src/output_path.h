/* SPDX-License-Identifier: Apache-2.0 */
/* output_path.h - where the name of an output file leads. Others may be able to write to the
 * folders on the way: its own folder is opened once, and a symbolic link, a pipe or a device is
 * used only if it cannot be theirs. */
#ifndef GOSNAP_OUTPUT_PATH_H
#define GOSNAP_OUTPUT_PATH_H

#include <sys/stat.h>

#include "err.h"
#include "util.h"

struct output_path {
	int descriptor; /* one that is open already, as of /dev/stdout; -1: a file */
	int folder;	/* O_PATH */
	char *name;	/* in that folder; not a symbolic link */
	int found;	/* O_PATH: what has this name; -1: nothing has */
	mode_t mode;	/* of what was found */
};

/* False: err says why; nothing is to be released. */
MUST_CHECK bool output_path_find(const char *path, struct output_path *ret,
				 struct err *err);
void output_path_done(struct output_path *path);

#endif
