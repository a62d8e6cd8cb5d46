/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - people's own rules for how values are printed: gosnap-printers(5). */
#ifndef GOSNAP_RULES_H
#define GOSNAP_RULES_H

#include "goruntime/goruntime.h"

struct value_rules;
struct value_rules *value_rules_new(void);
void value_rules_free(struct value_rules *rules);
DEFINE_AUTO(struct value_rules, value_rules_free)
/* Those of one more file, behind the others: the first that fits a type is its own. ERR_USAGE,
 * with the file and the line, or ERR_SYS. */
MUST_CHECK bool value_rules_read(struct value_rules *rules, const char *path,
				 struct err *err);
/* The files, in that order. rules may be NULL. */
size_t value_rules_files(const struct value_rules *rules);
const char *value_rules_file(const struct value_rules *rules, size_t i);

#endif
