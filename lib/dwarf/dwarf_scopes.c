/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dwarf/dwarf_scopes.h"

#include <dwarf.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/dwarf/dwarf_priv.h"

enum { COMPARED = 64 /* bytes per step */ };

/* The scope and block for the children of the entry at one depth. */
struct level {
	size_t scope;
	uint32_t block;
};

struct gathering {
	struct dwarf_place place;
	uint64_t pc; /* for blocks and calls */
	struct dwarf_scopes *scopes;
	size_t scope_cap, variable_cap[LIMIT_SCOPE_DEPTH + 1], variables, shape_cap;
	struct level levels[LIMIT_SCOPE_DEPTH + 1];
	bool too_much;
};

/* Collected outermost first. False: too deep. */
static bool add_scope(struct gathering *g, const struct dwarf_entry *e, bool inlined)
{
	struct dwarf_scopes *s = g->scopes;
	struct dwarf_entry whole = *e;

	if (s->count > LIMIT_SCOPE_DEPTH)
		return false;
	dwarf_entry_integrate(g->place.es, &whole);
	GROW(s->list, s->count, g->scope_cap);
	s->list[s->count++] = (struct dwarf_scope){ .function = dwarf_entry_string(
							    g->place.es, &whole, AT_NAME),
						    .inlined = inlined };
	return true;
}

/* Instances of generic functions identify types by dictionary index, an attribute of a
 * typedef. */
static void read_dict_index(struct gathering *g, struct dwarf_variable *v)
{
	struct dwarf_entry type;

	if (dwarf_entry_at(g->place.es, v->type, &type) && type.unit->go &&
	    type.tag == DW_TAG_typedef)
		v->has_dict_index =
			dwarf_entry_unsigned(&type, AT_GO_DICT_INDEX, &v->dict_index);
	if (v->has_dict_index)
		v->shape = dwarf_entry_ref(&type, AT_TYPE);
}

/* The size of a type, or of the type behind it if it has none itself. */
static bool size_of(struct dwarf_entries *es, uint64_t type, uint64_t *ret)
{
	struct dwarf_entry e;

	for (int i = 0; i < LIMIT_TYPE_NAMES && dwarf_entry_at(es, type, &e); i++) {
		dwarf_entry_integrate(es, &e);
		if (dwarf_entry_unsigned(&e, AT_BYTE_SIZE, ret))
			return true;
		if (e.tag == DW_TAG_array_type || e.tag == DW_TAG_pointer_type)
			return false;
		type = dwarf_entry_ref(&e, AT_TYPE);
	}
	return false;
}

static bool same_place(const struct dwarf_piece *a, const struct dwarf_piece *b)
{
	return a->where == b->where && a->at == b->at && a->more == b->more;
}

/* Adds a location to a word. */
static void add_place(struct dwarf_piece *word, const struct dwarf_piece *piece)
{
	bool known =
		piece->where == DWARF_PIECE_NOWHERE || same_place(word, piece) ||
		(word->twice && piece->where == word->where && piece->at == word->other);

	if (word->where == DWARF_PIECE_NOWHERE) {
		*word = *piece;
	} else if (!known && !word->twice && word->where == DWARF_PIECE_CFA &&
		   piece->where == DWARF_PIECE_CFA) {
		word->twice = true;
		word->other = piece->at;
	} else if (!known) {
		*word = (struct dwarf_piece){ .where = DWARF_PIECE_UNKNOWN };
	}
}

/* Go 1.16 to 1.21 emit each word of many interfaces, strings and slices twice or more in
 * a row, some of them empty. False: not this pattern. */
static bool merge_repeated(struct dwarf_variable *v, uint64_t size)
{
	const size_t words = size / WORD;

	if (!words || size % WORD || v->piece_count % words)
		return false;
	for (size_t i = 0; i < v->piece_count; i++)
		if (v->pieces[i].size != WORD)
			return false;
	const size_t times = v->piece_count / words;
	for (size_t i = 0; i < words; i++) {
		struct dwarf_piece word = { .where = DWARF_PIECE_NOWHERE };
		for (size_t j = i * times; j < (i + 1) * times; j++)
			add_place(&word, &v->pieces[j]);
		word.size = WORD;
		v->pieces[i] = word;
	}
	v->piece_count = words;
	return true;
}

/* ... or emit one of the words twice in a row. */
static uint64_t drop_repeated(struct dwarf_variable *v, uint64_t sum, uint64_t size)
{
	size_t kept = 1;

	for (size_t i = 1; i < v->piece_count; i++) {
		const struct dwarf_piece *piece = &v->pieces[i],
					 *last = &v->pieces[i - 1];
		bool again = sum > size && piece->where != DWARF_PIECE_NOWHERE &&
			     same_place(piece, last) && piece->size == last->size;
		if (again)
			sum -= piece->size;
		else
			v->pieces[kept++] = *piece;
	}
	v->piece_count = kept;
	return sum;
}

/* Excess pieces cannot be told apart. A cap omitted at the end is merely unknown. */
static void check_pieces(struct dwarf_entries *es, struct dwarf_variable *v)
{
	uint64_t size, sum = 0;

	for (size_t i = 0; i < v->piece_count; i++)
		if (v->pieces[i].size <= UINT32_MAX)
			sum += v->pieces[i].size;
	bool fits = !sum || !size_of(es, v->type, &size) || sum <= size ||
		    merge_repeated(v, size) || drop_repeated(v, sum, size) == size;
	if (fits && v->piece_count <= DWARF_PIECES)
		return;
	v->pieces[0] =
		(struct dwarf_piece){ .where = DWARF_PIECE_UNKNOWN, .size = UINT64_MAX };
	v->piece_count = 1;
}

/* It will be compared with the names of all others. */
static const char *name_of(struct gathering *g, const struct dwarf_entry *variable)
{
	const char *name = dwarf_entry_string(g->place.es, variable, AT_NAME);

	if (!name || !dwarf_step(g->place.es, g->variables * (strlen(name) / COMPARED)))
		return NULL;
	return name;
}

static void add_variable(struct gathering *g, const struct dwarf_entry *e,
			 const struct level *level)
{
	struct dwarf_scope *scope = &g->scopes->list[level->scope];
	struct dwarf_entry whole = *e;
	uint64_t line = 0;

	if (g->variables++ >= LIMIT_SCOPE_VARIABLES) {
		g->too_much = true;
		return;
	}
	dwarf_entry_integrate(g->place.es, &whole);
	struct dwarf_variable v = { .name = name_of(g, &whole),
				    .type = dwarf_entry_ref(&whole, AT_TYPE),
				    .parameter = e->tag == DW_TAG_formal_parameter,
				    .depth = level->block };
	v.result = dwarf_entry_flag(&whole, AT_VARIABLE_PARAMETER);
	if (dwarf_entry_unsigned(&whole, AT_LINE, &line) && line <= UINT32_MAX)
		v.line = (uint32_t)line;
	if (e->unit->go) {
		v.has_closure_offset = dwarf_entry_unsigned(&whole, AT_GO_CLOSURE_OFFSET,
							    &v.closure_offset);
		read_dict_index(g, &v);
	}
	dwarf_locate(&g->place, &whole, &v);
	check_pieces(g->place.es, &v);
	GROW(scope->variables, scope->variable_count, g->variable_cap[level->scope]);
	scope->variables[scope->variable_count++] = v;
}

/* Static variables of C belong to the function rather than an instance: they appear once,
 * in the abstract instance. */
static void add_statics(struct gathering *g, const struct dwarf_entry *instance,
			const struct level *level)
{
	const uint64_t origin = dwarf_entry_ref(instance, AT_ORIGIN);
	struct dwarf_walk w = { .es = g->place.es };

	if (instance->unit->go || !origin || !dwarf_entry_at(w.es, origin, &w.entry))
		return;
	for (bool into = true; !g->too_much && dwarf_walk_next(&w, into);
	     into = w.entry.tag == DW_TAG_lexical_block)
		if (w.entry.tag == DW_TAG_variable && entry_has(&w.entry, AT_LOCATION))
			add_variable(g, &w.entry, level);
}

/* An inlined call must be in the innermost scope so far: anything else contradicts the
 * ranges by which that was found. */
static bool enter_call(struct gathering *g, const struct dwarf_entry *e,
		       const struct level *level, struct level *ret)
{
	*ret = (struct level){ .scope = g->scopes->count };
	if (level->scope + 1 != g->scopes->count ||
	    !dwarf_entry_covers(g->place.es, e, g->pc) || !add_scope(g, e, true))
		return false;
	add_statics(g, e, ret);
	return true;
}

static bool enter_block(struct gathering *g, const struct dwarf_entry *e,
			const struct level *level, struct level *ret)
{
	bool own = entry_has(e, AT_LOW_PC) || entry_has(e, AT_RANGES);

	*ret = (struct level){ level->scope, level->block + own };
	return dwarf_entry_covers(g->place.es, e, g->pc);
}

static void add_shape(struct gathering *g, const struct dwarf_entry *e)
{
	struct dwarf_scopes *s = g->scopes;
	struct dwarf_shape shape = { .type = dwarf_entry_ref(e, AT_TYPE) };

	if (!e->unit->go || !dwarf_entry_unsigned(e, AT_GO_DICT_INDEX, &shape.index) ||
	    s->shape_count >= LIMIT_SCOPE_VARIABLES)
		return;
	GROW(s->shapes, s->shape_count, g->shape_cap);
	s->shapes[s->shape_count++] = shape;
}

/* "main.F[go.shape.int].func1" uses the types of main.F[go.shape.int] without naming
 * them. */
static void gather_shapes_around(struct gathering *g, const struct dwarf_entry *function)
{
	const char *name = dwarf_entry_string(g->place.es, function, AT_NAME);
	const char *types = name ? strrchr(name, ']') : NULL;
	struct dwarf_walk w = { .es = g->place.es };

	if (!function->unit->go || !types ||
	    !dwarf_function_around(g->place.es, function->unit, name,
				   (size_t)(types - name), &w.entry))
		return;
	for (bool into = true; dwarf_walk_next(&w, into); into = false)
		if (w.entry.tag == DW_TAG_typedef)
			add_shape(g, &w.entry);
}

/* True: descend into the entry. */
static bool visit(struct gathering *g, const struct dwarf_entry *e, unsigned depth)
{
	const struct level *level = &g->levels[depth - 1];

	switch (e->tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
		add_variable(g, e, level);
		return false;
	case DW_TAG_typedef:
		if (depth == 1)
			add_shape(g, e);
		return false;
	case DW_TAG_inlined_subroutine:
		return depth <= LIMIT_SCOPE_DEPTH &&
		       enter_call(g, e, level, &g->levels[depth]);
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return depth <= LIMIT_SCOPE_DEPTH &&
		       enter_block(g, e, level, &g->levels[depth]);
	default:
		return false;
	}
}

/* A Go release emits the same abbreviations in all units, with all attributes that it
 * knows. */
static bool tells_closures(const struct dwarf_unit *unit)
{
	const struct dwarf_abbrevs *table = unit->abbrevs;

	for (size_t i = 0; unit->go && table && i < table->attr_count; i++)
		if (table->attrs[i].slot == AT_GO_CLOSURE_OFFSET)
			return true;
	return !unit->go;
}

static void gather(struct gathering *g, const struct dwarf_entry *function)
{
	struct dwarf_walk w = { .es = g->place.es, .entry = *function };
	bool into = true;

	g->scopes->tells_closures = tells_closures(function->unit);
	dwarf_frame_base(&g->place, function);
	add_scope(g, function, false);
	g->levels[0] = (struct level){ 0, 0 };
	add_statics(g, function, &g->levels[0]);
	while (!g->too_much && dwarf_walk_next(&w, into))
		into = visit(g, &w.entry, w.depth);
	gather_shapes_around(g, function);
}

static void reverse(struct dwarf_scopes *s)
{
	for (size_t i = 0; i < s->count / 2; i++) {
		struct dwarf_scope other = s->list[s->count - 1 - i];
		s->list[s->count - 1 - i] = s->list[i];
		s->list[i] = other;
	}
}

struct dwarf_scopes *dwarf_scopes_at(struct dwarf *d, uint64_t pc, bool at_instruction,
				     struct err *err)
{
	struct dwarf_entries *es = dwarf_entries(d);
	struct dwarf_entry function;
	struct gathering g = { .pc = at_instruction ? pc : pc - 1,
			       .place = { .es = es,
					  .arch = d->arch,
					  .pc = pc,
					  .at_instruction = at_instruction } };

	bool found = dwarf_function_at(es, g.pc, &function);
	AUTO(dwarf_scopes_free) struct dwarf_scopes *s = xcalloc(1, sizeof(*s));
	g.scopes = s;
	if (found)
		gather(&g, &function);
	reverse(s);
	if (!es->steps || g.too_much) {
		err_set(err, ERR_LIMIT, "too much debug information");
		return NULL;
	}
	if (!found && dwarf_is_elsewhere(es, g.pc)) {
		err_set(err, ERR_UNSUPPORTED,
			"its debug information is in a separate file (.dwo), which "
			"is not supported");
		return NULL;
	}
	if (!found) {
		err_set(err, ERR_NOT_FOUND, "no function at %#llx",
			(unsigned long long)pc);
		return NULL;
	}
	return TAKE(s);
}

bool dwarf_described(struct dwarf *d, uint64_t pc, bool at_instruction, uint64_t entry,
		     struct dwarf_variable *ret)
{
	struct dwarf_entries *es = dwarf_entries(d);
	struct dwarf_place place = {
		.es = es, .arch = d->arch, .pc = pc, .at_instruction = at_instruction
	};
	struct dwarf_entry function, e;

	*ret = (struct dwarf_variable){ .name = NULL };
	if (!dwarf_function_at(es, at_instruction ? pc : pc - 1, &function) ||
	    !dwarf_entry_at(es, entry, &e))
		return false;
	dwarf_frame_base(&place, &function);
	dwarf_entry_integrate(es, &e);
	ret->type = dwarf_entry_ref(&e, AT_TYPE);
	dwarf_locate(&place, &e, ret);
	check_pieces(es, ret);
	return true;
}

static bool is_call_of(struct dwarf_entries *es, const struct dwarf_entry *e,
		       const char *function)
{
	struct dwarf_entry whole = *e;

	if (e->tag != DW_TAG_inlined_subroutine)
		return false;
	dwarf_entry_integrate(es, &whole);
	const char *name = dwarf_entry_string(es, &whole, AT_NAME);
	return name && strcmp(name, function) == 0;
}

static bool first_parameter(struct dwarf_entries *es, uint64_t function,
			    struct dwarf_variable *ret)
{
	struct dwarf_walk w = { .es = es };
	uint64_t line = 0;

	if (!dwarf_entry_at(es, function, &w.entry))
		return false;
	for (bool into = true; dwarf_walk_next(&w, into); into = false) {
		if (w.entry.tag != DW_TAG_formal_parameter ||
		    dwarf_entry_flag(&w.entry, AT_VARIABLE_PARAMETER))
			continue;
		*ret = (struct dwarf_variable){
			.name = dwarf_entry_string(es, &w.entry, AT_NAME),
			.type = dwarf_entry_ref(&w.entry, AT_TYPE),
			.parameter = true,
		};
		if (dwarf_entry_unsigned(&w.entry, AT_LINE, &line) && line <= UINT32_MAX)
			ret->line = (uint32_t)line;
		return ret->name && ret->type;
	}
	return false;
}

bool dwarf_inlined_parameter(struct dwarf *d, uint64_t pc, const char *function,
			     struct dwarf_variable *ret)
{
	struct dwarf_walk w = { .es = dwarf_entries(d) };

	if (!dwarf_function_at(w.es, pc, &w.entry))
		return false;
	while (dwarf_walk_next(&w, true))
		if (is_call_of(w.es, &w.entry, function))
			return first_parameter(w.es, dwarf_entry_ref(&w.entry, AT_ORIGIN),
					       ret);
	return false;
}

void dwarf_scopes_free(struct dwarf_scopes *scopes)
{
	if (!scopes)
		return;
	for (size_t i = 0; i < scopes->count; i++) {
		struct dwarf_scope *scope = &scopes->list[i];
		for (size_t j = 0; j < scope->variable_count; j++)
			xfree(scope->variables[j].pieces);
		xfree(scope->variables);
	}
	xfree(scopes->list);
	xfree(scopes->shapes);
	xfree(scopes);
}
