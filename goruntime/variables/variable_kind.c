/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/variable_kind.h"

#include <string.h>

enum { NAME_COMPARED = 1024 /* bytes: nobody writes longer variable names */ };

bool variable_names_same(const char *a, const char *b)
{
	return strncmp(a, b, NAME_COMPARED) == 0;
}

/* If x escapes to the heap, the compiler has a pointer to it, "&x". */
static const char *own_name(const struct dwarf_variable *d)
{
	return d->name ? d->name + (d->name[0] == '&') : "";
}

static bool is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

/* Unnamed results and parameters: ~r0, ~b1 (up to 1.21, those called _), ~p0. Names like
 * ~R0, ~r0.len or ~r0mp belong to inlined calls. */
static bool is_unnamed(const struct dwarf_variable *d, const char *name)
{
	return d->parameter && strchr("rbp", name[1]) && name[1] && is_number(name + 2);
}

bool variable_is_compilers(const struct dwarf_variable *d)
{
	const char *name = own_name(d);

	if (*name == '~')
		return !is_unnamed(d, name);
	return !*name || strcmp(name, "_") == 0 || *name == '#' || strchr(name, '.') ||
	       strcmp(name, "__func__") == 0; /* C's */
}

/* cmd/compile/internal/ir closureName (1.27). */
bool is_closure_name(const char *function)
{
	const char *dot = strrchr(function, '.');

	return strstr(function, "-range") || (dot && strncmp(dot, ".func", 5) == 0) ||
	       (dot && is_number(dot + 1));
}

static uint32_t first_line(const struct code *code)
{
	const struct pclntab *tab = &code->module->tab;
	struct pclntab_func func;

	return pclntab_find(tab, code->entry, &func)
		       ? pclntab_outer_call(tab, &func, code->entry).line
		       : 0;
}

/* Optimised code before 1.23 declares a captured variable where it is first used, and
 * gives it a location from the start. */
static bool is_there_before(const struct dwarf_variable *d, uint32_t line)
{
	return !d->parameter && d->listed && variable_is_later(d, line) &&
	       !variable_is_nowhere(d);
}

/* A variable captured by reference has the closure's own line. If the closure has more
 * lines, only parameters are declared there otherwise. */
static bool is_on_first_line(const struct dwarf_variable *d, uint32_t first,
			     uint32_t line)
{
	return !d->parameter && d->name && d->name[0] == '&' && d->line == first &&
	       line > first;
}

bool variable_is_captured(const struct dwarf_variable *d, const struct code *code,
			  uint32_t call)
{
	const struct pclntab_call *at = &code->calls[call];

	if (d->has_closure_offset)
		return true;
	if (d->result || !d->line || at->inlined || !is_closure_name(at->name))
		return false;
	uint32_t first = first_line(code);
	return d->line < first || is_on_first_line(d, first, at->line) ||
	       is_there_before(d, at->line);
}

bool variable_is_later(const struct dwarf_variable *d, uint32_t line)
{
	return !d->parameter && d->line && line && d->line > line;
}

bool variable_is_nowhere(const struct dwarf_variable *d)
{
	for (size_t i = 0; i < d->piece_count; i++)
		if (d->pieces[i].where != DWARF_PIECE_NOWHERE)
			return false;
	return true;
}

bool variable_is_repeated(const struct dwarf_scope *scope, const struct dwarf_variable *d)
{
	bool nowhere = variable_is_nowhere(d);

	for (size_t i = 0; d->parameter && d->name && i < scope->variable_count; i++) {
		const struct dwarf_variable *other = &scope->variables[i];
		if (other == d || !other->parameter || !other->name ||
		    !variable_names_same(other->name, d->name))
			continue;
		bool better = nowhere && !variable_is_nowhere(other);
		bool same = nowhere == variable_is_nowhere(other);
		if (better || (same && other < d))
			return true;
	}
	return false;
}

/* "&x": where a parameter was moved to, or will be. */
static bool is_heap_copy(const struct dwarf_variable *d)
{
	return !d->parameter && d->depth == 0 && d->name && d->name[0] == '&';
}

const struct dwarf_variable *variable_moved_to(const struct dwarf_scope *scope,
					       const struct dwarf_variable *d,
					       bool begins)
{
	const struct dwarf_variable *lost = NULL;

	for (size_t i = 0; d->parameter && d->name && i < scope->variable_count; i++) {
		const struct dwarf_variable *other = &scope->variables[i];
		if (!is_heap_copy(other) ||
		    !variable_names_same(other->name + 1, d->name))
			continue;
		if (!variable_is_nowhere(other))
			return other;
		lost = other;
	}
	return begins ? NULL : lost;
}

bool variable_is_moved(const struct dwarf_scope *scope, const struct dwarf_variable *d)
{
	for (size_t i = 0; is_heap_copy(d) && i < scope->variable_count; i++) {
		const struct dwarf_variable *other = &scope->variables[i];
		if (other->parameter && other->name &&
		    variable_names_same(other->name, d->name + 1))
			return true;
	}
	return false;
}

bool variable_is_hidden(const struct dwarf_scope *scope, const struct dwarf_variable *d)
{
	const char *name = own_name(d);

	for (size_t i = 0; i < scope->variable_count; i++) {
		const struct dwarf_variable *other = &scope->variables[i];
		if (other->depth > d->depth && variable_names_same(own_name(other), name))
			return true;
	}
	return false;
}
