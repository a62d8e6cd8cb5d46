/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_names.h - look-ups of types and package variables by name. The index is built on
 * first use, in one pass over the debug info. Knows Go's attribute 0x2904 only as a
 * number. */
#ifndef GOSNAP_DWARF_NAMES_H
#define GOSNAP_DWARF_NAMES_H

#include "lib/dwarf/dwarf_info.h"

/* For dwarf_type_read(). If several types have this name, the first. False: none. */
bool dwarf_named_type(struct dwarf *d, const char *name, uint64_t *ret_ref);
/* Finds a type by the value of its attribute 0x2904. */
bool dwarf_type_with(struct dwarf *d, uint64_t go_runtime_type, uint64_t *ret_ref);
/* A variable outside of functions. *ret_addr is a file address (no bias). */
bool dwarf_named_variable(struct dwarf *d, const char *name, uint64_t *ret_ref,
			  uint64_t *ret_addr);
/* All such variables with one fixed address, in no order. name is valid during the
 * call. */
typedef void dwarf_variable_fn(void *arg, const char *name, uint64_t ref, uint64_t addr);
void dwarf_each_named_variable(struct dwarf *d, dwarf_variable_fn *fn, void *arg);

#endif
