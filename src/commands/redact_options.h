/* SPDX-License-Identifier: Apache-2.0 */
/* redact_options.h - redaction options shared by all commands that read values. These
 * commands include the rows in their option tables. */
#ifndef GOSNAP_REDACT_OPTIONS_H
#define GOSNAP_REDACT_OPTIONS_H

#include "lib/base/err.h"
#include "redaction/redaction.h"

enum redact_option { REDACT_RULES, REDACT_KEY, REDACT_NONE, REDACT_OPTIONS };

/* clang-format off */
/* first: the table index of the first of them. */
#define REDACT_ROWS(first)                                                               \
	[(first) + REDACT_RULES] = { 0, "redact", "FILE", "also redact by the rules in FILE; strict: all text" }, \
	[(first) + REDACT_KEY] = { 0, "redact-key", "FILE", "with the same key, equal secrets have equal hashes" }, \
	[(first) + REDACT_NONE] = { 0, "no-redact", NULL, "redact nothing, not even passwords and keys" }
/* clang-format on */

/* Handles one of the options above. ERR_USAGE: contradictory options. */
MUST_CHECK bool redact_option(struct redaction_options *options,
			      enum redact_option option, const char *argument,
			      struct err *err);

#endif
