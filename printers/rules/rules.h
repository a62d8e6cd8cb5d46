/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the user's rules for printing values: gosnap-printers(5). Reads a file of
 * them and finds those for a type; print_values.h applies them. They live until
 * value_rules_free(). Knows names of types, fields and functions; reads no value. */
#ifndef GOSNAP_RULES_H
#define GOSNAP_RULES_H

#include "goruntime/goruntime.h"

struct value_rules;
struct value_rules *value_rules_new(void);
void value_rules_free(struct value_rules *rules);
DEFINE_AUTO(struct value_rules, value_rules_free)
/* Appends the rules of a file; the first rule that matches a type applies. ERR_USAGE,
 * naming file and line, or ERR_SYS. */
MUST_CHECK bool value_rules_read(struct value_rules *rules, const char *path,
				 struct err *err);
/* The files read, in that order. rules may be NULL. Borrowed until value_rules_free(). */
size_t value_rules_files(const struct value_rules *rules);
const char *value_rules_file(const struct value_rules *rules, size_t i);

#endif
