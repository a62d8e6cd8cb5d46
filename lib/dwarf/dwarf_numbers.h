/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_numbers.h - arithmetic of DWARF expressions on integers of up to eight bytes. */
#ifndef GOSNAP_DWARF_NUMBERS_H
#define GOSNAP_DWARF_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* generic: DWARF's generic type, eight bytes of unspecified sign, as an address. Other
 * values are kept sign- or zero-extended. */
struct dwarf_number {
	uint64_t v;
	uint8_t size; /* bytes: 1 to 8 */
	bool is_signed, generic;
};

/* Truncates to the size and extends. */
struct dwarf_number dwarf_number_fit(struct dwarf_number n);

bool dwarf_number_is_unary(uint8_t op);
/* Sets *a to the result of the operation on a, and on b for binary ones; b is also the
 * operand of DW_OP_plus_uconst. False: not such an operation, or division by zero. */
bool dwarf_number_calculate(uint8_t op, struct dwarf_number *a,
			    const struct dwarf_number *b);

#endif
