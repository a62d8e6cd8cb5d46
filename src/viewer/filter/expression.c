/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/expression.h"

#include <string.h>

#include "lib/base/ere.h"

struct expression *expression_new(enum expression_kind kind)
{
	struct expression *x = xcalloc(1, sizeof(*x));

	x->kind = kind;
	return x;
}

static void path_done(struct path *path)
{
	for (size_t i = 0; i < path->count; i++)
		xfree(path->steps[i].name);
	xfree(path->steps);
	xfree(path->key);
}

void expression_free(struct expression *x)
{
	if (!x)
		return;
	for (struct expression *part = x->first, *next; part; part = next) {
		next = part->next;
		expression_free(part);
	}
	for (size_t i = 0; i < x->count; i++)
		xfree(x->literals[i].words);
	xfree(x->literals);
	path_done(&x->path);
	ere_free(x->ere);
	xfree(x->known);
	xfree(x);
}

/* Those of equal cost stay in order. */
void expression_add(struct expression *to, struct expression *part)
{
	struct expression **place = &to->first;

	while (*place && (*place)->cost <= part->cost)
		place = &(*place)->next;
	part->next = *place;
	*place = part;
	if (part->cost > to->cost)
		to->cost = part->cost;
}

struct expression *expression_of_field(enum expression_kind kind,
				       const struct field *field)
{
	struct expression *x = expression_new(kind);

	x->path.field = field;
	x->cost = field_cost(field);
	return x;
}

struct literal *expression_literal(struct expression *x, enum literal_kind kind)
{
	GROW(x->literals, x->count, x->cap);
	x->literals[x->count] = (struct literal){ .kind = kind };
	return &x->literals[x->count++];
}

struct step *path_add(struct path *path, enum step_kind kind)
{
	GROW(path->steps, path->count, path->cap);
	path->steps[path->count] = (struct step){ .kind = kind };
	return &path->steps[path->count++];
}

void expression_forget(struct expression *x)
{
	xfree(x->known);
	x->known = NULL;
	for (struct expression *part = x->first; part; part = part->next)
		expression_forget(part);
}

bool expression_names_ids(const struct expression *x)
{
	return x->kind == EXPRESSION_COMPARE && x->path.field->row == ROW_ID &&
	       (x->how == COMPARE_EQUAL || x->how == COMPARE_IN);
}
