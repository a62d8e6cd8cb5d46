/* SPDX-License-Identifier: Apache-2.0 */
/* programs.h - the probes of each program, which are in its file: one set for all of its processes, now and
 * later. What a file is, is found out once, in a sandbox. */
#ifndef GOSNAP_WATCH_PROGRAMS_H
#define GOSNAP_WATCH_PROGRAMS_H

#include <sys/stat.h>

#include "goruntime/goruntime.h"
#include "src/bpf/fault_probes.h"
#include "src/bpf/kill_probes.h"
#include "src/spool/spool.h"
#include "src/watch/kills.h"

struct programs;

/* What probes are to see besides deaths. */
struct programs_options {
	struct kill_probes *kills; /* NULL: none */
	bool exits, recovered;
	struct probe_wanted calls; /* of these functions; borrowed */
	bool no_sandbox;
};
struct programs *programs_new(struct fault_probes *probes,
			      const struct programs_options *options);
void programs_free(struct programs *programs);
DEFINE_AUTO(struct programs, programs_free)

enum program_state {
	PROGRAM_WATCHED,
	PROGRAM_NEW,   /* is watched from now on */
	PROGRAM_OTHER, /* no Go program, or none with a runtime of its own */
};
/* path: of a file, or /proc/PID/exe. name: as the subject has it, for programs_keep(), or NULL. err says why it is another one, when it is met first, or, ERR_NOT_FOUND,
 * which function a new one lacks; else it is ERR_NONE. */
enum program_state programs_watch(struct programs *programs, const char *path,
				  const char *name, struct err *err);
/* Readable when programs_changed() has something to do; -1: never. Borrowed. */
int programs_fd(const struct programs *programs);
/* Files that were written to are as good as new: their probes go, and come again when they are met next. */
void programs_changed(struct programs *programs);
/* By struct kill_end.program. Borrowed. NULL: there is none. */
const struct kill_source *programs_source(const struct programs *programs, uint32_t id);
/* Is the file watched? */
bool programs_has(const struct programs *programs, const struct stat *file);
/* How many are watched, and not only until a change is in force. */
size_t programs_wanted(const struct programs *programs);
/* Is each of the functions in any that is watched? */
bool programs_have_functions(const struct programs *programs);
/* May there be a snapshot of this user's program now? 0: always. */
bool programs_rate(const char *path, uid_t uid, struct spool *spool,
		   uint64_t interval_ns);
/* How many are watched. */
size_t programs_count(const struct programs *programs);
/* How many are no longer watched, and have probes until the kernel has removed them. */
size_t programs_leaving(struct programs *programs);
/* By the numbers that events have. Borrowed. */
const char *const *programs_functions(const struct programs *programs);

/* Others are to be watched, or to have other probes: begins it. Meanwhile all have the probes that they had;
 * options are borrowed from now on, those from before until the end. */
void programs_change(struct programs *programs, const struct programs_options *options);
/* Besides those that programs_watch() is called for, these stay, too: of this name, or, NULL, all. */
void programs_keep(struct programs *programs, const char *name);
/* After them, again and again until it is done: one more gets its probes. err as of programs_watch() for a
 * program that is new. */
MUST_CHECK bool programs_change_next(struct programs *programs, bool *ret_done,
				     struct err *err);
/* In force: the others go. Else all is as before. */
void programs_change_end(struct programs *programs, bool in_force);
/* Is the event of a probe that is there still, or was until the kernel had removed it? */
bool programs_want(const struct programs *programs, const struct fault_event *event);
/* Probes that went are there until then. No child of ours may be about to close descriptors. */
void programs_close_rest(struct programs *programs);

#endif
