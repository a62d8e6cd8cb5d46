/* SPDX-License-Identifier: Apache-2.0 */
/* dwarf_numbers.h - the arithmetic of DWARF expressions over whole numbers of up to eight bytes. */
#ifndef GOSNAP_DWARF_NUMBERS_H
#define GOSNAP_DWARF_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* generic: eight bytes of no certain sign, as an address. Others are kept extended as their sign
 * tells. */
struct dwarf_number {
	uint64_t v;
	uint8_t size; /* bytes: 1 to 8 */
	bool is_signed, generic;
};

/* As much of it as its size holds. */
struct dwarf_number dwarf_number_fit(struct dwarf_number n);

bool dwarf_number_is_unary(uint8_t op);
/* a becomes what the operation makes of it, and of b where it has two. What DW_OP_plus_uconst adds
 * is b. False: it is no such operation, or divides by zero. */
bool dwarf_number_calculate(uint8_t op, struct dwarf_number *a,
			    const struct dwarf_number *b);

#endif
