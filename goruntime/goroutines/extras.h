/* SPDX-License-Identifier: Apache-2.0 */
/* extras.h - what few goroutines have: labels, panics, deferred calls, ancestors, a
 * bubble. Decoded on request; each result is borrowed until the next call. Knows the
 * lists of the g struct, not how they are printed. */
#ifndef GOSNAP_EXTRAS_H
#define GOSNAP_EXTRAS_H

#include "goruntime/runtime/go_text.h"
#include "goruntime/runtime/goroutine.h"

struct label {
	struct go_text key, value;
};

struct label_set {
	const struct label *list; /* sorted by key */
	size_t count;
	uint64_t omitted;    /* labels left out */
	uint32_t unreadable; /* for runtime_reason(); 0: readable */
};

/* Labels of pprof.Do and SetGoroutineLabels; NULL: none. Borrowed until the next call. */
const struct label_set *runtime_labels(struct runtime *rt, const struct goroutine *g);

struct panic {
	struct go_text
		type; /* of its value; bytes NULL: the value is nil, or not known */
	struct go_text printed; /* its value as the runtime would print it */
	uint32_t unreadable;	/* why type or printed is missing */
	/* Type and data of the value that panic() was called with; 0: not known. */
	uint64_t value[2];
	/* Index of the frame that called gopanic with it; of no meaning without value. */
	uint32_t caller;
	bool recovered, goexit, aborted, repanicked;
};

struct panic_list {
	const struct panic *list; /* innermost first */
	size_t count;
	uint32_t unreadable; /* why the rest is missing; 0: complete */
};

/* NULL: g is not panicking. Borrowed until the next call. */
const struct panic_list *runtime_panics(struct runtime *rt, const struct goroutine *g);

struct deferred {
	uint64_t function;  /* entry address, for runtime_code_at(); 0: unreadable */
	uint64_t closure;   /* the func value; 0: nil */
	uint64_t record;    /* its address; if open_coded, of the slot with the closure */
	uint64_t arguments; /* where the record has them, up to 1.16; 0: it has none */
	uint64_t pc;   /* after its defer statement, for runtime_call_before(); or 0 */
	uint64_t sp;   /* of the frame it belongs to */
	int32_t frame; /* index of that frame in the goroutine's frames; -1: not known */
	uint32_t unreadable;
	bool open_coded; /* kept in the frame itself */
};

struct defer_list {
	const struct deferred *list; /* next to run first */
	size_t count;
	uint32_t unreadable; /* why some are missing; 0: complete */
};

/* Calls deferred until their functions return; NULL: none. Borrowed until the next
 * call. */
const struct defer_list *runtime_defers(struct runtime *rt, const struct goroutine *g);

/* Does the function of frame `unwound` end? It called the function at entry, and that is one of its deferred
 * calls. Knows only those that functions make themselves (open-coded), and up to Go 1.16 some others: the rest is
 * called by runtime.deferreturn. */
bool runtime_frame_ends(struct runtime *rt, const struct goroutine *g, uint32_t unwound,
			uint64_t entry);

/* The runtime keeps no more: _TracebackMaxFrames, half of that from 1.21 on. */
enum { ANCESTOR_PCS = 100 };

struct ancestor {
	uint64_t id, created_pc;
	uint64_t pcs[ANCESTOR_PCS]; /* for runtime_recorded_call(), innermost first */
	uint32_t pc_count;
	uint32_t unreadable; /* why there are no pcs */
	bool truncated;	     /* its stack had more calls than are kept */
};

struct ancestor_list {
	const struct ancestor *list; /* nearest first */
	size_t count;
	uint64_t omitted;
	uint32_t unreadable; /* why the rest is missing */
};

/* Recorded with GODEBUG=tracebackancestors=N. NULL: none. Borrowed until the next
 * call. */
const struct ancestor_list *runtime_ancestors(struct runtime *rt,
					      const struct goroutine *g);

struct bubble { /* of testing/synctest */
	uint64_t addr, id;
	uint64_t now_ns;	 /* since 1970, by the bubble's own clock */
	uint64_t total, running; /* numbers of goroutines */
	uint64_t root;		 /* id of the goroutine that created it; 0: not known */
	bool has_id, has_now, has_total, has_running;
	uint32_t unreadable;
};

/* False: g is not in a bubble. */
bool runtime_bubble(struct runtime *rt, const struct goroutine *g, struct bubble *ret);

#endif
