/* SPDX-License-Identifier: Apache-2.0 */
/* expected.h - rules to ask, and what they should say of a text. */
#ifndef GOSNAP_TEST_REDACTION_EXPECTED_H
#define GOSNAP_TEST_REDACTION_EXPECTED_H

#include "redaction/redaction.h"

/* rules: a file with more, or NULL. */
struct redaction *make_redaction(enum redaction_mode mode, const char *rules);
/* NULL: no rule; nothing is left in its place. */
void expect_text(struct redaction *r, const char *text, const char *rule,
		 const char *left);

#endif
