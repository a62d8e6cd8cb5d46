/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - a command as a table, and what all of them have in common: exit statuses, messages, help,
 * and the sandbox around what they do. Only commands print errors. Knows what users write, and not which
 * commands there are. */
#ifndef GOSNAP_COMMAND_H
#define GOSNAP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_NO = 1, /* warnings with --strict; nothing passed the filters */
	EXIT_USAGE = 2,
	EXIT_GONE = 3, /* no such process, or it exited too early */
	EXIT_PERMISSION = 4,
	EXIT_CANNOT = 5, /* the process cannot be examined */
	EXIT_IO = 6,
};

struct option_info;

enum { OPTION_TABLES = 10, HELP_COLUMN = 28 };

struct command {
	const char *name; /* "gosnap show" */
	int (*run)(int argc, char **argv);
	const char *arguments; /* "FILE" */
	const char *summary;   /* NULL: hidden from help */
	bool ends_at_operand;  /* what follows one are no options of ours */
	struct option_table {
		const struct option_info *rows; /* see options.h; NULL: no more tables */
		size_t offset; /* of what it sets, in the command's arguments */
	} options[OPTION_TABLES];
	void (*print_more)(void); /* of its help; NULL: nothing */
};

/* False: not a process id. */
bool cmd_parse_pid(const char *text, pid_t *ret);

/* --help, and the versions of gosnap and its libraries: print; EXIT_DONE. */
int cmd_help(const struct command *command);
int cmd_version(const struct command *command);

/* Prints "gosnap: ...", harmless for the terminal. */
void cmd_say(const char *text);
/* Prints "gosnap: ..." and how to get help; EXIT_USAGE. */
int cmd_misused(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Runs work(arg), which reads what may be hostile, in the sandbox, or here: with --no-sandbox, and in
 * builds that can have none. Returns its exit status; if it ends otherwise, says so. A closed pipe ends
 * the command as it ended work(). Unless how says otherwise, or it is a server, it may do nothing for
 * LIMIT_SANDBOX_STILL_NS at most. */
struct sandbox;
/* For what is written to fd: how long it may take. */
uint64_t sandbox_time_for(int fd);
/* The same, but only tells how it ended, if it did not end well. */
bool ended_in_sandbox(bool no_sandbox, const struct sandbox *how, int (*work)(void *arg),
		      void *arg, int *ret_status, struct err *err);
int run_in_sandbox(bool no_sandbox, const struct sandbox *how, int (*work)(void *arg),
		   void *arg);

/* The exit status for an error. */
int cmd_status(enum err_code code);
/* Prints the error; returns its exit status. */
int cmd_failed(const struct err *err);

#endif
