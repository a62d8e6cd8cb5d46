/* SPDX-License-Identifier: Apache-2.0 */
/* options_file.h - options in a file, one on a line: "exe=/usr/bin/shop", or "all". Empty lines and those that
 * begin with # are for people. */
#ifndef GOSNAP_OPTIONS_FILE_H
#define GOSNAP_OPTIONS_FILE_H

#include "src/options/options.h"

/* Returns what arguments point into then: xfree() it after them. NULL: err says what is wrong, and in which
 * line. */
char *options_read_file(const struct command *command, const char *path, void *arguments,
			struct err *err);

#endif
