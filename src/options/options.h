/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the options of a command as tables of rows, and the one reader of such
 * tables. A row has the option's name and help, the function that reads its argument, and
 * the field that this function sets. Commands share tables: the fields of a table are in
 * one struct, which is a member of each command's arguments. Knows which fields rows set,
 * not what is done with them. */
#ifndef GOSNAP_OPTIONS_H
#define GOSNAP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct command;
struct option_info;

/* argument is NULL if the option has none. False: ERR_USAGE. */
typedef bool option_reader(const struct option_info *option, const char *argument,
			   void *field, struct err *err);

struct option_info {
	char short_name;      /* 0: none */
	const char *name;     /* without the dashes */
	const char *argument; /* "FILE"; "[FILE]": optional; NULL: none; cmd_complete.c */
	const char *help;
	option_reader *read;
	size_t offset;	/* of the field, in the struct of the table */
	unsigned value; /* for read */
	/* Instead of read: prints something that ends the command; its exit status. */
	int (*print)(const struct command *command);
};

enum option_needs { OPTION_NO_ARGUMENT, OPTION_ARGUMENT, OPTION_ARGUMENT_IF_ANY };
enum option_needs option_needs(const struct option_info *option);

/* The i-th option of a command; the last is --help, which is in no table. NULL: there
 * are no more. */
const struct option_info *option_at(const struct command *command, size_t i);

/* Reads all options into arguments; optind is then the first operand. False: exit with
 * *ret_status, after --help or a usage error, which have been printed. */
bool options_read(const struct command *command, int argc, char **argv, void *arguments,
		  int *ret_status);

/* One by its whole name. argument: NULL if there is none. */
MUST_CHECK bool options_read_one(const struct command *command, const char *name,
				 const char *argument, void *arguments, struct err *err);

#define CHOICE_WHEN "auto|always|never"

option_reader option_flag, option_constant, option_string, option_choice, option_number,
	option_number_if_any, option_time;

/* The offset of a member; compiles only if it has this type. */
#define OPTION_OFFSET(type, table, member)                                               \
	(offsetof(table, member) + 0 * sizeof((type *)NULL == &((table *)NULL)->member))

/* The end of a row: how to store the option in a member of the table's struct. A choice is
 * the index of the argument among the words of "a|b|c". */
#define OPTION_FLAG(table, member)                                                       \
	.read = option_flag, .offset = OPTION_OFFSET(bool, table, member)
#define OPTION_CONSTANT(table, member, constant)                                         \
	.read = option_constant, .value = (constant),                                    \
	.offset = OPTION_OFFSET(unsigned, table, member)
#define OPTION_STRING(table, member)                                                     \
	.read = option_string, .offset = OPTION_OFFSET(const char *, table, member)
#define OPTION_CHOICE(table, member)                                                     \
	.read = option_choice, .offset = OPTION_OFFSET(unsigned, table, member)
#define OPTION_NUMBER(table, member)                                                     \
	.read = option_number, .offset = OPTION_OFFSET(uint32_t, table, member)
#define OPTION_TIME(table, member)                                                       \
	.read = option_time, .offset = OPTION_OFFSET(uint64_t, table, member)

extern const struct option_info sandbox_options[]; /* of a bool: --no-sandbox */

#endif
