/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/extras_printers.h"

static void print_panic(struct sink *out, const struct goroutine_printing *p,
			const struct panic *panic)
{
	const struct runtime *rt = p->runtime;
	const struct {
		const char *name;
		bool is;
	} flags[] = {
		{ "recovered", panic->recovered },
		{ "goexit", panic->goexit },
		{ "aborted", panic->aborted },
		{ "repanicked", panic->repanicked },
	};

	sink_begin(out, SINK_OBJECT);
	if (panic->type.bytes)
		print_text(out, rt, "type", &panic->type);
	if (panic->printed.bytes)
		print_text_masked(out, p, "printed", &panic->printed, NULL);
	if (panic->printed.omitted)
		sink_named_uint(out, "omitted", panic->printed.omitted);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].is)
			sink_named_bool(out, flags[i].name, true);
	if (panic->unreadable)
		sink_named_string(out, "unreadable",
				  runtime_reason(rt, panic->unreadable));
	sink_end(out);
}

void print_panics(struct sink *out, const struct goroutine_printing *p,
		  const struct goroutine *g)
{
	const struct panic_list *panics = runtime_panics(p->runtime, g);

	if (!panics)
		return;
	sink_named_begin(out, "panics", SINK_ARRAY);
	for (size_t i = 0; i < panics->count; i++)
		print_panic(out, p, &panics->list[i]);
	print_rest(out, p->runtime, panics->unreadable, 0);
	sink_end(out);
}
