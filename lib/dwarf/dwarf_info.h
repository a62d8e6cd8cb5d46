/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_info.h - debugging information of one image, looked up by name: struct members, sizes,
 * constants. Knows no Go beyond the names it is given. */
#ifndef GOSNAP_DWARF_INFO_H
#define GOSNAP_DWARF_INFO_H

#include "lib/elf/image.h"

struct dwarf;

/* NULL: ERR_NOT_FOUND when the image has none, ERR_LIMIT when it is more than
 * LIMIT_DEBUG_BYTES. The image outlives it. */
struct dwarf *dwarf_open(const struct image *img, struct err *err);
void dwarf_close(struct dwarf *d);
DEFINE_AUTO(struct dwarf, dwarf_close)

/* Can its units be read, by their headers and first entries? False: err says where it is damaged. */
MUST_CHECK bool dwarf_check(struct dwarf *d, struct err *err);
/* Of Go's units: is there a function at this address, without the bias of the process? */
bool dwarf_has_go(struct dwarf *d);
bool dwarf_has_function(struct dwarf *d, uint64_t pc);

/* Looks in the compilation unit of that name only (Go: the import path). Members are given
 * with dots; size is that of the member's type. False: there is no such thing, or the type
 * says no size (C's arrays). */
bool dwarf_member(struct dwarf *d, const char *unit, const char *type, const char *member,
		  uint64_t *ret_off, uint64_t *ret_size);
bool dwarf_type_size(struct dwarf *d, const char *unit, const char *type, uint64_t *ret);
bool dwarf_constant_value(struct dwarf *d, const char *unit, const char *name,
			  int64_t *ret);

#endif
