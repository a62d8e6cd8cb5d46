/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h - values of one element of the document, and what they refer to: an object is in it once, where it is
 * first referred to; here it is found from everywhere. */
#ifndef GOSNAP_OBJECTS_H
#define GOSNAP_OBJECTS_H

#include "lib/base/table.h"
#include "lib/document/reader.h"

/* Zero it. */
struct objects {
	struct table at; /* the first value that has it, by its number */
};

/* node: of model_open_inline(); borrowed. */
void objects_read(struct objects *objects, const struct reader_node *node);
void objects_done(struct objects *objects);

/* What a value is, after references and interfaces: the value that has the parts. */
const struct reader_node *objects_resolve(const struct objects *objects,
					  const struct reader_node *value);
/* It refers to what was not followed so far, but could be. */
bool objects_is_left(const struct objects *objects, const struct reader_node *value);

#endif
