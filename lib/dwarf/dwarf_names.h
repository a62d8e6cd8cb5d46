/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_names.h - types and variables of packages by name: the index is made when it is first
 * asked for, in one pass over the debugging information. Knows Go's attribute 0x2904 as a
 * number. */
#ifndef GOSNAP_DWARF_NAMES_H
#define GOSNAP_DWARF_NAMES_H

#include "lib/dwarf/dwarf_info.h"

/* For dwarf_type_read(). Of several types of one name the first. False: there is none. */
bool dwarf_named_type(struct dwarf *d, const char *name, uint64_t *ret_ref);
/* By what 0x2904 says of it. */
bool dwarf_type_with(struct dwarf *d, uint64_t go_runtime_type, uint64_t *ret_ref);
/* A variable that is in no function. addr: of the file, without the bias of the process. */
bool dwarf_named_variable(struct dwarf *d, const char *name, uint64_t *ret_ref,
			  uint64_t *ret_addr);
/* All of them that are in one place of memory, in no order. name: valid during the call. */
typedef void dwarf_variable_fn(void *arg, const char *name, uint64_t ref, uint64_t addr);
void dwarf_each_named_variable(struct dwarf *d, dwarf_variable_fn *fn, void *arg);

#endif
