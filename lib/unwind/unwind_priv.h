/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_priv.h - shared by unwind_cfi.c and unwind_table.c; nobody else's. */
#ifndef GOSNAP_UNWIND_PRIV_H
#define GOSNAP_UNWIND_PRIV_H

#include <stddef.h>
#include <stdint.h>

/* As in .eh_frame_hdr: both relative to one address. */
struct unwind_entry {
	int32_t function, fde;
};

/* unwind_table.c: the table that .eh_frame_hdr would hold, made by reading all of .eh_frame,
 * which is len bytes and lies at addr; relative to addr, sorted. What is damaged, or encoded
 * as no compiler does it, is left out. NULL: nothing is there. Free with xfree. */
struct unwind_entry *unwind_table_make(const void *eh_frame, size_t len, uint64_t addr,
				       size_t *ret_count);

#endif
