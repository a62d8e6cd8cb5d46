/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h - what values refer to: objects of the document, each parsed when it is first wanted, and kept
 * until they are forgotten. */
#ifndef GOSNAP_OBJECTS_H
#define GOSNAP_OBJECTS_H

#include "lib/base/table.h"
#include "src/viewer/model/model.h"

/* Zero it; model is borrowed. */
struct objects {
	struct model *model;
	struct table at; /* places in nodes, plus one, by number */
	const struct reader_node **nodes;
	size_t count, cap;
};

/* Forgets all: nodes that were got are no more. */
void objects_forget(struct objects *objects);
void objects_done(struct objects *objects);

/* What a value is, after references and interfaces: the value that has the parts, or itself. Borrowed. */
const struct reader_node *objects_resolve(struct objects *objects,
					  const struct reader_node *value);
/* It is a reference to an object, which objects_resolve() would have to parse; looks into interfaces. */
bool objects_refers(const struct reader_node *value);

/* A value somewhere in it refers to that address, or is there. */
bool objects_mention(const struct reader_node *node, uint64_t address);

#endif
