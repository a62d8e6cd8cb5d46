/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h - what the document's values refer to. A pointer, map, channel or function
 * prints where it leads, and the number of an object, which the document has once for each
 * address and type. The numbers are known before the first byte is written: the printers
 * walk goroutines and objects to nowhere until nothing is found any more. Keeps some
 * hundred bytes for an object, and reads nothing itself. */
#ifndef GOSNAP_OBJECTS_H
#define GOSNAP_OBJECTS_H

#include "printers/values/print_values.h"

struct printing;
struct value_texts;
struct objects;

struct objects *objects_new(void);
void objects_free(struct objects *o);
DEFINE_AUTO(struct objects, objects_free)

size_t objects_count(const struct objects *o);
/* Begins another walk: references are counted anew. */
void objects_begin_walk(struct objects *o);
/* False: a value that this walk had already visited turned out to be secret, or nearer to a
 * frame: walk again. */
bool objects_settled(const struct objects *o);
/* One that has to be visited again in this walk, for what it refers to. False: there is none. */
bool objects_take_changed(struct objects *o, size_t *ret);
/* Has the walk come to all of them? */
bool objects_are_visited(const struct objects *o);
/* How many references to it this walk has met, and how large an object was when it was printed. */
uint64_t objects_referrers(const struct objects *o, size_t i);
void objects_measured(struct objects *o, size_t i, uint64_t bytes);
uint64_t objects_bytes(const struct objects *o, size_t i);
/* All that this walk has visited is what urgent goroutines refer to. */
void objects_mark_urgent(struct objects *o);
/* Gives them their order: those of urgent goroutines first, then by references from a frame. */
void objects_sort(struct objects *o);
/* Only the first n are in the document. References to others say so. */
void objects_limit(struct objects *o, size_t n);
/* References to those that are not, and the bytes of those that are. */
uint64_t objects_lost_references(const struct objects *o, size_t n);
uint64_t objects_promised(const struct objects *o);
/* No more are added. */
void objects_close(struct objects *o);
/* After that: was memory missed in which something may identify a secret? */
bool objects_missed_some(const struct objects *o);

/* Around what is not an object but refers to some: a goroutine, thread or package variable,
 * with any two words that tell it from others. Memory may be missed that would tell what is
 * secret: then all text is redacted in what leads there, and in what that leads to. memory
 * NULL: none is read. */
struct source {
	struct objects *objects; /* NULL: this does nothing */
	struct redaction *redaction;
	const struct target *memory;
	uint64_t a, b;
	uint64_t missed; /* private, as is the rest */
	bool suspect, leads;
};
void source_begin(struct source *source);
void source_end(struct source *source);

/* How to print them. */
struct object_printing {
	struct sink *out;
	struct objects *objects;
	const struct value_bounds *bounds;
	const struct snapshot_time *moment;
	const struct target *memory;
	const struct value_texts *known;
	struct redaction *redaction;
	uint64_t redacted; /* number of values redacted so far */
};
/* Object i, which may add others behind the last one. */
void print_object_members(struct object_printing *p, size_t i);

/* For the printers of pointers, maps, channels and functions: members of the open value.
 * content: `to` is what the runtime has for a map, channel or closure, and its type that of
 * the map, channel or function. */
void print_reference(struct printing *p, const struct value *to, bool content);

#endif
