/* SPDX-License-Identifier: Apache-2.0 */
/* code.h - the code table: what unwinding and printing want to know of a pc, made once for
 * the whole run. Private to goruntime. */
#ifndef GOSNAP_CODE_H
#define GOSNAP_CODE_H

#include "goruntime/symtab/module.h"

/* Functions of the runtime that unwinding or printing treats by name. Their funcIDs are
 * renumbered by every insertion (internal/abi/symtab.go), their names are stable. */
enum special {
#define SPECIAL(id, name, kind) SPECIAL_##id,
#include "goruntime/symtab/special.def"
#undef SPECIAL
};

struct code {
	uint64_t pc, entry;
	/* pc is an instruction about to run, as it was asked for or because it is the entry: a
	 * goroutine that has not started is there, with no call before it. */
	bool exact, asked_exact;
	enum special special;
	uint8_t flags; /* enum pclntab_flags; filled by name where the release has none */
	int32_t frame_size; /* -1: not known */
	bool foreign;	    /* in Go text, but without stack pointer information */
	const struct module *module;
	uint32_t call_count; /* 0: not expanded yet */
	struct pclntab_call *calls;
	struct code_variables
		*variables; /* variables.c, which frees them; NULL: not asked for */
	struct arguments *arguments; /* of the outermost call, made with calls; or NULL */
};

struct code_table;

struct code_table *code_table_new(struct modules *modules, const struct layout *layout);
void code_table_free(struct code_table *table);
DEFINE_AUTO(struct code_table, code_table_free)

/* For each that was asked for so far. */
typedef void code_fn(struct code *c);
void code_table_each(struct code_table *table, code_fn *fn);

/* exact: pc is an instruction about to run; else a return address, looked up one byte
 * before. NULL: in no Go function. Borrowed until the table is freed. */
const struct code *code_at(struct code_table *table, uint64_t pc, bool exact);
/* With calls and arguments filled in. */
const struct code *code_with_calls(struct code_table *table, uint64_t pc, bool exact);

/* The function itself, not one that is inlined there. calls is filled in. */
static inline const struct pclntab_call *code_own_call(const struct code *c)
{
	return &c->calls[c->call_count - 1];
}

/* calls is filled in. */
bool code_is_assembly(const struct code *c);
/* Is there a call before pc, and Go code with a frame around it? t: for what no file has. */
bool code_is_return(struct code_table *table, uint64_t pc, struct target *t);

const char *special_kind(enum special special); /* Frame.kind, or NULL */
/* Of an inlined function's name, too. */
enum special special_of(const char *name);

#endif
