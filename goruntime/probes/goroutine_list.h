/* SPDX-License-Identifier: Apache-2.0 */
/* goroutine_list.h - where the list of a program's goroutines will be in memory, and which parts of the
 * runtime's structs their stacks are found by: for who reads them when gosnap itself no longer can.
 * From the file alone, so nothing confirms it. All addresses are as in the file. */
#ifndef GOSNAP_GOROUTINE_LIST_H
#define GOSNAP_GOROUTINE_LIST_H

#include "lib/base/err.h"
#include "lib/base/util.h"

enum { GOROUTINE_LIST_SEGMENTS = 8 };

struct goroutine_list {
	uint64_t allgs; /* a slice of pointers to struct g */
	uint64_t code;	/* the lowest address of code */
	/* What is loaded, by address. */
	struct loaded_segment {
		uint64_t addr, size, file_size, offset;
		bool writable, executable;
	} segments[GOROUTINE_LIST_SEGMENTS];
	size_t segment_count;
	/* How much of the structs is of interest, and offsets in them. */
	uint32_t g_bytes, m_bytes;
	uint16_t g_stack_lo, g_stack_hi, g_m, g_sched_sp, g_syscallsp, m_g0, m_gsignal;
};

/* file: open; name is for messages. Errors as of probe_points_find(). */
MUST_CHECK bool goroutine_list_find(int file, const char *name,
				    struct goroutine_list *ret, struct err *err);

#endif
