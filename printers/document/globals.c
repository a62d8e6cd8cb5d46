/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/warnings.h"
#include "printers/document/print_document.h"

struct globals_printing {
	struct sink *out;
	struct goroutine_printing *p;
	struct runtime *runtime;
};

static void print_global(void *arg, const char *name, const struct value *v)
{
	struct globals_printing *g = arg;
	struct goroutine_printing *p = g->p;
	const struct one_value one = { .out = g->out,
				       .rt = g->runtime,
				       .bounds = p->values,
				       .moment = &p->moment,
				       .objects = p->objects,
				       .redaction = p->redaction,
				       .name = name,
				       .value = *v };

	p->redacted += print_one_value(&one);
	p->variables++;
}

void print_globals(struct sink *out, struct goroutine_printing *p, const char *packages,
		   struct warnings *warnings)
{
	uint64_t before = p->variables;
	struct err err;

	sink_begin(out, SINK_ARRAY);
	for (size_t i = 0; i < runtimes_count(p->runtimes); i++) {
		struct globals_printing g = { out, p, runtimes_get(p->runtimes, i) };
		bool done =
			runtime_each_global(g.runtime, packages, print_global, &g, &err);
		if (!warnings)
			continue;
		if (!done)
			warnings_add(warnings, "globals", "not available: %s", err.text);
		else if (p->variables == before)
			warnings_add(warnings, "globals",
				     "no package %s%.100s has variables",
				     packages[0] ? "matching " : "of the main module",
				     packages);
	}
	sink_end(out);
}
