/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of filters: what is wrong is said, and where; what is not is asked of each goroutine of a
 * small document. The input is the text. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/viewer/filter/filter.h"
#include "src/viewer/model/model.h"
#include "src/viewer/terminal/text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/src/viewer/filtered.h"

enum { SOME = 16 };

static struct model *model;

static void explain(const struct filter_error *error, const char *text)
{
	struct text said = { .words = NULL };

	assert(error->text[0] && error->at + error->len <= strlen(text));
	filter_error_explain(error, text, &said);
	assert(strstr(text_words(&said), "^"));
	text_done(&said);
}

static void ask(struct filter *filter)
{
	size_t n, passed = 0;
	struct text text = { .words = NULL };

	model_goroutines(model, &n);
	filter_begin(filter, model);
	for (uint32_t row = 0; row < n; row++)
		passed += filter_passes(filter, row);
	for (uint32_t row = 0; row < n;
	     row++) /* the same again, now that much is known */
		passed -= filter_passes(filter, row);
	assert(passed == 0);
	filter_blame(filter, &text);
	filter_add_missing(filter, &text);
	text_done(&text);
}

static void add_candidate(void *arg, const struct filter_candidate *candidate)
{
	size_t *all = arg;

	assert(candidate->word[0] && candidate->about[0]);
	++*all;
}

static void complete(const char *text)
{
	const size_t len = strlen(text);

	for (size_t cursor = len > 8 ? len - 8 : 0; cursor <= len; cursor++) {
		size_t all = 0;
		assert(filter_complete(text, cursor, add_candidate, &all) <= cursor);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(xfree) char *text = xstrndup((const char *)data, size);
	AUTO(filter_free) struct filter *filter = filter_new();
	struct filter_error error, checked;

	if (!model)
		model = filtered_model();
	const bool sound = filter_check(text, &checked);
	if (!sound)
		explain(&checked, text);
	if (strchr(text, '~') && size % SOME) {
		/* compiling a regular expression takes a process, and long */
	} else if (filter_add_where(filter, "where", text, &error)) {
		assert(sound);
		ask(filter);
	} else {
		explain(&error, text);
		assert(filter_is_empty(filter));
	}
	complete(text);
	return 0;
}
