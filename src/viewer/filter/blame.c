/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter did, in words. */
#include <inttypes.h>

#include "src/viewer/filter/filter_priv.h"
#include "src/viewer/terminal/text.h"

enum { MISSING_SHOWN = 8 };

void filter_blame(const struct filter *filter, struct text *text)
{
	const size_t before = text->len;

	for (size_t i = 0; i < filter->given_count; i++) {
		const struct given *given = &filter->given[i];
		const struct conjunct *c = &filter->conjuncts[given->conjunct];
		if (c->passed == 0 && c->asked > 0)
			text_add(text, "%s%s--%s '%s'", text->len == before ? "" : ", ",
				 given->negated ? "--not " : "", given->name,
				 given->words);
	}
	if (text->len == before)
		text_add(text, "all filters together");
}

static void add_range(struct text *text, const struct literal *range, bool first)
{
	text_add(text, "%s%" PRId64, first ? "" : ", ", (int64_t)range->low);
	if (range->high > range->low)
		text_add(text, "-%" PRId64, (int64_t)range->high);
}

void filter_add_missing(const struct filter *filter, struct text *text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < filter->count; i++) {
		const struct expression *ids = conjunct_ids(&filter->conjuncts[i]);
		for (size_t k = 0; ids && k < ids->count; k++)
			if (!ids->literals[k].met && n++ < MISSING_SHOWN)
				add_range(text, &ids->literals[k], n == 1);
	}
	if (n > MISSING_SHOWN) {
		text_add(text, " and ");
		text_add_count(text, n - MISSING_SHOWN);
		text_add(text, " more");
	}
}
