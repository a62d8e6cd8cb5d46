/* SPDX-License-Identifier: Apache-2.0 */
/* cmd.h - the command line: commands and their options are tables, which --help
 * prints and tests compare with the manual pages. Only cmd_*.c print errors. Knows
 * what users write; what a command does is done by the rooms below. */
#ifndef GOSNAP_CMD_H
#define GOSNAP_CMD_H

#include <stdbool.h>
#include <stddef.h>
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

struct option_info {
	char short_name;      /* 0: none */
	const char *name;     /* without the dashes */
	const char *argument; /* "FILE"; "[FILE]": optional; NULL: none; cmd_complete.c */
	const char *help;
};

enum option_needs { OPTION_NO_ARGUMENT, OPTION_ARGUMENT, OPTION_ARGUMENT_IF_ANY };
enum option_needs option_needs(const struct option_info *option);

struct command {
	const char *name; /* "gosnap show" */
	int (*run)(int argc, char **argv);
	const char *arguments; /* "FILE" */
	const char *summary;   /* NULL: hidden from help */
	const struct option_info *options;
	size_t option_count;
};

/* gosnap [options] PID, the command without a name, comes first. */
extern const struct command command_complete, command_doctor, command_layout,
	command_print, command_show, command_snap;
extern const struct command *const commands[];
extern const size_t command_count;

/* Declared here since the tables precede the definitions. */
int cmd_complete(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_snap(int argc, char **argv);

/* The name that selects it: "show". Not for command_snap. */
const char *cmd_word(const struct command *command);

enum { OPTION_END = -1, OPTION_STOP = -2 };

/* The next option: its index in the command's table, and its argument (NULL if left out).
 * OPTION_END: optind is the first operand. OPTION_STOP: exit with *ret_status, after
 * --help or a usage error, which have been printed. Every command has help_option
 * implicitly. */
extern const struct option_info help_option;
int cmd_option(const struct command *command, int argc, char **argv,
	       const char **ret_argument, int *ret_status);

#define CHOICE_WHEN "auto|always|never"

/* Index of the argument in the option's choices "a|b|c", from 0. -1: ERR_USAGE, not one
 * of them. */
int cmd_choice(const struct option_info *option, const char *argument, struct err *err);

/* The name of the command that a mistyped word probably meant; NULL: none. */
const char *cmd_nearest(const char *word);

/* False: not a process id. */
bool cmd_parse_pid(const char *text, pid_t *ret);

/* Prints the versions of gosnap and its libraries; EXIT_DONE. */
int cmd_version(void);

/* Prints "gosnap: ..." and how to get help; EXIT_USAGE. */
int cmd_misused(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The exit status for an error. */
int cmd_status(enum err_code code);
/* Prints the error; returns its exit status. */
int cmd_failed(const struct err *err);

#endif
