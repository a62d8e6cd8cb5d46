/* SPDX-License-Identifier: Apache-2.0 */
/* naming.h - what says beside a value that it is a secret: the key of its entry, a field Key or Name of
 * its struct, the element before it in a list. For who prints and for who learns. Private to printers. */
#ifndef GOSNAP_NAMING_H
#define GOSNAP_NAMING_H

#include "goruntime/goruntime.h"
#include "redaction/redaction.h"

struct naming {
	struct runtime *rt;
	struct redaction *redaction;
};

/* Of a struct, the field that says what the others are called; NULL: it has none. */
const struct type_field *naming_field(const struct type *type);
/* Is f one of those others? Not what is embedded as an interface, as the parent of a context is. */
bool is_named_by(const struct type_field *naming, const struct type_field *f);

/* The rule that withholds what has this key, as a string says it, a struct with such a string, or the
 * name of the type inside of an interface; NULL: none does. */
const char *rule_of_key(const struct naming *n, const struct value *key);
/* The same of the entry of a map: those of forms have names that mean nothing elsewhere. */
const char *rule_of_entry(const struct naming *n, const struct value *key,
			  const struct type *elem);

/* One element of a list after the other. */
struct listed {
	struct value before;
	bool named; /* it has a name itself */
	struct arguments arguments;
};
/* The rule that withholds element i of n; of a string, what is behind its first *ret_from bytes. */
const char *rule_of_element(const struct naming *n, struct listed *list,
			    const struct value *element, uint64_t i, uint64_t count,
			    size_t *ret_from);

#endif
