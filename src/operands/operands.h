/* SPDX-License-Identifier: Apache-2.0 */
/* operands.h - what the operands of a command name: "PID", "CORE [EXE]", or another file. Tells cores from other files
 * by their first bytes, compressed or not; what unpacks these runs in a sandbox. Knows nothing of what
 * commands do with them. */
#ifndef GOSNAP_OPERANDS_H
#define GOSNAP_OPERANDS_H

#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct command;
struct core_options;

enum operand_kind {
	OPERAND_PROCESS = 1,
	OPERAND_CORE = 2,
	OPERAND_FILE = 4,    /* a document, an ID in the spool */
	OPERAND_PROGRAM = 8, /* or no ELF file at all, if the command takes programs */
};

/* What a command takes. Without OPERAND_FILE and OPERAND_PROGRAM, whatever is no PID is taken for a core. */
struct operand_form {
	const struct command *command;
	unsigned kinds;	      /* of enum operand_kind */
	bool others_follow;   /* so that there is no EXE */
	const char *missing;  /* what to say if there is no operand */
	const char *too_many; /* if there are more than these */
};

struct operand {
	enum operand_kind kind;
	pid_t pid;
	const char *name; /* of the file or core; "-": standard input */
	char *owned;	  /* name, if it is not one of argv[] */
};

/* Reads argv[optind] and, if the form has one, EXE. Fills in core->path and core->search.executable; resolves
 * core->systemd. A pipe that may have a core is copied to an unlinked temporary file, which takes its place.
 * False: *ret_status is the exit status, after a message. */
MUST_CHECK bool operand_read(const struct operand_form *form, int argc, char **argv,
			     bool no_sandbox, struct core_options *core,
			     struct operand *ret, int *ret_status);
void operand_done(struct operand *operand);

/* Is there a core in this regular file? */
bool operand_is_core(const char *path, bool no_sandbox);
/* Or a program? */
bool operand_is_program(const char *path);

#endif
