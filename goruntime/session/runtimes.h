/* SPDX-License-Identifier: Apache-2.0 */
/* runtimes.h - the Go runtimes inside a target, in three steps: runtimes_open() while the process
 * runs, runtimes_capture() of the memory of one instant, runtimes_decode() of what was captured.
 * A process has one Go runtime as a rule; none, and its threads are still shown; several
 * when a C program loads several libraries of -buildmode=c-shared. What belongs to the
 * process (threads, stacks) is struct runtimes, what belongs to one Go is struct runtime. */
#ifndef GOSNAP_RUNTIMES_H
#define GOSNAP_RUNTIMES_H

#include "goruntime/layout/build_info.h"
#include "goruntime/runtime/goroutine.h"
#include "lib/base/warnings.h"
#include "lib/elf/image.h"
#include "lib/target/target.h"

struct runtimes;
struct runtime;

/* Never NULL. t, images and warnings outlive it. assume_go: "1.24" overrides what the
 * binary says, or NULL. */
struct runtimes *runtimes_open(struct target *t, const struct images *images,
			       const char *assume_go, struct warnings *warnings);
void runtimes_close(struct runtimes *all);
DEFINE_AUTO(struct runtimes, runtimes_close)

/* About how many goroutines there are, and how many bytes runtimes_capture() will copy;
 * while the process runs. */
uint64_t runtimes_expected_goroutines(struct runtimes *all);
uint64_t runtimes_expected_bytes(struct runtimes *all);

/* source: the memory of one instant, a stopped process or a copy of it; frozen: open extents
 * over it (target_extents.h). Reads all g structs, unwinds what stands on threads, copies the
 * used stacks. From here on frozen only is read. When goroutines cannot be had,
 * runtime_unusable() says why.
 * lasting: source is there for as long as it is wanted, as a copy is. Then stacks that are
 * large in all are not copied but read again whenever they are needed, some thousand at a
 * time: runtimes_streams(), and frozen is to stay open. */
void runtimes_capture(struct runtimes *all, struct target *source, struct target *frozen,
		      bool lasting);
bool runtimes_streams(const struct runtimes *all);
/* To be called before goroutines first to end of the document are looked at. What was read for
 * others is dropped where source lasts; values: so is memory that was looked into for values. */
void runtimes_read_ahead(struct runtimes *all, size_t first, size_t end, bool values);
/* Where source was a running process: marks the goroutines that have changed since they were
 * read, for their stacks may have, too. */
void runtimes_mark_changed(struct runtimes *all, struct target *source);
/* Where only some memory was that of a running process: marks those whose stack or g struct
 * is in it. */
void runtimes_mark_changeable(struct runtimes *all,
			      bool (*is_of_running)(void *arg, uint64_t addr,
						    uint64_t len),
			      void *arg);

/* Unwinds the rest. */
void runtimes_decode(struct runtimes *all);
/* How many goroutines that were so far, for another thread to look at. */
const _Atomic uint64_t *runtimes_decoded(const struct runtimes *all);

/* Why there is no runtime; NULL: there is one at least. */
const char *runtimes_unusable(const struct runtimes *all);
size_t runtimes_count(const struct runtimes *all);
struct runtime *runtimes_get(const struct runtimes *all, size_t i); /* borrowed */

/* The ELF objects that its Go code lies in: its own first, then those of its plugins and of
 * programs and libraries that are linked with it (-linkshared). One at least. Borrowed. */
struct runtime_image {
	const char *path;   /* "" when not known */
	const char *plugin; /* as the plugin calls itself; NULL: it is none */
	bool executable;    /* of the process */
};
size_t runtime_image_count(const struct runtime *rt);
struct runtime_image runtime_image(const struct runtime *rt, size_t i);
/* Never NULL; borrowed. */
const struct build_info *runtime_build_info(const struct runtime *rt);
/* Why goroutines cannot be read; NULL: they can. Final after runtimes_capture(). */
const char *runtime_unusable(const struct runtime *rt);
/* "dwarf", "table go1.26 amd64", "assumed go1.27"; NULL when unusable. */
const char *runtime_layout_source(const struct runtime *rt);

/* Is any part of them in this image? */
bool runtimes_have_module_in(const struct runtimes *all, const struct image *img);

/* All of them, runtime after runtime. */
struct goroutine_of {
	size_t number; /* of the runtime, for runtimes_get() */
	struct runtime *runtime;
	const struct goroutine *goroutine;
};
size_t runtimes_goroutine_count(const struct runtimes *all);
struct goroutine_of runtimes_goroutine(const struct runtimes *all, size_t i);
/* That of runtime i which is on this thread, running or in a call out of Go. False: none is. */
bool runtimes_goroutine_on(const struct runtimes *all, size_t i, size_t thread,
			   struct goroutine_of *ret);
/* What is looked into from now on is dropped at the next call, or by runtimes_read_ahead(). */
void runtimes_begin_pass(struct runtimes *all);

#endif
