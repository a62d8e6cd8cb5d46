/* SPDX-License-Identifier: Apache-2.0 */
/* debug.h - the debugging information of a runtime's modules, opened when a type or
 * variable is first needed. A plugin has its own. Private to goruntime. */
#ifndef GOSNAP_DEBUG_H
#define GOSNAP_DEBUG_H

#include "goruntime/symtab/module.h"
#include "goruntime/types/type_priv.h"

/* Results are borrowed until runtimes_close(). False: there is none; err says why. */
MUST_CHECK bool debug_of_module(struct runtime *rt, const struct module *m,
				struct dwarf **ret_dwarf, struct types **ret_types,
				struct err *err);
void debug_free(struct runtime *rt);

#endif
