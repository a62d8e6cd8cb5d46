/* SPDX-License-Identifier: Apache-2.0 */
/* function_name.h - what a function is called in the source, whatever release compiled it and
 * whatever was inlined: names in a program's tables have numbers of closures, arguments of
 * types, folders and versions of modules. gosnap-group(1) has the rule. Knows how Go's
 * compilers name functions (cmd/compile/internal/ir/func.go closureName). */
#ifndef GOSNAP_FUNCTION_NAME_H
#define GOSNAP_FUNCTION_NAME_H

#include <stdbool.h>

#include "src/viewer/terminal/text.h"

enum function_kind {
	FUNCTION_OWN,	  /* of the program or a module that it uses */
	FUNCTION_LIBRARY, /* of Go's library, or what the program may call of the runtime */
	FUNCTION_RUNTIME, /* that the compiler calls, or the runtime itself */
	FUNCTION_WRAPPER, /* that the compiler made: it is not in the source */
};

/* Adds the name as the source has it. file: where the function is, as it may be inlined
 * into another package; NULL: not known. */
enum function_kind function_name_add(struct text *text, const char *name,
				     const char *file);

#endif
