/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - the Go heap as it is in memory: its spans, the objects in them, and which of these can be
 * reached. The main header of goruntime/heap. Reads a copy or a core; with a process that runs, what it
 * says is of no instant.
 *
 * Objects, global variables and stacks are read as the collector reads them, by its bitmaps and types.
 * Where these are not known or damaged, each aligned word counts as a pointer if it is an address in an
 * object. So what is not marked cannot be reached, except by pointers that the collector does not see
 * either, and by those in the memory of C; what is marked may be garbage, but seldom is. Knows spans and
 * words; nothing of types or of what is printed. */
#ifndef GOSNAP_HEAP_H
#define GOSNAP_HEAP_H

#include "goruntime/runtime/runtime_priv.h"

struct heap;

/* What marking may take, from heap_open() on. 0: no limit. */
struct heap_limits {
	uint64_t ns;			  /* of time */
	uint64_t bytes;			  /* of memory read */
	_Atomic uint64_t *megabytes_read; /* so far, for who watches; NULL: nobody does */
};

/* memory: of rt, at one instant; must outlive the heap. NULL: ERR_UNSUPPORTED, ERR_NOT_FOUND,
 * ERR_BAD_DATA or ERR_LIMIT: the heap is not known. */
struct heap *heap_open(struct runtime *rt, struct target *memory,
		       const struct heap_limits *limits, struct err *err);
void heap_close(struct heap *heap);
DEFINE_AUTO(struct heap, heap_close)

struct heap_object {
	uint64_t addr, size; /* of its place: at least what was asked for */
	bool no_pointers;
	uint16_t type; /* its number; 0: not known */
};

/* The object with that address in it. False: it is not in one. It may be free: nothing is known of
 * that. */
bool heap_object(const struct heap *heap, uint64_t addr, struct heap_object *ret);

/* Before anything is marked: finds the types of objects, too. */
void heap_find_types(struct heap *heap);
/* Types have numbers from 1 on. Several may have the same name. */
size_t heap_type_count(const struct heap *heap);
/* "main.order", "[]main.order" of what a slice has, "map[string]int", and with what it is of it in
 * brackets: "map[string]int (entries)". The caller frees it. */
char *heap_type_name(const struct heap *heap, uint16_t number);

/* The name of the global variable at that address, if types were looked for and debug information has it.
 * The caller frees it. NULL: not known. */
char *heap_global_name(const struct heap *heap, uint64_t addr);

/* Marks what these words refer to; what that refers to, heap_mark() finds out. */
void heap_mark_word(struct heap *heap, uint64_t word);
void heap_mark_words(struct heap *heap, const void *bytes, size_t len);
void heap_mark_range(struct heap *heap, uint64_t addr, uint64_t len);
/* The same for global variables, for what finalizers and cleanups need, those of objects that are there
 * and those that wait to be called, for the registers and scheduler stacks of threads, and for the stack
 * of a goroutine of this runtime; goroutines with the same stack after one another are faster. */
void heap_mark_globals(struct heap *heap);
void heap_mark_specials(struct heap *heap);
void heap_mark_queues(struct heap *heap);
void heap_mark_threads(struct heap *heap);
void heap_mark_stack(struct heap *heap, const struct goroutine *g);
/* All of these, of all goroutines. */
void heap_mark_roots(struct heap *heap);

/* Marks all that marked objects refer to. False: ERR_LIMIT, it gave up. */
MUST_CHECK bool heap_mark(struct heap *heap, struct err *err);
/* Afterwards: marks what else is allocated. It counts as not marked for heap_each_allocated(). */
MUST_CHECK bool heap_mark_garbage(struct heap *heap, struct err *err);
bool heap_is_marked(const struct heap *heap, uint64_t addr);

/* Bytes of objects that could not be read: what only they refer to is not marked. */
uint64_t heap_unreadable(const struct heap *heap);

/* Calls fn for each object that is allocated, in the order of addresses. False: ERR_UNSUPPORTED, that is not
 * known; or ERR_LIMIT. */
typedef void heap_object_fn(void *arg, const struct heap_object *object, bool marked);
MUST_CHECK bool heap_each_allocated(struct heap *heap, heap_object_fn *fn, void *arg,
				    struct err *err);
/* Of all spans with objects: their bytes, and the places for objects in them. */
uint64_t heap_span_bytes(const struct heap *heap);
uint64_t heap_place_count(const struct heap *heap);

/* Before marking. The sudogs of these goroutines (sorted addresses of g, borrowed) do not refer to what they
 * wait for. */
void heap_hide_waits(struct heap *heap, const uint64_t *g, size_t n);
/* fn is called when an object of these addresses is marked, with each index of its addresses. An
 * address in no object is not watched. */
void heap_watch(struct heap *heap, const uint64_t *addrs, size_t n,
		void (*fn)(void *arg, size_t i), void *arg);

#endif
