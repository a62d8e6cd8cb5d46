/* SPDX-License-Identifier: Apache-2.0 */
/* left_out.c - how much of a document a page has, in a sentence. */
#include <stdio.h>

#include "src/viewer/html/html.h"

static void add_count(FILE *out, const struct head_count *count, const char *what)
{
	if (count->left_out > 0)
		fprintf(out, "%zu of %zu %s, ", count->all - count->left_out, count->all,
			what);
}

char *html_left_out(const struct html_summary *summary)
{
	const struct head_counts *counts = &summary->counts;
	const size_t goroutines = counts->goroutines.all - counts->goroutines.left_out;
	char *words = NULL;
	size_t len;

	if (!summary->lacks_values && !head_is_part(counts))
		return NULL;
	FILE *out = open_memstream(&words, &len);
	if (!out)
		out_of_memory();
	fputs("the page has ", out);
	add_count(out, &counts->goroutines, "goroutines");
	add_count(out, &counts->groups, "groups");
	for (enum model_list list = 0; list < MODEL_LISTS; list++)
		if (head_list_name(list))
			add_count(out, &counts->lists[list], head_list_name(list));
	if (summary->lacks_values)
		fprintf(out, "values of %zu of %zu goroutines, ", summary->with_values,
			goroutines);
	fputs("for want of room: gosnap serve shows everything", out);
	if (fclose(out) != 0)
		out_of_memory();
	return words;
}
