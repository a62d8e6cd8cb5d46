/* SPDX-License-Identifier: Apache-2.0 */
/* code.h - the code table: what unwinding and printing need to know about a pc, looked up
 * once for the whole run. Private to goruntime. */
#ifndef GOSNAP_CODE_H
#define GOSNAP_CODE_H

#include "goruntime/symtab/module.h"

/* Runtime functions that unwinding or printing treats specially, by name: a new funcID
 * renumbers the others (internal/abi/symtab.go), names are stable. */
enum special {
#define SPECIAL(id, name, kind) SPECIAL_##id,
#include "goruntime/symtab/special.def"
#undef SPECIAL
};

struct code {
	uint64_t pc, entry;
	/* pc is an instruction about to run: it was requested as one, or it is the entry.
	 * A goroutine that has not started is at an entry, without a call before it. */
	bool at_instruction, asked_at_instruction;
	enum special special;
	uint8_t flags; /* enum pclntab_flags; set by name where the release has none */
	int32_t frame_size; /* -1: not known */
	bool no_pcsp;	    /* in Go text, but without stack pointer information */
	const struct module *module;
	uint32_t call_count; /* 0: not expanded yet */
	struct pclntab_call *calls;
	struct code_variables
		*variables;	     /* owned by variables.c; NULL: not requested yet */
	struct arguments *arguments; /* of the outermost call, made with calls; or NULL */
};

struct code_table;

struct code_table *code_table_new(struct modules *modules, const struct layout *layout);
void code_table_free(struct code_table *table);
DEFINE_AUTO(struct code_table, code_table_free)

/* Calls fn for each entry requested so far. */
typedef void code_fn(struct code *c);
void code_table_each(struct code_table *table, code_fn *fn);

/* at_instruction: pc is an instruction about to run. Otherwise it is a return address,
 * looked up one byte before. NULL: not in a Go function. Borrowed until the table is
 * freed. */
const struct code *code_at(struct code_table *table, uint64_t pc, bool at_instruction);
/* The same with calls and arguments filled in. */
const struct code *code_with_calls(struct code_table *table, uint64_t pc,
				   bool at_instruction);

/* The function itself, not a call inlined in it. calls must be filled in. */
static inline const struct pclntab_call *code_own_call(const struct code *c)
{
	return &c->calls[c->call_count - 1];
}

/* calls must be filled in. */
bool code_is_assembly(const struct code *c);
/* Is there a call right before pc, in a Go function with a known frame size? t: to read
 * code that no file has. */
bool code_is_return(struct code_table *table, uint64_t pc, struct target *t);
/* The same in any code, of C as well: is there a call before it? */
bool code_is_any_return(struct code_table *table, uint64_t pc, struct target *t);

const char *special_kind(enum special special); /* Frame.kind, or NULL */
/* Accepts an inlined function's name too. */
enum special special_of(const char *name);

#endif
