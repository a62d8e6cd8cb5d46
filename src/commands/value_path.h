/* SPDX-License-Identifier: Apache-2.0 */
/* value_path.h - what a person calls a value: "main.config", "main.config.Limits.Max",
 * "main.users[3].Name", or an address with a type. */
#ifndef GOSNAP_VALUE_PATH_H
#define GOSNAP_VALUE_PATH_H

#include "printers/printers.h"

/* The longest beginning of the path that is a package's variable, then field by field;
 * pointers on the way are followed. ret_path begins empty, and its steps are the caller's to free,
 * in any case. ERR_USAGE: the path cannot be meant; ERR_NOT_FOUND. */
MUST_CHECK bool value_by_path(struct runtime *rt, const char *path, struct value *ret,
			      struct value_path *ret_path, struct err *err);

#endif
