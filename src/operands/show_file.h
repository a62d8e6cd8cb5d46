/* SPDX-License-Identifier: Apache-2.0 */
/* show_file.h - prints a document that is a file or in the spool. */
#ifndef GOSNAP_SHOW_FILE_H
#define GOSNAP_SHOW_FILE_H

#include <stdbool.h>

struct err;
struct view;

/* Opens a document: a file, "-", or an id in the spool. *ret_name: as messages call it; the
 * caller frees it. -1: err. */
int show_find(const char *path, char **ret_name, struct err *err);
/* path: a file, "-", or an id in the spool. Returns the exit status. */
int show_file(const char *path, const struct view *view, bool no_sandbox);

#endif
