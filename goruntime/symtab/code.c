/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/code.h"

#include <string.h>

#include "goruntime/symtab/arguments.h"
#include "lib/base/limit.h"
#include "lib/base/table.h"

struct code_table {
	struct modules *modules;
	const struct layout *layout;
	struct table by_pc; /* pc, at_instruction: struct code *, owned */
};

static const struct {
	const char *name, *kind;
} specials[] = {
#define SPECIAL(id, name, kind) [SPECIAL_##id] = { name, kind },
#include "goruntime/symtab/special.def"
#undef SPECIAL
};

enum special special_of(const char *name)
{
	for (size_t i = 1; name && i < ARRAY_SIZE(specials); i++)
		if (strcmp(specials[i].name, name) == 0)
			return (enum special)i;
	return SPECIAL_none;
}

const char *special_kind(enum special special)
{
	return specials[special].kind;
}

struct code_table *code_table_new(struct modules *modules, const struct layout *layout)
{
	struct code_table *table = xcalloc(1, sizeof(*table));

	table->modules = modules;
	table->layout = layout;
	return table;
}

static struct code *next(const struct code_table *table, size_t *at)
{
	return (struct code *)(uintptr_t)table_next(&table->by_pc, at);
}

void code_table_free(struct code_table *table)
{
	size_t at = 0;

	if (!table)
		return;
	for (struct code *c; (c = next(table, &at)); xfree(c)) {
		xfree(c->calls);
		xfree(c->arguments);
	}
	table_free(&table->by_pc);
	xfree(table);
}

void code_table_each(struct code_table *table, code_fn *fn)
{
	size_t at = 0;

	for (struct code *c; table && (c = next(table, &at));)
		fn(c);
}

/* Go 1.15 and 1.16 have no flags and identify these functions by funcID:
 * runtime/traceback.go topofstack (1.15). In later releases the flags agree. */
static uint8_t flags_by_name(enum special special)
{
	switch ((int)special) {
	case SPECIAL_goexit:
	case SPECIAL_mstart:
	case SPECIAL_rt0_go:
	case SPECIAL_externalthreadhandler:
	case SPECIAL_sigtramp:
		return PCLNTAB_TOPFRAME;
	case SPECIAL_gogo:
	case SPECIAL_mcall:
	case SPECIAL_morestack:
	case SPECIAL_systemstack:
	case SPECIAL_sigfwd:
	case SPECIAL_call_cgo_mmap:
	case SPECIAL_call_cgo_munmap:
	case SPECIAL_call_cgo_sigaction:
	case SPECIAL_nanotime1:
	case SPECIAL_walltime1:
		return PCLNTAB_SPWRITE;
	default:
		return 0;
	}
}

/* The pc that determines line and inlined calls: runtime/traceback.go symPC (1.27). */
static uint64_t symbol_pc(const struct code *c)
{
	return c->at_instruction ? c->pc : c->pc - 1;
}

static bool find_func(const struct code_table *table, uint64_t pc, bool at_instruction,
		      const struct module **ret_module, struct pclntab_func *ret)
{
	const struct module *module = modules_at(table->modules, pc);

	if (module && pclntab_find(&module->tab, pc, ret)) {
		*ret_module = module;
		return true;
	}
	/* A call that never returns may be a function's last instruction. */
	return !at_instruction && pc > 0 &&
	       find_func(table, pc - 1, true, ret_module, ret);
}

static struct code *lookup(struct code_table *table, uint64_t pc, bool at_instruction)
{
	const uint64_t known = table_get(&table->by_pc, pc, at_instruction);
	const struct module *module;
	struct pclntab_func func;

	if (known)
		return (struct code *)(uintptr_t)known;
	if (table->by_pc.count >= LIMIT_PCS ||
	    !find_func(table, pc, at_instruction, &module, &func))
		return NULL;
	struct code *c = xcalloc(1, sizeof(*c));
	int64_t size =
		pclntab_frame_size(&module->tab, &func, pc < func.end ? pc : pc - 1);
	c->pc = pc;
	c->asked_at_instruction = at_instruction;
	c->at_instruction = at_instruction || pc == func.entry;
	c->entry = func.entry;
	c->module = module;
	c->special = special_of(pclntab_name(&module->tab, &func));
	c->flags = func.flags | flags_by_name(c->special);
	c->frame_size = size >= 0 && size <= INT32_MAX ? (int32_t)size : -1;
	c->no_pcsp = !pclntab_has_frame_size(&module->tab, &func);
	table_set(&table->by_pc, pc, at_instruction, (uintptr_t)c);
	return c;
}

const struct code *code_at(struct code_table *table, uint64_t pc, bool at_instruction)
{
	return lookup(table, pc, at_instruction);
}

static struct bytes funcdata_bytes(void *arg, uint64_t addr)
{
	return modules_bytes(arg, addr);
}

const struct code *code_with_calls(struct code_table *table, uint64_t pc,
				   bool at_instruction)
{
	struct code *c = lookup(table, pc, at_instruction);
	struct pclntab_call calls[LIMIT_INLINE_DEPTH];
	struct pclntab_func func;

	if (!c || c->call_count)
		return c;
	if (!pclntab_find(&c->module->tab, c->entry, &func))
		return NULL;
	c->call_count = (uint32_t)pclntab_calls(&c->module->tab, &func, symbol_pc(c),
						funcdata_bytes, table->modules, calls,
						LIMIT_INLINE_DEPTH);
	c->calls = xcalloc(c->call_count, sizeof(*calls));
	memcpy(c->calls, calls, c->call_count * sizeof(*calls));
	c->arguments = arguments_new(table->layout, &c->module->tab, &func, symbol_pc(c),
				     calls[c->call_count - 1].pc, funcdata_bytes,
				     table->modules);
	return c;
}

/* Releases before 1.18 do not flag assembly; all of them name its file. */
bool code_is_assembly(const struct code *c)
{
	const char *file = c->call_count ? code_own_call(c)->file : NULL;
	size_t len = file ? strlen(file) : 0;

	return c->flags & PCLNTAB_ASM || (len > 2 && strcmp(file + len - 2, ".s") == 0);
}

enum { CALL_BYTES = 7 }; /* of the longest */

/* amd64: call rel32, or an indirect call through a register or memory with a displacement
 * of 0, 1 or 4 bytes, with or without SIB byte and prefix. */
static bool ends_in_call(const uint8_t *end)
{
	static const uint8_t lengths[] = { 2, 3, 4, 6, 7 };

	if (end[-5] == 0xe8)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (end[-lengths[i]] == 0xff && (end[1 - lengths[i]] >> 3 & 7) == 2)
			return true;
	return false;
}

bool code_is_return(struct code_table *table, uint64_t pc, struct target *t)
{
	const struct code *c = lookup(table, pc, false);
	uint8_t before[CALL_BYTES];
	struct err ignored;

	if (!c || c->no_pcsp || c->frame_size < 0 || pc - c->entry < sizeof(before))
		return false;
	struct bytes text = modules_bytes(table->modules, pc - sizeof(before));
	bytes_take(&text, before, sizeof(before));
	if (text.bad &&
	    !target_read(t, pc - sizeof(before), before, sizeof(before), &ignored))
		return false;
	return ends_in_call(before + sizeof(before));
}

bool code_is_any_return(struct code_table *table, uint64_t pc, struct target *t)
{
	const struct target_mapping *m = target_mapping_at(t, pc);
	uint8_t before[CALL_BYTES];

	return m && m->executable && pc - m->start >= sizeof(before) &&
	       modules_code(table->modules, pc - sizeof(before), before,
			    sizeof(before)) &&
	       ends_in_call(before + sizeof(before));
}
