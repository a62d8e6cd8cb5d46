/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - a profile of the process as runtime/pprof.Lookup would write it at that instant: of what
 * the runtime has recorded, or of its goroutines. The main header of src/profile. Knows what the numbers
 * of each kind mean, and neither command lines nor files. */
#ifndef GOSNAP_PROFILE_H
#define GOSNAP_PROFILE_H

#include "src/capture/capture.h"

struct goroutine_groups;
struct pprof;
struct redaction;

enum profile_kind { PROFILE_HEAP, PROFILE_BLOCK, PROFILE_MUTEX, PROFILE_GOROUTINE };
#define PROFILE_KINDS "heap|block|mutex|goroutine"

struct profile {
	enum profile_kind kind;
	struct capture *capture;
	struct runtime *rt;
	struct profile_records records;
	bool has_rate; /* these two: how much is recorded, if that is known */
	uint64_t rate;
	uint64_t scale;			     /* what a record stands for */
	uint64_t ticks;			     /* cycles per second */
	const char *why_nothing;	     /* is recorded; NULL: something is */
	struct goroutine_groups *goroutines; /* NULL: of what the runtime records */
};

/* After capture_take() and before capture_finish(). What is doubtful is added to the warnings of the
 * capture. False: err says why there is none. */
MUST_CHECK bool profile_read(struct profile *ret, struct capture *c,
			     enum profile_kind kind, struct redaction *redaction,
			     struct err *err);
void profile_done(struct profile *p);

/* The files with the program's code. */
void profile_add_mappings(const struct capture *c, struct pprof *to);

/* Before capture_done(). */
struct pprof *profile_encode(const struct profile *p);

#endif
