/* SPDX-License-Identifier: Apache-2.0 */
/* pclntab_writer.h - writes a pclntab in each of the four formats. It follows
 * cmd/link/internal/ld/pcln.go and knows nothing of our reader: what both agree on was
 * understood twice. */
#ifndef GOSNAP_TESTS_PCLNTAB_WRITER_H
#define GOSNAP_TESTS_PCLNTAB_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum table_format { TABLE_1_2, TABLE_1_16, TABLE_1_18, TABLE_1_20, TABLE_FORMATS };

enum { TABLE_VALUES = 6, TABLE_INLINED = 4 };

/* value holds up to the offset end into the function; the list ends with end 0. */
struct table_value {
	uint32_t end;
	int32_t value;
};

struct table_inlined {
	const char *name; /* NULL: no more */
	uint8_t id;
	uint32_t parent_pc; /* offset into the function */
};

struct table_func {
	const char *name;
	uint32_t size; /* bytes of code */
	uint8_t id, flags;
	struct table_value sp[TABLE_VALUES]; /* none: assembly of others */
	struct table_value file[TABLE_VALUES], line[TABLE_VALUES];
	struct table_value index[TABLE_VALUES]; /* in the inline tree */
	struct table_inlined tree[TABLE_INLINED];
	/* Arguments: the bytes of FUNCDATA_ArgInfo and FUNCDATA_ArgLiveInfo, none when size 0,
	 * and PCDATA_ArgLiveIndex. */
	uint8_t arg_info[176], arg_info_size, arg_live[8], arg_live_size;
	struct table_value arg_live_index[TABLE_VALUES];
	int32_t args; /* 0: not known */
};

struct table {
	uint8_t *bytes; /* free() */
	size_t len;
	uint64_t gofunc; /* offset of what funcdata is relative to (1.18 on) */
	uint64_t end_pc; /* behind the last function */
};

/* For a table at addr whose functions follow each other from text on. Files are numbered
 * from 1, in all formats. */
struct table table_write(enum table_format format, uint64_t addr, uint64_t text,
			 const struct table_func *funcs, size_t n,
			 const char *const *files, size_t file_count);

#endif
