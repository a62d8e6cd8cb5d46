/* SPDX-License-Identifier: Apache-2.0 */
/* globals.h - the variables of packages, and whether there is debugging information that knows them. */
#ifndef GOSNAP_GLOBALS_H
#define GOSNAP_GLOBALS_H

#include "goruntime/types/type.h"

/* A package's variable, "main.config". ERR_NOT_FOUND. */
MUST_CHECK bool runtime_global(struct runtime *rt, const char *name, struct value *ret,
			       struct err *err);
/* All of the packages whose paths match the pattern (fnmatch(3)), sorted by name; "": of main and of
 * its module. False: err says why none can be had. name: valid during the call. */
typedef void global_fn(void *arg, const char *name, const struct value *v);
MUST_CHECK bool runtime_each_global(struct runtime *rt, const char *packages,
				    global_fn *fn, void *arg, struct err *err);

/* Warns of debugging information that cannot tell what it should. Before variables are printed. */
void runtimes_check_debug(struct runtimes *all);

#endif
