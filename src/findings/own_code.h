/* SPDX-License-Identifier: Apache-2.0 */
/* own_code.h - tells the code of the program, and of the modules that it uses, from Go's standard
 * library. Private to src/findings and its rooms. Knows frames only. */
#ifndef GOSNAP_OWN_CODE_H
#define GOSNAP_OWN_CODE_H

#include <limits.h>

#include "src/findings/findings.h"

struct own_code {
	/* The folder of the library's files; "": not known. It is the beginning of a file
	 * name in the last frame of a stack, which is in the runtime, unless the program
	 * was built without paths. */
	char goroot[PATH_MAX];
};

/* Looks for goroot in a frame. */
void own_code_note(struct own_code *own, const struct code_frame *frame);
/* Looks for goroot in some stacks of the process. *ret begins as all zero. */
void own_code_find(struct own_code *ret, const struct findings_about *about);
/* Is a function in the runtime, or in a package that others call to wait, or has cgo
 * written it? */
bool own_code_is_of_go(const char *function);
/* By its name, is a function or a type of package main, or of a module whose path begins
 * with a host? The paths of all modules do, except perhaps that of the program's own. */
bool own_code_is_of_module(const char *name);
/* Is a frame in the code of the program, or of a module that it uses? False for Go's
 * standard library, for C, and if that is not known. */
bool own_code_has(const struct own_code *own, const struct code_frame *frame);

#endif
