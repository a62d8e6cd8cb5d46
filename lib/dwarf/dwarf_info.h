/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_info.h - look-ups by name in the debug info of one image: struct members,
 * sizes, constants. The main header of lib/dwarf: dwarf_types.h, dwarf_scopes.h and
 * dwarf_expression.h read the rest. Only dwarf_expression.c reads the subject's
 * memory. Results are borrowed until dwarf_close(); the image must live longer. Knows
 * nothing of Go but the names and attributes it is given. */
#ifndef GOSNAP_DWARF_INFO_H
#define GOSNAP_DWARF_INFO_H

#include "lib/elf/image.h"

struct dwarf;

/* NULL: ERR_NOT_FOUND if the image has none, ERR_LIMIT if it exceeds LIMIT_DEBUG_BYTES.
 * The image must outlive the result. */
struct dwarf *dwarf_open(const struct image *img, struct err *err);
void dwarf_close(struct dwarf *d);
DEFINE_AUTO(struct dwarf, dwarf_close)

/* Checks that all units' headers and first entries can be read. False: err says where the
 * damage is. */
MUST_CHECK bool dwarf_check(struct dwarf *d, struct err *err);
/* Whether there are Go units; whether a function of any unit covers pc (no bias). */
bool dwarf_has_go(struct dwarf *d);
bool dwarf_has_function(struct dwarf *d, uint64_t pc);

/* Search only the compilation unit of that name (in Go: the import path). Member paths
 * use dots; size is that of the member's type. False: not found, or the type has no size
 * (C arrays). */
bool dwarf_member(struct dwarf *d, const char *unit, const char *type, const char *member,
		  uint64_t *ret_off, uint64_t *ret_size);
bool dwarf_type_size(struct dwarf *d, const char *unit, const char *type, uint64_t *ret);
bool dwarf_constant_value(struct dwarf *d, const char *unit, const char *name,
			  int64_t *ret);

#endif
