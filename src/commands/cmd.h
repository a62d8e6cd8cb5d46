/* SPDX-License-Identifier: Apache-2.0 */
/* cmd.h - the command line: commands and their options are tables, which --help
 * prints and tests compare with the manual pages. Only cmd_*.c print errors. Knows
 * what users write; what a command does is done by the rooms below. */
#ifndef GOSNAP_CMD_H
#define GOSNAP_CMD_H

#include "src/commands/documents/documents.h"
#include "src/options/command.h"

struct capture;
struct warnings;

/* gosnap [options] PID, the command without a name, comes first. */
extern const struct command command_baseline, command_complete, command_core,
	command_core_export, command_core_listen, command_core_pipe, command_doctor,
	command_heap, command_install, command_layout, command_list, command_print,
	command_profile_export, command_prune, command_monitor, command_record,
	command_run, command_snap, command_uninstall, command_watch, command_trace,
	command_why;
extern const struct command *const commands[];
extern const size_t command_count;

/* Declared here since the tables precede the definitions. */
int cmd_baseline(int argc, char **argv);
int cmd_complete(int argc, char **argv);
int cmd_core(int argc, char **argv);
int cmd_core_export(int argc, char **argv);
int cmd_core_listen(int argc, char **argv);
int cmd_core_pipe(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_heap(int argc, char **argv);
int cmd_install(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_profile_export(int argc, char **argv);
int cmd_prune(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_snap(int argc, char **argv);
int cmd_uninstall(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_why(int argc, char **argv);

/* The name that selects it: "show". Not for command_snap. */
const char *cmd_word(const struct command *command);

/* The name of the command that a mistyped word probably meant; NULL: none. */
const char *cmd_nearest(const char *word);

/* On standard error. from: the first of them. */
void cmd_say_warning(const char *where, const char *what);
void cmd_say_warnings(const struct warnings *all, size_t from);
/* Finishes the capture, and says what of a core was missing and what is left in the process. */
void cmd_finish_capture(struct capture *c);

/* What follows the options of command_snap in its help. */
void cmd_print_others(void);

#endif
