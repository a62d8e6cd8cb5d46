/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/closure_code.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/type_priv.h"
#include "goruntime/variables/variable_kind.h"
#include "goruntime/variables/variable_parts.h"

enum { LOOKED_AT = 192, LOADS_MAX = 32, RDX = 2, RSP = 4, VECTOR_FIRST = 17 };

enum instruction_kind { OTHER, LOAD, STORE, NOTHING };

struct instruction {
	enum instruction_kind kind;
	size_t len;
	int reg; /* DWARF number */
	int32_t displacement;
};

struct load {
	uint64_t begin, end; /* of the instruction */
	int64_t off;	     /* in the closure */
	int reg;
	bool stored;
	int64_t place; /* where the frame keeps it, from the CFA */
};

static int dwarf_register(unsigned n, bool vector)
{
	return vector ? VECTOR_FIRST + (int)n : arch_amd64.encoded[n];
}

/* The operand: disp(%rdx) or disp(%rsp). */
static bool read_operand(struct bytes *b, unsigned rex, bool vector, unsigned base,
			 struct instruction *ret)
{
	unsigned modrm = bytes_u8(b), mod = modrm >> 6;

	if ((modrm & 7) != base || (mod != 1 && mod != 2) || (rex & 1))
		return false;
	if (base == RSP && bytes_u8(b) != 0x24)
		return false;
	ret->reg = dwarf_register((modrm >> 3 & 7) | (rex & 4) << 1, vector);
	ret->displacement = mod == 1 ? (int8_t)bytes_u8(b) : (int32_t)bytes_u32(b);
	return !b->bad;
}

/* mov, movzx, movsx, movss, movsd, movups. */
static bool read_opcode(struct bytes *b, bool prefixed, bool *ret_vector,
			enum instruction_kind *ret)
{
	unsigned op = bytes_u8(b);

	*ret_vector = false;
	*ret = op == 0x8b && !prefixed ? LOAD : op == 0x89 && !prefixed ? STORE : OTHER;
	if (*ret != OTHER || op != 0x0f)
		return *ret != OTHER || (op == 0x88 && (*ret = STORE));
	op = bytes_u8(b);
	*ret_vector = op == 0x10 || op == 0x11;
	if (op == 0x10 || op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf)
		*ret = LOAD;
	else if (op == 0x11)
		*ret = STORE;
	return *ret != OTHER;
}

static struct instruction decode(struct bytes at)
{
	struct instruction ret = { .kind = OTHER };
	struct bytes b = at;
	unsigned first = bytes_u8(&b), rex = 0;
	bool prefixed = first == 0xf2 || first == 0xf3, vector;
	enum instruction_kind kind;

	if (first == 0x90)
		return (struct instruction){ .kind = NOTHING, .len = 1 };
	if (prefixed)
		first = bytes_u8(&b);
	if ((first & 0xf0) == 0x40)
		rex = first;
	else
		b.at--;
	if (b.bad || !read_opcode(&b, prefixed, &vector, &kind) ||
	    !read_operand(&b, rex, vector, kind == LOAD ? RDX : RSP, &ret))
		return (struct instruction){ .kind = OTHER };
	ret.kind = kind;
	ret.len = (size_t)(b.at - at.at);
	return ret;
}

/* Could a byte before end belong to an instruction that changes rdx? */
static bool may_change(const uint8_t *at, const uint8_t *end)
{
	for (; at + 1 < end; at++)
		if (((at[0] == 0x8b || at[0] == 0x8d || at[0] == 0x33 || at[0] == 0x31) &&
		     (at[1] >> 3 & 7) == RDX) ||
		    (at[0] == 0x89 && (at[1] & 0xc7) == (0xc0 | RDX)) || at[0] == 0xba)
			return true;
	return false;
}

static void note_store(struct load *loads, size_t n, const struct instruction *i,
		       int64_t frame)
{
	while (n-- > 0) {
		if (loads[n].reg != i->reg)
			continue;
		loads[n].stored = true;
		loads[n].place = i->displacement - frame;
		return;
	}
}

/* Reads the consecutive loads from the closure and stores of what was loaded. */
static size_t read_loads(struct runtime *rt, const struct code *c, struct load *ret)
{
	const struct pclntab *tab = &c->module->tab;
	struct pclntab_func func;
	uint8_t text[LOOKED_AT];
	size_t n = 0, len;

	if (!pclntab_find(tab, c->entry, &func))
		return 0;
	len = func.end - c->entry < LOOKED_AT ? (size_t)(func.end - c->entry) : LOOKED_AT;
	if (!modules_code(rt->modules, c->entry, text, len))
		return 0;
	struct bytes b = bytes_over(text, len);
	while (b.at < b.end && decode(b).kind != LOAD)
		b.at++;
	if (may_change(text, b.at))
		return 0;
	for (struct instruction i; n < LOADS_MAX; b.at += i.len) {
		uint64_t pc = c->entry + (uint64_t)(b.at - text);
		i = decode(b);
		if (i.kind == OTHER)
			break;
		int64_t size = pclntab_frame_size(tab, &func, pc);
		if (i.kind == STORE && size >= 0)
			note_store(ret, n, &i, size + WORD);
		if (i.kind != LOAD)
			continue;
		ret[n++] = (struct load){ .begin = pc,
					  .end = pc + i.len,
					  .off = i.displacement,
					  .reg = i.reg };
		if (i.reg == dwarf_register(RDX, false)) {
			b.at += i.len;
			i = decode(b);
			if (i.kind == STORE && size >= 0)
				note_store(ret, n, &i, size + WORD);
			break;
		}
	}
	return n;
}

/* The offset in the variable of the piece in this register; -1: none. */
static int64_t piece_in(const struct dwarf_variable *v, int reg)
{
	uint64_t off = 0;

	for (size_t i = 0; i < v->piece_count; i++) {
		if (v->pieces[i].where == DWARF_PIECE_REGISTER && v->pieces[i].at == reg)
			return (int64_t)off;
		off += v->pieces[i].size;
	}
	return -1;
}

static struct dwarf_variable *find(struct dwarf_scope *s, const struct dwarf_variable *v)
{
	for (size_t i = 0; v->name && i < s->variable_count; i++) {
		struct dwarf_variable *own = &s->variables[i];
		if (own->name && variable_names_same(own->name, v->name) &&
		    own->type == v->type && own->depth == v->depth &&
		    own->parameter == v->parameter)
			return own;
	}
	return NULL;
}

static struct dwarf_scope *outermost(struct dwarf_scopes *s)
{
	return s && s->count ? &s->list[s->count - 1] : NULL;
}

static void set_offset(struct dwarf_scope *s, const struct dwarf_variable *v, int64_t off)
{
	struct dwarf_variable *own = find(s, v);

	if (own && !own->has_closure_offset && off >= 0) {
		own->has_closure_offset = true;
		own->closure_offset = (uint64_t)off;
	}
}

static bool may_be_captured(const struct dwarf_variable *v)
{
	return !v->parameter && v->depth == 0;
}

/* A variable described in part: which part was loaded is not recorded, so its own offset
 * is not known: 0. */
static int64_t offset_of(const struct code_variables *variables,
			 const struct dwarf_variable *v, int64_t off)
{
	struct err ignored;
	const struct type *type = types_at(variables->types, v->type, &ignored);

	return variable_is_one_part(v, type) ? 0 : off;
}

/* Numbers in debugging information can be anything: no overflow. */
static int64_t difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Optimised code: the register has exactly one variable after the load, and did not
 * before it. */
static void join_by_register(struct dwarf *d, const struct load *load,
			     const struct code_variables *variables,
			     struct dwarf_scope *to)
{
	const uint64_t bias = variables->bias;
	struct err ignored;
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *before =
		dwarf_scopes_at(d, load->begin - bias, true, &ignored);
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *after = dwarf_scopes_at(d, load->end - bias, true, &ignored);
	struct dwarf_scope *then = outermost(before), *now = outermost(after);
	const struct dwarf_variable *only = NULL;
	int64_t off = 0;

	for (size_t i = 0; then && now && i < now->variable_count; i++) {
		const struct dwarf_variable *v = &now->variables[i],
					    *earlier = find(then, v);
		int64_t in =
			may_be_captured(v) && v->listed ? piece_in(v, load->reg) : -1;
		if (in < 0 || !earlier || piece_in(earlier, load->reg) >= 0)
			continue;
		if (only)
			return; /* one is a copy of the other */
		only = v;
		off = difference(load->off, in);
	}
	if (only && off >= WORD)
		set_offset(to, only, offset_of(variables, only, off));
}

/* Unoptimised code: the variable is stored to its only place. */
static void join_by_place(const struct code_variables *variables, const struct load *load,
			  struct dwarf_scope *to)
{
	struct err ignored;

	for (size_t i = 0; i < to->variable_count; i++) {
		struct dwarf_variable *v = &to->variables[i];
		const struct type *type = types_at(variables->types, v->type, &ignored);
		if (!may_be_captured(v) || v->listed || v->piece_count != 1 ||
		    v->pieces[0].where != DWARF_PIECE_CFA || !type)
			continue;
		int64_t in = difference(load->place, v->pieces[0].at);
		int64_t off = difference(load->off, in);
		if (in >= 0 && (uint64_t)in < type->size && off >= WORD)
			set_offset(to, v, off);
	}
}

/* What holds at the function's entry holds in all of it. */
static void join_by_entry(struct runtime *rt, const struct code *c,
			  struct code_variables *variables)
{
	const struct code *entry = code_with_calls(rt->code, c->entry, true);
	const struct code_variables *known = entry ? code_variables(rt, entry) : NULL;
	struct dwarf_scope *from = known ? outermost(known->scopes) : NULL;
	struct dwarf_scope *to = outermost(variables->scopes);

	for (size_t i = 0; from && i < from->variable_count; i++)
		if (from->variables[i].has_closure_offset)
			set_offset(to, &from->variables[i],
				   (int64_t)from->variables[i].closure_offset);
}

void closure_code_join(struct runtime *rt, const struct code *c, struct dwarf *d,
		       struct code_variables *variables)
{
	struct dwarf_scope *to = outermost(variables->scopes);
	struct load loads[LOADS_MAX];

	if (!to || variables->scopes->tells_closures || !c->call_count ||
	    !is_closure_name(code_own_call(c)->name))
		return;
	if (c->pc != c->entry || !c->at_instruction) {
		join_by_entry(rt, c, variables);
		return;
	}
	size_t n = read_loads(rt, c, loads);
	for (size_t i = 0; i < n; i++) {
		join_by_register(d, &loads[i], variables, to);
		if (loads[i].stored)
			join_by_place(variables, &loads[i], to);
	}
}
