/* SPDX-License-Identifier: Apache-2.0 */
/* pclntab.h - the table in every Go binary, stripped or not, that maps a pc to its
 * function, file, line, inlined calls and frame size. Private to goruntime.
 * Layouts by magic number: runtime/symtab.go, internal/abi/symtab.go (Go 1.15 to 1.27).
 * The table is hostile input: every access is bounds-checked, and wrong data is treated
 * as absent. */
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
	struct bytes gofunc; /* 1.18 on: funcdata offsets are relative to it */
};

/* The format of a header that begins with these bytes; the newest one for an unknown
 * magic number. NULL: not a header. */
enum { PCLNTAB_PROBE_BYTES = 8 };
const struct pclntab_format *pclntab_probe(const uint8_t *bytes);
/* The newest release with this format, 17 for Go 1.17; greater than any if it is still in
 * use. */
int pclntab_release(const struct pclntab_format *format);

/* bytes: from addr on, at least as long as the table; must outlive ret. */
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
/* Binary search. False: pc is in no function of this table. */
bool pclntab_find(const struct pclntab *tab, uint64_t pc, struct pclntab_func *ret);
/* Borrowed from the table; NULL when damaged. */
const char *pclntab_name(const struct pclntab *tab, const struct pclntab_func *func);
/* Bytes between the stack pointer at pc and the return address; -1: not recorded. */
int64_t pclntab_frame_size(const struct pclntab *tab, const struct pclntab_func *func,
			   uint64_t pc);
/* Does this function have stack pointer information? Foreign code in Go text has none. */
bool pclntab_has_frame_size(const struct pclntab *tab, const struct pclntab_func *func);

/* Bytes of its arguments and, before the register ABI, of its results; a very large
 * number when not known. */
uint32_t pclntab_args(const struct pclntab *tab, const struct pclntab_func *func);
/* Where the function's call of deferreturn begins, as an offset from its entry. Returns 0 if it has none. */
uint32_t pclntab_deferreturn(const struct pclntab *tab, const struct pclntab_func *func);
/* What the compiler records about a function, or a pc in it, by number: FUNCDATA_ and
 * PCDATA_ of internal/abi/symtab.go. Numbers that changed between releases are in
 * layout.def. Before 1.18 funcdata is an address: funcdata_bytes finds read-only bytes of
 * the process. */
typedef struct bytes pclntab_bytes_fn(void *arg, uint64_t addr);
/* Bad: none. Has no length of its own: it ends with the bytes it lies in. */
struct bytes pclntab_funcdata(const struct pclntab *tab, const struct pclntab_func *func,
			      uint32_t index, pclntab_bytes_fn *funcdata_bytes,
			      void *arg);
/* -1: none. */
int32_t pclntab_pcdata(const struct pclntab *tab, const struct pclntab_func *func,
		       uint32_t index, uint64_t pc);

/* The first pc with a value other than -1. False: none. */
bool pclntab_pcdata_begins(const struct pclntab *tab, const struct pclntab_func *func,
			   uint32_t index, uint64_t *ret_pc);

/* A call at pc. They come innermost first: inlined calls, then the function itself. */
struct pclntab_call {
	const char *name;    /* never NULL; "?" when damaged */
	bool named;	     /* name is not damaged */
	const char *file;    /* NULL: not known */
	uint32_t line;	     /* 0: not known */
	uint32_t start_line; /* of the function; 0: not known, as before 1.20 */
	uint8_t id;	     /* funcID of the inlined function */
	bool inlined;
	uint64_t pc; /* the pc it was looked up by */
};
/* pc: of the call instruction, or the interrupted one. Returns how many, at most max. */
size_t pclntab_calls(const struct pclntab *tab, const struct pclntab_func *func,
		     uint64_t pc, pclntab_bytes_fn *funcdata_bytes, void *arg,
		     struct pclntab_call *ret, size_t max);
/* The function without calls inlined at pc: file and line of pc in the function
 * itself. */
struct pclntab_call pclntab_outer_call(const struct pclntab *tab,
				       const struct pclntab_func *func, uint64_t pc);
/* Does it have the runtime's own code? Plugins and programs linked with a shared runtime
 * have none. */
bool pclntab_has_runtime(const struct pclntab *tab);
/* Calls fn for each function by name until it returns false. */
typedef bool pclntab_func_fn(void *arg, const char *name, uint64_t entry, uint64_t end);
void pclntab_each(const struct pclntab *tab, pclntab_func_fn *fn, void *arg);

#endif
