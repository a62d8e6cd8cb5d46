/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/sample.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

enum { OF_GROUP = 4 }; /* goroutines */

/* chosen: by groups, plus one, how many are. */
static bool is_first_of_group(struct table *chosen, const struct model_goroutine *g)
{
	const uint64_t count = table_get(chosen, g->group, 0);

	if (count > OF_GROUP)
		return false;
	table_set(chosen, g->group, 0, count ? count + 1 : 2);
	return true;
}

void sample_choose(struct sample *sample, struct start *start)
{
	const struct row_list *rows = &start->rows;
	struct table chosen = { .slots = NULL };

	sample->whole = xcalloc(rows->count + 1, sizeof(*sample->whole));
	sample->named = xcalloc(rows->count + 1, sizeof(*sample->named));
	for (size_t i = 0; i < rows->count; i++) {
		sample->named[i] =
			sample->all || named_has(start_named(start), row_number(rows, i));
		sample->whole[i] =
			sample->named[i] || is_first_of_group(&chosen, row_at(rows, i));
	}
	table_free(&chosen);
}

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* The key cannot be within a string, whose quotes have a backslash before them. Objects are in the order of
 * their distance from a frame: what one refers to comes behind it, but for what is as near as itself. */
void sample_follow(struct sample *sample, const char *json, size_t len)
{
	static const char key[] = "\"object\"";
	const char *const end = json + len;
	const char *at = json;

	while ((at = memmem(at, (size_t)(end - at), key, strlen(key)))) {
		at = skip_space(at + strlen(key));
		if (*at != ':')
			continue;
		at = skip_space(at + 1);
		if (*at >= '0' && *at <= '9')
			table_add(&sample->objects, strtoull(at, NULL, 10), 0);
	}
}

bool sample_has_object(const struct sample *sample, size_t number)
{
	return sample->all || table_get(&sample->objects, number, 0) != 0;
}

void sample_done(struct sample *sample)
{
	xfree(sample->whole);
	xfree(sample->named);
	table_free(&sample->objects);
}
