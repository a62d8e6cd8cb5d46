/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - what `gosnap watch` says as it runs: a line for each event, for people, or as JSON for
 * programs. Each line is one write(), so that lines of several processes do not mix. Names of programs are
 * untrusted: nothing but text gets into a line. Knows lines, and nothing of what happens. */
#ifndef GOSNAP_WATCH_LOG_H
#define GOSNAP_WATCH_LOG_H

#include <sys/types.h>

#include "lib/base/util.h"

enum watch_log_format { WATCH_LOG_TEXT, WATCH_LOG_JSON };

struct watch_log {
	int fd; /* borrowed */
	enum watch_log_format format;
	bool quiet;    /* nothing is said */
	bool no_times; /* whoever reads it adds his own, as the journal does */
};

/* To standard error. */
struct watch_log watch_log_open(enum watch_log_format format, bool quiet);

enum watch_field_kind { WATCH_FIELD_TEXT, WATCH_FIELD_NUMBER };
struct watch_field {
	const char *name;
	enum watch_field_kind kind;
	const char *text; /* NULL: the field is left out */
	uint64_t number;
};

struct watch_line {
	const char *event; /* a word, for programs: "snapshot" */
	pid_t pid;	   /* whose; 0: nobody's */
	const char *program;
	/* For programs only: the sentence has what people want to know. */
	const struct watch_field *fields;
	size_t field_count;
};

/* The sentence begins with a small letter and has no full stop: people read it behind "PROGRAM (PID): ". */
void watch_log(const struct watch_log *log, const struct watch_line *line,
	       const char *sentence, ...) __attribute__((format(printf, 3, 4)));
/* The same, of a line without fields. */
void watch_say(const struct watch_log *log, const char *event, pid_t pid,
	       const char *sentence, ...) __attribute__((format(printf, 4, 5)));

#endif
