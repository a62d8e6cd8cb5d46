/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_priv.h - internals shared by unwind_cfi.c and unwind_table.c. */
#ifndef GOSNAP_UNWIND_PRIV_H
#define GOSNAP_UNWIND_PRIV_H

#include <stddef.h>
#include <stdint.h>

/* As in .eh_frame_hdr: both relative to the same address. */
struct unwind_entry {
	int32_t function, fde;
};

/* unwind_table.c: builds the search table that .eh_frame_hdr would contain from all of
 * .eh_frame (len bytes, at addr). Relative to addr, sorted. Entries that are damaged, or
 * encoded as no compiler does, are omitted. NULL: no entries. Free with xfree. */
struct unwind_entry *unwind_table_make(const void *eh_frame, size_t len, uint64_t addr,
				       size_t *ret_count);

#endif
