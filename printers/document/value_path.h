/* SPDX-License-Identifier: Apache-2.0 */
/* value_path.h - finds a value by the user's expression: "main.config",
 * "main.config.Limits.Max", "main.users[3].Name", or an address with a type. */
#ifndef GOSNAP_VALUE_PATH_H
#define GOSNAP_VALUE_PATH_H

#include "printers/goroutine/print_goroutine.h"

/* Takes the longest prefix that names a package variable, then applies the fields and
 * indexes one by one, following pointers. *ret_path starts empty; the caller frees its
 * steps in any case. ERR_USAGE: invalid path; ERR_NOT_FOUND. */
MUST_CHECK bool value_by_path(struct runtime *rt, const char *path, struct value *ret,
			      struct value_path *ret_path, struct err *err);

#endif
