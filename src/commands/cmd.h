/* SPDX-License-Identifier: Apache-2.0 */
/* cmd.h - the command line: commands and their options are tables, from which --help is
 * printed and with which the manual pages are compared. Only cmd_*.c print errors. */
#ifndef GOSNAP_CMD_H
#define GOSNAP_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_NO = 1, /* --strict, and there were warnings; nothing passed the filters */
	EXIT_USAGE = 2,
	EXIT_GONE = 3, /* no such process, or it ended before the end */
	EXIT_PERMISSION = 4,
	EXIT_CANNOT = 5, /* not a process that can be examined */
	EXIT_IO = 6,
};

struct option_info {
	char short_name;      /* 0: none */
	const char *name;     /* without the dashes */
	const char *argument; /* "FILE"; "[FILE]": may be left out; NULL: takes none;
			       * see cmd_complete.c */
	const char *help;
};

enum option_needs { OPTION_NO_ARGUMENT, OPTION_ARGUMENT, OPTION_ARGUMENT_IF_ANY };
enum option_needs option_needs(const struct option_info *option);

struct command {
	const char *name; /* "gosnap show" */
	int (*run)(int argc, char **argv);
	const char *arguments; /* "FILE" */
	const char *summary;   /* NULL: help does not list it */
	const struct option_info *options;
	size_t option_count;
};

/* gosnap [options] PID, the command without a word, is the first of all. */
extern const struct command command_complete, command_doctor, command_layout,
	command_print, command_show, command_snap;
extern const struct command *const commands[];
extern const size_t command_count;

/* Their run functions, which the tables name before they are defined. */
int cmd_complete(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_snap(int argc, char **argv);

/* The word that selects it: "show". Not for command_snap. */
const char *cmd_word(const struct command *command);

enum { OPTION_END = -1, OPTION_STOP = -2 };

/* The next option: its index in the command's table, and its argument, NULL for one that was
 * left out. OPTION_END: optind
 * is the first operand. OPTION_STOP: leave with *ret_status, after --help or a mistake,
 * which have been answered. Every command has help_option without saying so. */
extern const struct option_info help_option;
int cmd_option(const struct command *command, int argc, char **argv,
	       const char **ret_argument, int *ret_status);

#define CHOICE_WHEN "auto|always|never"

/* Which of the choices "a|b|c" of an option this is, from 0; -1: none, ERR_USAGE. */
int cmd_choice(const struct option_info *option, const char *argument, struct err *err);

/* The word of the command that a mistyped one was meant to be; NULL: of none. */
const char *cmd_nearest(const char *word);

/* False: not a process id. */
bool cmd_parse_pid(const char *text, pid_t *ret);

/* Prints the versions of gosnap and its libraries; EXIT_DONE. */
int cmd_version(void);

/* Prints "gosnap: ..." and says how to get help; EXIT_USAGE. */
int cmd_misused(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The status that belongs to an error. */
int cmd_status(enum err_code code);
/* Prints the error; the status that belongs to it. */
int cmd_failed(const struct err *err);

#endif
