/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/options.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "src/options/command.h"
#include "src/viewer/terminal/nearest.h"
#include "src/viewer/terminal/text.h"

enum {
	OPTIONS_MAX = 64,
	VALUE_FIRST = 256, /* beyond all characters; plus the index of the row */
};

static const struct option_info help_option = { 'h', "help", NULL,
						"print this help and exit",
						.print = cmd_help };

enum option_needs option_needs(const struct option_info *option)
{
	if (!option->argument)
		return OPTION_NO_ARGUMENT;
	return option->argument[0] == '[' ? OPTION_ARGUMENT_IF_ANY : OPTION_ARGUMENT;
}

/* As option_at(), with the offset of the field in the command's arguments. */
static const struct option_info *find_row(const struct command *command, size_t i,
					  size_t *ret_offset)
{
	for (size_t t = 0; t < OPTION_TABLES && command->options[t].rows; t++) {
		for (const struct option_info *row = command->options[t].rows; row->name;
		     row++) {
			*ret_offset = command->options[t].offset + row->offset;
			if (i-- == 0)
				return row;
		}
	}
	return i == 0 ? &help_option : NULL;
}

const struct option_info *option_at(const struct command *command, size_t i)
{
	size_t offset;
	return find_row(command, i, &offset);
}

bool option_flag(const struct option_info *option, const char *argument, void *field,
		 struct err *err)
{
	(void)option, (void)argument, (void)err;
	*(bool *)field = true;
	return true;
}

bool option_constant(const struct option_info *option, const char *argument, void *field,
		     struct err *err)
{
	(void)argument, (void)err;
	*(unsigned *)field = option->value;
	return true;
}

bool option_string(const struct option_info *option, const char *argument, void *field,
		   struct err *err)
{
	(void)option, (void)err;
	*(const char **)field = argument ? argument : "";
	return true;
}

bool option_choice(const struct option_info *option, const char *argument, void *field,
		   struct err *err)
{
	const char *at = option->argument;
	for (unsigned i = 0; *at; i++) {
		size_t len = strcspn(at, "|");
		if (strlen(argument) == len && strncmp(at, argument, len) == 0) {
			*(unsigned *)field = i;
			return true;
		}
		at += len + (at[len] == '|');
	}
	return err_set(err, ERR_USAGE, "--%s requires one of %s, not %.40s", option->name,
		       option->argument, argument);
}

bool option_number(const struct option_info *option, const char *argument, void *field,
		   struct err *err)
{
	char *end;
	unsigned long n = strtoul(argument, &end, 10);

	if (!isdigit((unsigned char)argument[0]) || *end || n > UINT32_MAX)
		return err_set(err, ERR_USAGE, "--%s requires a number, not %.40s",
			       option->name, argument);
	*(uint32_t *)field = (uint32_t)n;
	return true;
}

/* Without an argument, the row's value. */
bool option_number_if_any(const struct option_info *option, const char *argument,
			  void *field, struct err *err)
{
	if (argument)
		return option_number(option, argument, field, err);
	*(uint32_t *)field = option->value;
	return true;
}

bool option_time(const struct option_info *option, const char *argument, void *field,
		 struct err *err)
{
	int64_t ns;
	if (!text_parse_duration(argument, &ns) || ns <= 0)
		return err_set(err, ERR_USAGE,
			       "--%s requires a time like 50ms or 2s, not %.40s",
			       option->name, argument);
	*(uint64_t *)field = (uint64_t)ns;
	return true;
}

/* getopt's tables, generated from ours. */
struct getopt_tables {
	char letters[3 * OPTIONS_MAX + 5];
	struct option words[OPTIONS_MAX + 2];
};

static void add_option(struct getopt_tables *tables, const struct option_info *info,
		       size_t i)
{
	static const int has_arg[] = {
		[OPTION_NO_ARGUMENT] = no_argument,
		[OPTION_ARGUMENT] = required_argument,
		[OPTION_ARGUMENT_IF_ANY] = optional_argument,
	};
	tables->words[i] = (struct option){
		.name = info->name,
		.has_arg = has_arg[option_needs(info)],
		.val = VALUE_FIRST + (int)i,
	};
	if (info->short_name) {
		size_t len = strlen(tables->letters);
		tables->letters[len] = info->short_name;
		memset(&tables->letters[len + 1], ':', option_needs(info));
	}
}

static struct getopt_tables make_tables(const struct command *command)
{
	struct getopt_tables tables = { .letters = "" };
	strcpy(tables.letters, command->ends_at_operand ? "+:" : ":");
	for (size_t i = 0; option_at(command, i); i++) {
		assert(i < OPTIONS_MAX);
		add_option(&tables, option_at(command, i), i);
	}
	return tables;
}

/* The index of an option. value: what getopt_long() returns, or its optopt. */
static size_t index_of(const struct command *command, int value)
{
	size_t i = 0;
	if (value >= VALUE_FIRST)
		return (size_t)(value - VALUE_FIRST);
	while (option_at(command, i) && option_at(command, i)->short_name != value)
		i++;
	return i;
}

static bool is_unknown(const struct command *command, const char *name, struct err *err)
{
	struct nearest nearest = { .word = name };
	for (size_t i = 0; option_at(command, i); i++)
		nearest_try(&nearest, option_at(command, i)->name);
	if (!nearest.best)
		return err_set(err, ERR_USAGE, "unknown option --%.100s", name);
	return err_set(err, ERR_USAGE, "unknown option --%.100s: did you mean --%s?",
		       name, nearest.best);
}

/* Neither an option nor an unambiguous abbreviation of one. */
static int refuse_word(const struct command *command, const char *word)
{
	AUTO(xfree) char *name = xstrndup(word + 2, strcspn(word + 2, "="));
	struct err err;
	is_unknown(command, name, &err);
	return cmd_misused(command, "%s", err.text);
}

static int refuse(const struct command *command, int value, const char *word)
{
	/* optopt is a letter, the val of a misused long option, or 0 for neither. */
	const struct option_info *option =
		optopt ? option_at(command, index_of(command, optopt)) : NULL;
	if (value == ':' && optopt >= VALUE_FIRST)
		return cmd_misused(command, "--%s requires an argument: %s", option->name,
				   option->argument);
	if (value == ':')
		return cmd_misused(command, "-%c requires an argument: %s", optopt,
				   option->argument);
	if (optopt >= VALUE_FIRST)
		return cmd_misused(command, "--%s takes no value", option->name);
	if (optopt)
		return cmd_misused(command, "unknown option -%c", optopt);
	return refuse_word(command, word);
}

static bool read_one(const struct command *command, size_t i, void *arguments,
		     int *ret_status)
{
	size_t offset = 0;
	const struct option_info *option = find_row(command, i, &offset);
	struct err err;
	if (option->print) {
		*ret_status = option->print(command);
		return false;
	}
	if (option->read(option, optarg, (char *)arguments + offset, &err))
		return true;
	*ret_status = cmd_misused(command, "%s", err.text);
	return false;
}

bool options_read(const struct command *command, int argc, char **argv, void *arguments,
		  int *ret_status)
{
	struct getopt_tables tables = make_tables(command);
	int value;
	opterr = 0;
	while ((value = getopt_long(argc, argv, tables.letters, tables.words, NULL)) !=
	       -1) {
		if (value == ':' || value == '?') {
			*ret_status = refuse(command, value, argv[optind - 1]);
			return false;
		}
		if (!read_one(command, index_of(command, value), arguments, ret_status))
			return false;
	}
	return true;
}

bool options_read_one(const struct command *command, const char *name,
		      const char *argument, void *arguments, struct err *err)
{
	const struct option_info *option;
	size_t i = 0, offset = 0;
	while ((option = find_row(command, i, &offset)) &&
	       strcmp(option->name, name) != 0)
		i++;
	if (!option || option->print)
		return is_unknown(command, name, err);
	if (argument && option_needs(option) == OPTION_NO_ARGUMENT)
		return err_set(err, ERR_USAGE, "--%s takes no value", name);
	if (!argument && option_needs(option) == OPTION_ARGUMENT)
		return err_set(err, ERR_USAGE, "--%s requires an argument: %s", name,
			       option->argument);
	return option->read(option, argument, (char *)arguments + offset, err);
}

const struct option_info sandbox_options[] = {
	{ 0, "no-sandbox", NULL, "read hostile data without a sandbox, to debug gosnap",
	  .read = option_flag, .offset = 0 },
	{ .name = NULL }
};
