/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/redaction/expected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct redaction *make_redaction(enum redaction_mode mode, const char *rules)
{
	const struct redaction_options options = { .mode = mode, .rules = rules };
	struct err err;
	struct redaction *r = redaction_new(&options, &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

void expect_text(struct redaction *r, const char *text, const char *rule,
		 const char *left)
{
	/* Just as long as it is, so that a sanitizer sees who reads on. */
	size_t len = strlen(text);
	char *exact = malloc(len ? len : 1);
	memcpy(exact, text, len);
	struct redacted found = redaction_of_text(r, 0, exact, len);
	AUTO(xfree) char *words = found.text ? xstrndup(found.text, found.len) : NULL;
	free(exact);
	if (!rule != !found.rule || (rule && strcmp(rule, found.rule) != 0))
		fail_msg("%s: %s, not %s", text, found.rule ? found.rule : "nothing",
			 rule ? rule : "nothing");
	if (!left != !words || (left && strcmp(left, words) != 0))
		fail_msg("%s: %s is left, not %s", text, words ? words : "nothing",
			 left ? left : "nothing");
	redacted_done(&found);
}
