/* SPDX-License-Identifier: Apache-2.0 */
/* filtering.c - an expression while it is typed: what is wrong with it, what may come next, what it leads to. */
#include <stdio.h>
#include <string.h>

#include "src/viewer/filter/filter.h"
#include "src/viewer/tui/tui_priv.h"

static void add_word(void *arg, const struct filter_candidate *candidate)
{
	line_format(arg, STYLE_FAINT, " %s", candidate->word);
}

void filtering_hint(struct tui *t, struct line *line)
{
	struct filter_error error = { .at = 0 };

	if (*text_words(&t->b->message))
		line_add(line, STYLE_ALARM, text_words(&t->b->message));
	else if (filter_check(t->prompt.words, &error) || error.unfinished ||
		 !t->prompt.len)
		filter_complete(t->prompt.words, t->prompt.len, add_word, line);
	else
		line_add(line, STYLE_ALARM, error.text);
}

/* What all candidates begin with. */
struct common {
	char words[64];
	size_t count;
};

static void take_common(void *arg, const struct filter_candidate *candidate)
{
	struct common *c = arg;
	size_t same = 0;

	if (c->count++ == 0) {
		snprintf(c->words, sizeof(c->words), "%s", candidate->word);
		return;
	}
	while (c->words[same] && c->words[same] == candidate->word[same])
		same++;
	c->words[same] = '\0';
}

void filtering_complete(struct tui *t)
{
	struct common common = { .count = 0 };
	const size_t from = filter_complete(t->prompt.words, t->prompt.len, take_common,
					    &common),
		     typed = t->prompt.len - from;

	if (common.count && strlen(common.words) > typed)
		prompt_add(&t->prompt, common.words + typed);
}

bool filtering_begin(struct tui *t)
{
	struct filter_error error = { .at = 0 };

	if (!t->prompt.len) {
		browse_list(t->b, (struct narrowing){ .kind = NARROW_NOT });
		return true;
	}
	AUTO(filter_free) struct filter *filter = filter_new();
	if (!filter_add_where(filter, ":", t->prompt.words, &error)) {
		browse_say(t->b, "%s", error.text);
		return false;
	}
	job_free(t->job);
	t->job = job_new_filter(t->b, TAKE(filter), t->prompt.words);
	return true;
}
