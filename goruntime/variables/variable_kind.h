/* SPDX-License-Identifier: Apache-2.0 */
/* variable_kind.h - what a variable of a function is by what the compiler calls it and where it
 * says that it is declared. Private to goruntime. */
#ifndef GOSNAP_VARIABLE_KIND_H
#define GOSNAP_VARIABLE_KIND_H

#include "goruntime/symtab/code.h"
#include "lib/dwarf/dwarf_scopes.h"

/* Each of a pc's variables is compared with all others: as far as names are worth it. */
bool variable_names_same(const char *a, const char *b);
/* Only the compiler declares it: ".dict", "#yield1", a blank, or a piece of another variable,
 * "s.len". Results without a name ("~r0") are not of these. */
bool variable_is_compilers(const struct dwarf_variable *d);
/* "main.f.func1", "main.f-range1". */
bool is_closure_name(const char *function);
/* It belongs to the function around this one, which is a closure: Go 1.23 and later say so; before,
 * its declaration is above the closure. call: of code. */
bool variable_is_captured(const struct dwarf_variable *d, const struct code *code,
			  uint32_t call);
/* Its declaration is still to come. */
bool variable_is_later(const struct dwarf_variable *d, uint32_t line);
/* The compiler kept no location at all. */
bool variable_is_nowhere(const struct dwarf_variable *d);
/* Results that are in registers and on the heap are told of twice (Go 1.23). */
bool variable_is_repeated(const struct dwarf_scope *scope,
			  const struct dwarf_variable *d);
/* A parameter that escapes is copied to the heap and lives there from then on: "&x" besides x, which
 * may be nowhere. NULL: it is where it was. begins: the function has not run yet. */
const struct dwarf_variable *variable_moved_to(const struct dwarf_scope *scope,
					       const struct dwarf_variable *d,
					       bool begins);
/* ... the other way: it is already told of as a parameter. */
bool variable_is_moved(const struct dwarf_scope *scope, const struct dwarf_variable *d);
/* An inner one of its name hides it. */
bool variable_is_hidden(const struct dwarf_scope *scope, const struct dwarf_variable *d);

#endif
