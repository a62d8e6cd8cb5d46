/* SPDX-License-Identifier: Apache-2.0 */
/* redact_options.h - redaction options shared by all commands that read values, and all rules that a
 * command line names. */
#ifndef GOSNAP_REDACT_OPTIONS_H
#define GOSNAP_REDACT_OPTIONS_H

#include "lib/base/util.h"
#include "redaction/redaction.h"
#include "src/options/options.h"
#include "src/options/read_options.h"

extern const struct option_info redact_options[]; /* of struct redaction_options */

/* Read before anything is touched, so that what is wrong in them is said first. */
struct named_rules {
	struct redaction *secrets;
	struct value_rules *printers;
};
/* NULL: err says what is wrong, and where. */
struct named_rules *named_rules_read(const struct redaction_options *secrets,
				     const struct printer_files *printers,
				     struct err *err);
void named_rules_free(struct named_rules *rules);
DEFINE_AUTO(struct named_rules, named_rules_free)

#endif
