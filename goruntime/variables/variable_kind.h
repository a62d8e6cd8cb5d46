/* SPDX-License-Identifier: Apache-2.0 */
/* variable_kind.h - classifies a function's variable by the name and declaration line
 * that the compiler gives it. Private to goruntime. */
#ifndef GOSNAP_VARIABLE_KIND_H
#define GOSNAP_VARIABLE_KIND_H

#include "goruntime/symtab/code.h"
#include "lib/dwarf/dwarf_scopes.h"

/* Each variable of a pc is compared with all others, so comparison has to be fast. */
bool variable_names_same(const char *a, const char *b);
/* Declared by the compiler: ".dict", "#yield1", a blank, or a piece of another variable,
 * "s.len". Unnamed results ("~r0") are not. */
bool variable_is_compilers(const struct dwarf_variable *d);
/* "main.f.func1", "main.f-range1". */
bool is_closure_name(const char *function);
/* Does it belong to the function around this one, a closure? Go 1.23 and later say so;
 * before, its declaration is above the closure. call: of code. */
bool variable_is_captured(const struct dwarf_variable *d, const struct code *code,
			  uint32_t call);
/* Is its declaration below this line? */
bool variable_is_later(const struct dwarf_variable *d, uint32_t line);
/* Did the compiler record no location? */
bool variable_is_nowhere(const struct dwarf_variable *d);
/* A result that is in registers and on the heap is described twice (Go 1.23). */
bool variable_is_repeated(const struct dwarf_scope *scope,
			  const struct dwarf_variable *d);
/* A parameter that escapes is copied to the heap and lives there afterwards: "&x" next to
 * x, which may have no location. NULL: it has not moved. begins: the function has not run
 * yet. */
const struct dwarf_variable *variable_moved_to(const struct dwarf_scope *scope,
					       const struct dwarf_variable *d,
					       bool begins);
/* The converse: is it the heap copy of a parameter? */
bool variable_is_moved(const struct dwarf_scope *scope, const struct dwarf_variable *d);
/* Does a variable of the same name in an inner block shadow it? */
bool variable_is_hidden(const struct dwarf_scope *scope, const struct dwarf_variable *d);

#endif
