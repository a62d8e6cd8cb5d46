/* SPDX-License-Identifier: Apache-2.0 */
/* module.h - the Go modules of a process: moduledata, and the read-only tables behind it.
 * Private to goruntime. Static bytes come from the file where the file has them as they
 * are in memory; where the loader relocated them (PIE), they are read once and kept, so
 * that nothing of this needs the process later. */
#ifndef GOSNAP_MODULE_H
#define GOSNAP_MODULE_H

#include "goruntime/layout/layout.h"
#include "goruntime/symtab/pclntab.h"
#include "lib/elf/image.h"

struct module {
	uint64_t addr; /* of the moduledata */
	uint64_t minpc, maxpc, text;
	uint64_t edata, bss, ebss;
	uint64_t types, etypes;		    /* type descriptors; 0: not known */
	uint64_t typelinks, typelink_count; /* a list of some; 0: there is none */
	uint64_t rodata;		    /* 0: not known */
	uint64_t type_bytes; /* of descriptors from types on, one by one; 0: else */
	bool has_main;	     /* the program's main function is in it */
	bool doubtful;	     /* some of its words cannot be what the layout calls them */
	const struct image *image;
	char *plugin; /* as it calls itself; NULL: it is no plugin */
	struct pclntab tab;
};

struct modules;

/* The modules of the runtime in img, its own first. ERR_NOT_FOUND: there is no moduledata
 * in it, or none that fits this layout. layout: NULL when it is not known. Then the first module is
 * opened with that of any release that has the same tables: its functions are known, the rest of
 * it is not to be used. */
struct modules *modules_open(struct target *t, const struct images *images,
			     const struct image *img, const struct layout *layout,
			     struct err *err);
/* The release that its layout is of; -1: not known. */
int modules_release(const struct modules *m);
/* Does a section's name say that there is a Go runtime? */
bool modules_have_section(const struct image *img);
/* The moduledata at addr and those behind it. */
struct modules *modules_open_at(struct target *t, const struct images *images,
				const struct layout *layout, uint64_t addr,
				struct err *err);
void modules_close(struct modules *m);
DEFINE_AUTO(struct modules, modules_close)

/* How the first was found: "symbol", "section" (.go.module, or what points to .gopclntab),
 * "scan"; NULL: its address was given. */
const char *modules_how(const struct modules *m);
size_t modules_count(const struct modules *m);
const struct module *modules_get(const struct modules *m, size_t i);
/* Do their words beyond those that opening them needs agree with the layout, too? Those of
 * another release than the layout's may not. */
bool modules_agree(const struct modules *m);
/* NULL: pc is in no Go function's text. */
const struct module *modules_at(const struct modules *m, uint64_t pc);

/* From here on nothing is read from the process. */
void modules_seal(struct modules *m);

/* Read-only bytes from addr on, as far as we have them; bad when we have none. */
struct bytes modules_bytes(struct modules *m, uint64_t addr);

/* len bytes of code as it was built: from the file where there is one, for in memory there
 * may be breakpoints of probes and debuggers. */
MUST_CHECK bool modules_code(struct modules *m, uint64_t addr, void *ret, size_t len);

/* Where a function of that name begins; 0: none of that name. */
uint64_t modules_function(const struct modules *m, const char *name, uint64_t *ret_end);
/* Addresses of data that the code of this function refers to relative to its own. Returns how many. */
size_t modules_references(struct modules *m, const char *name, uint64_t *ret, size_t max);
/* Calls fn for each function of the first module; false from fn ends it. */
void modules_each_function(const struct modules *m, pclntab_func_fn *fn, void *arg);

#endif
