/* SPDX-License-Identifier: Apache-2.0 */
/* naming.h - what next to a value names it as a secret: the key of its entry, a field Key
 * or Name of its struct, the element before it in a list. For printing and for learning.
 * Private to printers. */
#ifndef GOSNAP_NAMING_H
#define GOSNAP_NAMING_H

#include "goruntime/goruntime.h"
#include "redaction/redaction.h"

struct naming {
	struct runtime *rt;
	struct redaction *redaction;
};

/* The field of a struct that names the other fields; NULL: none. */
const struct type_field *naming_field(const struct type *type);
/* Is f one of those? An embedded interface, such as a context's parent, is not. */
bool is_named_by(const struct type_field *naming, const struct type_field *f);

/* The rule that redacts the value with this key: a string, a struct with such a string,
 * or an interface, by the name of its dynamic type. NULL: none. */
const char *rule_of_key(const struct naming *n, const struct value *key);
/* The same for a map entry: forms have names that mean nothing elsewhere, and of some names
 * the text tells more. */
const char *rule_of_entry(const struct naming *n, const struct value *key,
			  const struct value *elem);

/* State of a walk over the elements of a list. */
struct listed {
	struct value before;
	bool named; /* before has a name itself */
	struct arguments arguments;
};
/* The rule that redacts element i of count; of a string, only what follows its first
 * *ret_from bytes. */
const char *rule_of_element(const struct naming *n, struct listed *list,
			    const struct value *element, uint64_t i, uint64_t count,
			    size_t *ret_from);

#endif
