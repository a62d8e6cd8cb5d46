/* SPDX-License-Identifier: Apache-2.0 */
/* heap_summary.h - how many objects of which sizes and types are in the heap of a runtime, how many of them can
 * still be reached, and what keeps these alive. The main header of goruntime/retention, which finds that out:
 * roots are global variables, stacks, finalizers and cleanups, see goruntime/heap/heap.h. Knows objects and
 * what refers to them; prints nothing. */
#ifndef GOSNAP_HEAP_SUMMARY_H
#define GOSNAP_HEAP_SUMMARY_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct runtime;
struct target;

struct heap_amount {
	uint64_t objects, bytes;
};

static inline void heap_amount_add(struct heap_amount *to, const struct heap_amount *a)
{
	to->objects += a->objects;
	to->bytes += a->bytes;
}

/* Objects whose places have the same size. */
struct heap_class {
	uint64_t size; /* 0: all that are larger than HEAP_SMALL */
	bool no_pointers;
	struct heap_amount live, garbage;
};

enum { HEAP_SMALL = 32 << 10, HEAP_BIGGEST = 10 };

struct heap_type {
	char *name; /* as heap_type_name() */
	struct heap_amount live, garbage;
	struct heap_amount retained; /* see retained_sizes.h */
};

struct heap_big {
	uint64_t addr, size;
	char *type; /* NULL: not known */
};

/* An object, and what would go with it. */
struct heap_keeper {
	struct heap_big object;
	struct heap_amount retained; /* with itself */
	uint64_t
		dominator; /* the object that would take it along, the nearest; 0: none */
};

enum { HEAP_PATH_STEPS = 32 };

enum heap_root_kind {
	HEAP_ROOT_GOROUTINE,
	HEAP_ROOT_GLOBAL,
	HEAP_ROOT_OTHER /* finalizers, cleanups, what runs */
};

struct heap_root {
	enum heap_root_kind kind;
	uint64_t id;		  /* of the goroutine; address of the variable */
	char *name;		  /* of the variable; NULL: not known */
	struct heap_amount alone; /* what it keeps alive, and no other does */
};

struct heap_step {
	uint64_t addr; /* of an object */
	char *type;    /* NULL: not known */
	char *part; /* of it, that refers to the next one: ".items[2]"; NULL: not known */
};

/* From a root to an object. */
struct heap_path {
	bool known;
	struct heap_root root;
	struct heap_step steps[HEAP_PATH_STEPS]; /* the object first */
	size_t count, omitted;			 /* those next to the root are left out */
};

/* From a root over objects of these types. A type that is on the way already is not on it again: what it
 * leads to is where it led to the first time. */
struct heap_way {
	size_t parent;		 /* 1 + its index; 0: this is a root */
	char *name;		 /* of the root or type */
	struct heap_amount live; /* objects at its end */
};

/* Cheaply: if the heap has at most HEAP_FEW_OBJECTS places, and if it takes no more memory than an eighth of the
 * heap, or than HEAP_LITTLE, beside 8 bytes for each place (retained_sizes.h says what it takes). */
enum heap_retained_wish { HEAP_RETAINED_NO, HEAP_RETAINED_CHEAPLY, HEAP_RETAINED_ALWAYS };
enum { HEAP_FEW_OBJECTS = 4 << 20, HEAP_LITTLE = 64 << 20 };

/* What is wanted beside counts. */
struct heap_wishes {
	uint64_t ns;			  /* that it may take; 0: no limit */
	_Atomic uint64_t *megabytes_read; /* as in struct heap_limits */
	bool paths;			  /* to the biggest objects */
	bool ways;			  /* of all objects */
	enum heap_retained_wish retained; /* what types and objects retain */
	/* The biggest objects are to be of that type, as heap_type_name() spells it; NULL: of any. */
	const char *type;
};

struct heap_summary {
	struct heap_amount live, garbage;
	uint64_t free; /* bytes in between: free places, and what is left over in spans */
	uint64_t unreadable;	    /* bytes: what only they refer to counts as garbage */
	struct heap_class *classes; /* with any objects, those with most bytes first */
	size_t class_count;
	struct heap_type *types; /* likewise */
	size_t type_count;
	struct heap_amount untyped_live, untyped_garbage; /* in no type */
	struct heap_big biggest[HEAP_BIGGEST]; /* that are live, the biggest first */
	size_t biggest_count;
	struct heap_path *paths; /* to each of these; NULL: not wanted */
	struct heap_way *ways;	 /* parents before others; NULL: not wanted */
	size_t way_count;
	struct heap_root *roots; /* that keep any alone, those that keep most first */
	size_t root_count;
	struct heap_amount shared; /* what several roots keep */
	bool retained;		   /* it is known what types and objects retain */
	char *not_retained; /* why not, if that was wanted; NULL: it is known, or was not wanted */
	struct heap_keeper keepers[HEAP_BIGGEST]; /* that retain most */
	size_t keeper_count;
};

/* After runtimes_decode(). memory: the copy or the core. False: ERR_LIMIT, it took more time than it may; or
 * the heap is not known. heap_summary_done() in either case. */
MUST_CHECK bool heap_summarize(struct runtime *rt, struct target *memory,
			       const struct heap_wishes *wishes, struct heap_summary *ret,
			       struct err *err);
void heap_summary_done(struct heap_summary *summary);

#endif
