/* SPDX-License-Identifier: Apache-2.0 */
/* pclntab.h - the table that every Go binary carries, stripped or not: from a pc to its
 * function, file, line, inlined calls and frame size. Private to goruntime.
 * Layouts by magic number: runtime/symtab.go, internal/abi/symtab.go (Go 1.15 to 1.27).
 * The table is hostile: every access is bounded, and what is wrong is absent. */
#ifndef GOSNAP_PCLNTAB_H
#define GOSNAP_PCLNTAB_H

#include "lib/base/bytes.h"
#include "lib/base/err.h"

struct pclntab_format;

struct pclntab {
	const struct pclntab_format *format;
	struct bytes all; /* from the header on */
	struct bytes names, units, files, values, functab, functions;
	uint64_t addr;	 /* of the header, in the process */
	uint64_t text;	 /* runtime.text: functions are relative to it (1.18 on) */
	uint64_t count;	 /* of functions */
	uint64_t *steps; /* counts work up to LIMIT_PCLNTAB_STEPS; NULL: not counted */
	struct bytes gofunc; /* 1.18 on: what funcdata offsets are relative to */
};

/* The format of a header that begins with these bytes; the newest one when the magic number is
 * unknown. NULL: they begin none. */
enum { PCLNTAB_PROBE_BYTES = 8 };
const struct pclntab_format *pclntab_probe(const uint8_t *bytes);
/* The newest release that has it, 17 for Go 1.17; more than any when it is still in use. */
int pclntab_release(const struct pclntab_format *format);

/* bytes: the table from addr on, borrowed, at least as long as the table. */
bool pclntab_init(struct pclntab *ret, const void *bytes, size_t len, uint64_t addr,
		  uint64_t text, struct err *err);

struct pclntab_func {
	uint64_t entry, end; /* [entry, end) */
	struct bytes record; /* the _func */
	uint8_t id, flags;   /* runtime funcID; TOPFRAME, SPWRITE, ASM (0 before 1.17) */
};

enum pclntab_flags { PCLNTAB_TOPFRAME = 1, PCLNTAB_SPWRITE = 2, PCLNTAB_ASM = 4 };

/* Where the last function ends. */
uint64_t pclntab_end(const struct pclntab *tab);
/* By binary search. False: pc is in no function of this table. */
bool pclntab_find(const struct pclntab *tab, uint64_t pc, struct pclntab_func *ret);
/* Borrowed; NULL when damaged. */
const char *pclntab_name(const struct pclntab *tab, const struct pclntab_func *func);
/* Bytes between the stack pointer at pc and the return address; -1: no such information. */
int64_t pclntab_frame_size(const struct pclntab *tab, const struct pclntab_func *func,
			   uint64_t pc);
/* Has this function stack pointer information at all? Foreign code in Go text has none. */
bool pclntab_has_frame_size(const struct pclntab *tab, const struct pclntab_func *func);

/* Bytes of its arguments and, before the register ABI, of its results; very many when not
 * known. */
uint32_t pclntab_args(const struct pclntab *tab, const struct pclntab_func *func);
/* What the compiler says of a function, and of a pc in it, by number: FUNCDATA_ and PCDATA_
 * of internal/abi/symtab.go, renumbered by some releases (layout.def has those that are).
 * Before 1.18 funcdata is an address: funcdata_bytes finds read-only bytes of the process. */
typedef struct bytes pclntab_bytes_fn(void *arg, uint64_t addr);
/* Bad: there is none. It has no length: it goes as far as the bytes that it lies in. */
struct bytes pclntab_funcdata(const struct pclntab *tab, const struct pclntab_func *func,
			      uint32_t index, pclntab_bytes_fn *funcdata_bytes,
			      void *arg);
/* -1: there is none. */
int32_t pclntab_pcdata(const struct pclntab *tab, const struct pclntab_func *func,
		       uint32_t index, uint64_t pc);

/* Where it first is something else than -1. False: nowhere. */
bool pclntab_pcdata_begins(const struct pclntab *tab, const struct pclntab_func *func,
			   uint32_t index, uint64_t *ret_pc);

/* The calls at pc, innermost first: inlined ones, then the function itself (last). */
struct pclntab_call {
	const char *name; /* never NULL: "?" when it is damaged */
	bool named;	  /* it is not */
	const char *file; /* NULL: not known */
	uint32_t line;	  /* 0: not known */
	uint8_t id;	  /* funcID of the inlined function */
	bool inlined;
	uint64_t pc; /* what it was looked up by */
};
/* pc is that of the call instruction, or of the interrupted one. Returns how many, at most
 * max. */
size_t pclntab_calls(const struct pclntab *tab, const struct pclntab_func *func,
		     uint64_t pc, pclntab_bytes_fn *funcdata_bytes, void *arg,
		     struct pclntab_call *ret, size_t max);
/* The function on its own, without what is inlined there: file and line of pc. */
struct pclntab_call pclntab_outer_call(const struct pclntab *tab,
				       const struct pclntab_func *func, uint64_t pc);
/* Is the runtime's own code in it? A plugin, or what is linked with a shared runtime, has none. */
bool pclntab_has_runtime(const struct pclntab *tab);
/* Calls fn for each function by name; false from fn ends it. */
typedef bool pclntab_func_fn(void *arg, const char *name, uint64_t entry, uint64_t end);
void pclntab_each(const struct pclntab *tab, pclntab_func_fn *fn, void *arg);

#endif
