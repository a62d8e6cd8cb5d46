/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/frames/loop_bodies.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/base/util.h"

/* "main.f-range1-range2" (cmd/compile/internal/rangefunc). Returns the length of the name
 * of the function it is written in. */
static size_t around_loops(const char *name)
{
	static const char suffix[] = "-range";
	size_t len = strlen(name);

	for (;;) {
		size_t rest = len;
		while (rest && name[rest - 1] >= '0' && name[rest - 1] <= '9')
			rest--;
		if (rest == len || rest < sizeof(suffix) ||
		    memcmp(name + rest - strlen(suffix), suffix, strlen(suffix)) != 0)
			return len;
		len = rest - strlen(suffix);
	}
}

bool is_loop_body(const char *function)
{
	return function[around_loops(function)];
}

struct call {
	const char *function;
	size_t at; /* index in the stack */
};

static int by_name(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	int order = x->function == y->function ? 0 : strcmp(x->function, y->function);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* All calls of a stack, sorted by name. [from, to) are those of the function around
 * `body`. */
struct calls {
	struct call *list;
	size_t count;
	const char *body;
	size_t from, to;
};

/* The first call with a name not below this one or, with past, above it. */
static size_t first(const struct calls *c, const char *name, size_t len, bool past)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const char *function = c->list[middle].function;
		const int order = strncmp(function, name, len);
		if (order < 0 || (past && !order && !function[len]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void find_around(struct calls *c, const char *body)
{
	const size_t len = around_loops(body);

	c->body = body;
	c->from = c->to = 0;
	if (!body[len])
		return;
	c->from = first(c, body, len, false);
	c->to = first(c, body, len, true);
}

/* The nearest of them further out. */
static uint32_t distance(const struct calls *c, size_t at)
{
	size_t low =
		c->from + LOWER_BOUND(i, c->to - c->from, c->list[c->from + i].at <= at);

	return low < c->to ? (uint32_t)(c->list[low].at - at) : 0;
}

void loop_bodies_join(const char *const *functions, size_t n, uint32_t *ret)
{
	AUTO(xfree) struct call *list = xcalloc(n + 1, sizeof(*list));
	struct calls c = { .list = list };

	for (size_t i = 0; i < n; i++) {
		ret[i] = 0;
		if (functions[i])
			list[c.count++] = (struct call){ functions[i], i };
	}
	qsort(list, c.count, sizeof(*list), by_name);
	for (size_t i = 0; i < c.count; i++) {
		if (list[i].function != c.body)
			find_around(&c, list[i].function);
		ret[list[i].at] = distance(&c, list[i].at);
	}
}
