/* SPDX-License-Identifier: Apache-2.0 */
/* own_code.h - tells the code of the program, and of the modules that it uses, from Go's standard
 * library. Private to src/findings and its rooms. Knows frames only. */
#ifndef GOSNAP_OWN_CODE_H
#define GOSNAP_OWN_CODE_H

#include <limits.h>

#include "src/findings/findings.h"

struct own_code {
	/* Where the library's files are; "": not known. The last frame of a stack, which is in the
	 * runtime, has it, unless the program was built without paths. */
	char goroot[PATH_MAX];
};

/* Looks for goroot in a frame. */
void own_code_note(struct own_code *own, const struct code_frame *frame);
/* Looks for goroot in some stacks of the process. *ret begins as all zero. */
void own_code_find(struct own_code *ret, const struct findings_about *about);
/* Is it in the runtime, or in a package that others call to wait? */
bool own_code_is_of_go(const char *function);
/* By the name of a function or a type: is it of package main, or of a module whose path begins with a host,
 * as all but the program's own do? */
bool own_code_is_of_module(const char *name);
/* Returns false for Go's standard library, for C, and where that is not known. */
bool own_code_has(const struct own_code *own, const struct code_frame *frame);

#endif
