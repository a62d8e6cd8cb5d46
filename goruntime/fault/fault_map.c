/* SPDX-License-Identifier: Apache-2.0 */
/* Who else uses a map when the runtime finds that two do. The code of maps is in runtime/map*.go and,
 * from 1.24 on, in internal/runtime/maps. */
#include <string.h>

#include "goruntime/fault/fault_priv.h"

enum { OTHERS_MAX = 16, INNERMOST = 16 /* frames */ };

static bool is_map_code(const char *function)
{
	static const char *const begins[] = {
		"runtime.map",	    "runtime.(*hmap)",	"internal/runtime/maps.",
		"runtime.evacuate", "runtime.growWork", "runtime.hashGrow"
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (strncmp(function, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* A map function may call others of the runtime, and be interrupted. */
static bool uses_map(struct runtime *rt, const struct goroutine *g)
{
	struct stack stack = runtimes_stack(rt->shared, g->stack);
	struct runtime *ignored;

	for (uint32_t i = 0; i < stack.count && i < INNERMOST; i++) {
		const struct code *c =
			code_of_frame(rt->shared, &stack.frames[i], &ignored);
		if (!c || c->call_count == 0)
			return false;
		const char *name = code_own_call(c)->name;
		if (is_map_code(name))
			return true;
		if (strncmp(name, "runtime.", strlen("runtime.")) != 0)
			return false;
	}
	return false;
}

void fault_find_others(struct fault *fault)
{
	struct runtime *rt = fault->runtime;
	static const char begin[] = "fatal error: concurrent map ";

	if (!rt || !fault->message || !strstr(fault->message, begin) || fault->others)
		return;
	fault->others = xcalloc(OTHERS_MAX, sizeof(*fault->others));
	for (size_t i = 0; i < rt->goroutine_count && fault->other_count < OTHERS_MAX;
	     i++) {
		const struct goroutine *g = runtime_goroutine(rt, i);
		if (g != fault->goroutine && g->stack != NO_STACK && uses_map(rt, g))
			fault->others[fault->other_count++] = g->id;
	}
}
