/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/page_data/states.h"

#include <stdlib.h>
#include <string.h>

#include "lib/document/sink.h"
#include "src/viewer/model/model.h"

enum { STATES = 40, NAME_BYTES = 80 };

struct state {
	uint32_t count;
	model_text name;
};

static int compare(const void *one, const void *other)
{
	const struct state *a = one, *b = other;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void write_pair(struct sink *out, const char *name, uint64_t count)
{
	sink_begin(out, SINK_ARRAY);
	if (name)
		sink_string(out, name);
	else
		sink_null(out);
	sink_uint(out, count);
	sink_end(out);
}

void states_write(struct sink *out, const struct model *m)
{
	const size_t names = model_text_count(m);
	AUTO(xfree) struct state *states = xcalloc(names, sizeof(*states));
	uint64_t of_runtime = 0;
	size_t count;
	const struct model_goroutine *all = model_goroutines(m, &count);

	for (size_t i = 0; i < names; i++)
		states[i].name = (model_text)i;
	for (size_t i = 0; i < count; i++) {
		if (all[i].system)
			of_runtime++;
		else
			states[model_state(&all[i])].count++;
	}
	qsort(states, names, sizeof(*states), compare);
	sink_named_begin(out, "states", SINK_ARRAY);
	for (size_t i = 0; i < names && i < STATES && states[i].count > 0; i++) {
		const char *name = model_text_of(m, states[i].name);
		if (strlen(name) <= NAME_BYTES)
			write_pair(out, name, states[i].count);
	}
	if (of_runtime > 0)
		write_pair(out, NULL, of_runtime);
	sink_end(out);
}
