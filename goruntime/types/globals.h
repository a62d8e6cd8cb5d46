/* SPDX-License-Identifier: Apache-2.0 */
/* globals.h - package variables, and whether there is debugging information that
 * describes them. */
#ifndef GOSNAP_GLOBALS_H
#define GOSNAP_GLOBALS_H

#include "goruntime/types/type.h"

/* A package variable: "main.config". ERR_NOT_FOUND. */
MUST_CHECK bool runtime_global(struct runtime *rt, const char *name, struct value *ret,
			       struct err *err);
/* Calls fn for each variable of the packages whose paths match the pattern (fnmatch(3)),
 * sorted by name; "": package main and its module. name is valid until fn returns. False:
 * err says why none are available. */
typedef void global_fn(void *arg, const char *name, const struct value *v);
MUST_CHECK bool runtime_each_global(struct runtime *rt, const char *packages,
				    global_fn *fn, void *arg, struct err *err);

/* Warns if debugging information is incomplete. Call before variables are printed. */
void runtimes_check_debug(struct runtimes *all);

#endif
