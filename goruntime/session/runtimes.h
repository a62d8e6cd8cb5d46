/* SPDX-License-Identifier: Apache-2.0 */
/* runtimes.h - the Go runtimes inside a target, in three steps: runtimes_open() while
 * the process runs, runtimes_capture() of memory at one instant, runtimes_decode() of
 * what was captured. The main header of goruntime/session, the room that calls all
 * others of goruntime.
 * A process usually has one Go runtime. With none, its threads are still shown. It
 * has several when a C program loads several libraries built with
 * -buildmode=c-shared. struct runtimes has what belongs to the process (threads,
 * stacks), struct runtime what belongs to one Go runtime. Both live until
 * runtimes_close(). Stops nothing: knows memory and registers, not how they were
 * captured. */
#ifndef GOSNAP_RUNTIMES_H
#define GOSNAP_RUNTIMES_H

#include "goruntime/layout/build_info.h"
#include "goruntime/runtime/goroutine.h"
#include "lib/document/warnings.h"
#include "lib/elf/image.h"
#include "lib/target/target.h"

struct runtimes;
struct runtime;

/* Never NULL. t, images and warnings must outlive it. assume_go: "1.24" overrides the
 * version in the binary; or NULL. */
struct runtimes *runtimes_open(struct target *t, const struct images *images,
			       const char *assume_go, struct warnings *warnings);
void runtimes_close(struct runtimes *all);
DEFINE_AUTO(struct runtimes, runtimes_close)

/* Estimates, while the process runs: the number of goroutines, and the bytes that
 * runtimes_capture() will copy. */
uint64_t runtimes_expected_goroutines(struct runtimes *all);
uint64_t runtimes_expected_bytes(struct runtimes *all);
/* How many goroutines there are while the process runs, without those that have ended. Only in a
 * fork, since it spoils what runtimes_capture() needs. */
uint64_t runtimes_living(struct runtimes *all, struct target *live);

/* While the process runs: finds what runtime_state() will be read from, which would take
 * longer than reading it. */
void runtimes_find_state(struct runtimes *all);

/* source: memory at one instant, a stopped process or a copy of it. frozen: open extents
 * over source (target_extents.h). Reads all g structs, unwinds what is on threads, copies
 * the used stacks. Afterwards only frozen is read. If goroutines cannot be read,
 * runtime_unusable() says why.
 * persistent: source stays readable for as long as needed, as a copy does. Stacks that are
 * large in total are then not copied but read again when needed, a few thousand at a
 * time; runtimes_streams() then returns true, and frozen must stay open. */
void runtimes_capture(struct runtimes *all, struct target *source, struct target *frozen,
		      bool persistent);
/* For a second capture: forgets goroutines, threads and stacks, and keeps what is known of
 * code and types. live: as for runtimes_open(). */
void runtimes_rewind(struct runtimes *all, struct target *live);
/* After the second runtimes_capture(), before runtimes_decode(): unwinds each goroutine that
 * has run since the first one, or is new, and calls fn. more() is asked before each goroutine.
 * False: it wanted no more. */
struct ran_goroutines {
	bool (*more)(void *arg);
	void (*fn)(void *arg, struct runtime *rt, const struct goroutine *g);
	void *arg;
};
MUST_CHECK bool runtimes_each_ran(struct runtimes *all, const struct ran_goroutines *to);
bool runtimes_streams(const struct runtimes *all);
/* Call before looking at goroutines [first, end) of the document. When source is persistent,
 * memory read for other goroutines is dropped; with values, so is memory read for
 * values. */
void runtimes_read_ahead(struct runtimes *all, size_t first, size_t end, bool values);
/* When source was a running process: marks goroutines whose g struct has changed since it
 * was read, as their stacks may have changed too. */
void runtimes_mark_changed(struct runtimes *all, struct target *source);
/* When only some of the memory was read from the running process: marks goroutines whose
 * stack or g struct is in that memory. */
void runtimes_mark_changeable(struct runtimes *all,
			      bool (*is_of_running)(void *arg, uint64_t addr,
						    uint64_t len),
			      void *arg);

/* Unwinds the remaining goroutines. */
void runtimes_decode(struct runtimes *all);
/* The number of goroutines decoded so far. Another thread may read it. */
const _Atomic uint64_t *runtimes_decoded(const struct runtimes *all);

/* Why there is no runtime; NULL: there is at least one. Runtimes and strings returned
 * here live until runtimes_close(). */
const char *runtimes_unusable(const struct runtimes *all);
size_t runtimes_count(const struct runtimes *all);
struct runtime *runtimes_get(const struct runtimes *all, size_t i); /* borrowed */

/* The ELF objects with the Go code of a runtime: its own first, then plugins and programs
 * and libraries linked with it (-linkshared). At least one. Strings are borrowed until
 * runtimes_close(). */
struct runtime_image {
	const char *path;   /* "" when not known */
	const char *plugin; /* the plugin's own name for itself; NULL: not a plugin */
	bool executable;    /* the executable of the process */
};
size_t runtime_image_count(const struct runtime *rt);
struct runtime_image runtime_image(const struct runtime *rt, size_t i);
/* Never NULL; borrowed until runtimes_close(). */
const struct build_info *runtime_build_info(const struct runtime *rt);
/* Why goroutines cannot be read; NULL: they can be. Final after runtimes_capture(). */
const char *runtime_unusable(const struct runtime *rt);
/* How many goroutines the process has that could not be read. */
uint64_t runtime_goroutines_missed(const struct runtime *rt);
/* "dwarf", "table go1.26 amd64", "assumed go1.27"; NULL when unusable. */
const char *runtime_layout_source(const struct runtime *rt);

/* Is there Go code whose functions are unknown, as their table is missing? Its frames have a pc, and what
 * follows from frame pointers. */
bool runtimes_are_unnamed(const struct runtimes *all);

/* Is a module of any runtime in this image? */
bool runtimes_have_module_in(const struct runtimes *all, const struct image *img);

/* The goroutines of all runtimes, one runtime after the other. */
struct goroutine_of {
	size_t number; /* index of the runtime, for runtimes_get() */
	struct runtime *runtime;
	const struct goroutine *goroutine;
};
size_t runtimes_goroutine_count(const struct runtimes *all);
struct goroutine_of runtimes_goroutine(const struct runtimes *all, size_t i);
/* The goroutine of runtime i that is on this thread, running or in a call out of Go.
 * False: none. */
bool runtimes_goroutine_on(const struct runtimes *all, size_t i, size_t thread,
			   struct goroutine_of *ret);
/* Memory read from now on is dropped at the next call, or by runtimes_read_ahead(). */
void runtimes_begin_pass(struct runtimes *all);

#endif
