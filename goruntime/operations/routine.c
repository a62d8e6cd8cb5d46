/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/operations/routine.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"
#include "lib/base/search.h"

enum {
	CODE_MAX = 1 << 17, /* bytes of a function that is followed */
	ROUTINES_BITS = 14, /* of the hash table */
	ROUTINES = 1 << ROUTINES_BITS,
	ROUTINES_FULL = ROUTINES / 4 * 3,
	DECODED_MAX = 8 << 20, /* instructions */
};

enum leads { LEADS_UNKNOWN, LEADS_BUSY, LEADS_NOWHERE, LEADS };

struct routines {
	struct runtime *rt;
	struct routine *table[ROUTINES];
	size_t count, decoded;
};

static const struct {
	enum operation operation;
	const char *name;
} operation_names[] = {
#define OPERATION(operation, name) { OPERATION_##operation, name },
#include "goruntime/operations/operations.def"
#undef OPERATION
};

static bool is_name(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	return pattern[len - 1] == '*' ? strncmp(pattern, name, len - 1) == 0
				       : strcmp(pattern, name) == 0;
}

enum operation operation_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(operation_names); i++)
		if (is_name(operation_names[i].name, name))
			return operation_names[i].operation;
	return OPERATION_NONE;
}

struct routines *routines_new(struct runtime *rt)
{
	struct routines *all = xcalloc(1, sizeof(*all));

	all->rt = rt;
	return all;
}

void routines_free(struct routines *all)
{
	for (size_t i = 0; i < ROUTINES; i++) {
		if (!all->table[i])
			continue;
		xfree(all->table[i]->list);
		xfree(all->table[i]->frame_sizes);
		xfree(all->table[i]);
	}
	xfree(all);
}

static struct routine **place_of(struct routines *all, uint64_t entry)
{
	size_t i = (entry * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - ROUTINES_BITS);

	while (all->table[i] && all->table[i]->entry != entry)
		i = (i + 1) % ROUTINES;
	return &all->table[i];
}

static bool begins(const char *name, const char *beginning)
{
	return name && strncmp(name, beginning, strlen(beginning)) == 0;
}

/* Returns the length of the package in a function's name. The types in brackets that it
 * is instantiated with have packages, too. */
static size_t package_of(const char *name)
{
	const size_t types = name ? strcspn(name, "[") : 0;
	size_t package = 0;

	for (size_t i = 0; i < types; i++)
		if (name[i] == '/')
			package = i + 1;
	return name ? package + strcspn(name + package, ".") : 0;
}

static struct routine *make(const struct module *m, const struct pclntab_func *func)
{
	struct routine *r = xcalloc(1, sizeof(*r));
	const char *name = pclntab_name(&m->tab, func);

	*r = (struct routine){
		.entry = func->entry,
		.end = func->end,
		.module = m,
		.operation = name ? operation_named(name) : OPERATION_NONE,
		.foreign = !name || begins(name, "runtime.") || func->flags & PCLNTAB_ASM,
		.argument_bytes = pclntab_args(&m->tab, func),
		.changes_nothing = begins(name, "runtime.gcWriteBarrier") ||
				   begins(name, "runtime.morestack"),
		.defers = begins(name, "runtime.defer"),
		.starts = name && strcmp(name, "runtime.newproc") == 0,
		.name = name,
		.package = package_of(name),
	};
	return r;
}

struct routine *routine_at(struct routines *all, uint64_t pc)
{
	const struct module *m = modules_at(all->rt->modules, pc);
	struct pclntab_func func;

	if (!m || m->unnamed || !pclntab_find(&m->tab, pc, &func))
		return NULL;
	struct routine **place = place_of(all, func.entry);
	if (!*place && all->count < ROUTINES_FULL) {
		*place = make(m, &func);
		all->count++;
	}
	return *place;
}

struct routine *routine_of(struct routines *all, const struct raw_frame *frame)
{
	return routine_at(all, frame->flags & FRAME_AT_INSTRUCTION ? frame->pc
								   : frame->pc - 1);
}

static void note_frame_sizes(struct routine *r)
{
	struct pclntab_func func;

	r->frame_sizes = xcalloc(r->count + 1, sizeof(*r->frame_sizes));
	if (!pclntab_find(&r->module->tab, r->entry, &func))
		return;
	for (size_t i = 0; i < r->count; i++)
		r->frame_sizes[i] = (int32_t)pclntab_frame_size(&r->module->tab, &func,
								r->list[i].pc);
}

/* Are not all ways of the function known? A jump to the address in a register hides ways.
 * If the frame is gone, it may instead be a call, as at the end of a method of an
 * embedded interface. */
static bool is_opaque(const struct routine *r)
{
	const struct instruction *last = r->count ? &r->list[r->count - 1] : NULL;

	for (size_t i = 0; i < r->count; i++)
		if (r->list[i].kind == INSTRUCTION_JUMP && !r->list[i].target &&
		    r->frame_sizes[i] > 0)
			return true;
	return !last || last->pc + last->len < r->end;
}

bool routine_decode(struct routines *all, struct routine *r)
{
	struct err ignored;

	if (r->tried)
		return r->list != NULL;
	r->tried = true;
	uint64_t len = r->end - r->entry;
	if (r->end <= r->entry || len > CODE_MAX || all->decoded > DECODED_MAX)
		return false;
	AUTO(xfree) uint8_t *bytes = xmalloc(len);
	if (!modules_code(all->rt->modules, r->entry, bytes, len))
		return false;
	r->list = instructions_decode(target_arch(all->rt->target), bytes, len, r->entry,
				      &r->count, &ignored);
	all->decoded += r->count;
	if (r->list)
		note_frame_sizes(r);
	r->opaque = r->list && is_opaque(r);
	return r->list != NULL;
}

static bool instruction_leads(struct routines *all, const struct routine *r,
			      const struct instruction *in, unsigned depth)
{
	if (in->kind == INSTRUCTION_LOCKED_ADD)
		return true;
	if (in->kind != INSTRUCTION_CALL &&
	    (in->kind != INSTRUCTION_JUMP ||
	     (in->target >= r->entry && in->target < r->end)))
		return false;
	/* A call through a func value or an interface may reach any function. It counts
	 * in the function itself only, not in its callees. */
	if (!in->target)
		return depth == ROUTINE_DEPTH;
	struct routine *to = routine_at(all, in->target);
	if (!to)
		return false;
	if (to->operation)
		return to->operation != OPERATION_NEVER;
	return depth > 0 && !to->foreign && routine_leads(all, to, depth - 1);
}

bool routine_leads(struct routines *all, struct routine *r, unsigned depth)
{
	uint8_t *known = &r->leads[depth];

	if (*known == LEADS_UNKNOWN) {
		*known = LEADS_BUSY;
		bool leads = false;
		for (size_t i = 0; routine_decode(all, r) && i < r->count && !leads; i++)
			leads = instruction_leads(all, r, &r->list[i], depth);
		*known = leads ? LEADS : LEADS_NOWHERE;
	}
	return *known == LEADS;
}

bool routine_is_named(const struct routine *r, const char *beginning)
{
	return begins(r->name, beginning);
}

bool routine_is_of_package(const struct routine *r, const struct routine *other)
{
	return r->name && other->name && r->package == other->package &&
	       strncmp(r->name, other->name, r->package) == 0;
}

bool call_returns(struct routines *all, const struct instruction *call)
{
	const struct routine *to = call->target ? routine_at(all, call->target) : NULL;

	return !to || to->operation != OPERATION_NEVER;
}

size_t routine_index(const struct routine *r, uint64_t pc)
{
	size_t i = LOWER_BOUND(i_, r->count, r->list[i_].pc < pc);

	return i < r->count && r->list[i].pc == pc ? i : r->count;
}

uint64_t routine_call(const struct routine *r, const struct raw_frame *frame)
{
	size_t i = routine_index(r, frame->pc);

	return frame->flags & FRAME_AT_INSTRUCTION || i == 0 || i > r->count
		       ? frame->pc
		       : r->list[i - 1].pc;
}
