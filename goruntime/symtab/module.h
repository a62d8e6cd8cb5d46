/* SPDX-License-Identifier: Apache-2.0 */
/* module.h - the Go modules of a process: moduledata and the read-only tables it
 * points to. The main header of goruntime/symtab. Private to goruntime.
 * Static bytes come from the file if memory has them unchanged. If the loader
 * relocated them (PIE), they are read once and kept, so the process is not needed
 * later. Modules live until modules_close(). Knows functions, lines and frame sizes
 * at a pc; nothing of goroutines or types.
 * A core may lack the tables, and the file that has them: then moduledata alone says where
 * code and variables are. */
#ifndef GOSNAP_MODULE_H
#define GOSNAP_MODULE_H

#include "goruntime/layout/layout.h"
#include "goruntime/symtab/pclntab.h"
#include "lib/elf/image.h"

struct module {
	uint64_t addr; /* of the moduledata */
	uint64_t minpc, maxpc, text;
	uint64_t edata, bss, ebss;
	uint64_t noptrbss, enoptrbss;	    /* 0: not known */
	uint64_t types, etypes;		    /* type descriptors; 0: not known */
	uint64_t typelinks, typelink_count; /* the linker's partial list; 0: none */
	uint64_t rodata;		    /* 0: not known */
	uint64_t type_bytes; /* size of contiguous descriptors; 0: not contiguous */
	bool has_main;	     /* has the program's main function */
	bool doubtful;	     /* some of its words contradict the layout */
	/* Its pclntab is not in memory, and its file is missing: tab has no functions. What is
	 * between minpc and maxpc is Go code all the same. */
	bool unnamed;
	const struct image *image;
	char *plugin; /* its own name for itself; NULL: not a plugin */
	struct pclntab tab;
};

struct modules;

/* The modules of the runtime in img, its own first. ERR_NOT_FOUND: img has no moduledata,
 * or none that fits the layout. layout: NULL when not known: the first module is then
 * opened using any release with the same tables. Its functions are known; do not use the
 * rest of it. */
struct modules *modules_open(struct target *t, const struct images *images,
			     const struct image *img, const struct layout *layout,
			     struct err *err);
/* The release of the layout it was opened with; -1: not known. */
int modules_release(const struct modules *m);
/* Does a section's name show that there is a Go runtime? */
bool modules_have_section(const struct image *img);
/* The moduledata at addr and those linked from it. */
struct modules *modules_open_at(struct target *t, const struct images *images,
				const struct layout *layout, uint64_t addr,
				struct err *err);
void modules_close(struct modules *m);
DEFINE_AUTO(struct modules, modules_close)

/* How the first was found: "symbol", "section" (.go.module, or a pointer to .gopclntab),
 * "scan"; NULL: its address was given. */
const char *modules_how(const struct modules *m);
size_t modules_count(const struct modules *m);
const struct module *modules_get(const struct modules *m, size_t i);
/* Do the moduledata words that opening does not need agree with the layout too? They may
 * not when the layout is another release's. */
bool modules_agree(const struct modules *m);
/* Are the functions of any module unknown? */
bool modules_unnamed(const struct modules *m);
/* The module with pc in its text. NULL: none. */
const struct module *modules_at(const struct modules *m, uint64_t pc);

/* Is pc in the text of a module whose functions are unknown? */
bool modules_is_unnamed(const struct modules *m, uint64_t pc);

/* From here on nothing is read from the process; until it may be read again. */
void modules_seal(struct modules *m);
void modules_unseal(struct modules *m, struct target *t);

/* Read-only bytes from addr to the end of what is available; bad when there are none.
 * Borrowed until modules_close(). */
struct bytes modules_bytes(struct modules *m, uint64_t addr);

/* len bytes of code as built: from the file if there is one, as memory may have the
 * breakpoints of probes and debuggers. */
MUST_CHECK bool modules_code(struct modules *m, uint64_t addr, void *ret, size_t len);

/* Where the function of that name begins and ends; 0: no such function. */
uint64_t modules_function(const struct modules *m, const char *name, uint64_t *ret_end);
/* Addresses of data that the code of this function refers to pc-relative. Returns how
 * many. */
size_t modules_references(struct modules *m, const char *name, uint64_t *ret, size_t max);
/* By operations on fewer than eight bytes, too; and many more that are none. */
size_t modules_narrow_references(struct modules *m, const char *name, uint64_t *ret,
				 size_t max);
/* Calls fn for each function of the first module until it returns false. */
void modules_each_function(const struct modules *m, pclntab_func_fn *fn, void *arg);

#endif
