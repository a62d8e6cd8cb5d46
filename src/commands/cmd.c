/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "src/commands/cmd.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "src/commands/nearest.h"

enum {
	OPTIONS_MAX = 64,
	HELP_COLUMN = 28,
	VALUE_HELP = 'h',
	VALUE_FIRST = 256, /* beyond all characters; plus the index in the table */
};

const struct option_info help_option = { 'h', "help", NULL, "print this help and exit" };

enum option_needs option_needs(const struct option_info *option)
{
	if (!option->argument)
		return OPTION_NO_ARGUMENT;
	return option->argument[0] == '[' ? OPTION_ARGUMENT_IF_ANY : OPTION_ARGUMENT;
}

static void print_option(const struct option_info *option)
{
	static const char *const before[] = {
		[OPTION_NO_ARGUMENT] = "",
		[OPTION_ARGUMENT] = "=",
		[OPTION_ARGUMENT_IF_ANY] = "[=",
	};
	enum option_needs needs = option_needs(option);
	const char *argument = needs == OPTION_NO_ARGUMENT ? "" : option->argument;
	char text[80];
	int width;
	snprintf(text, sizeof(text), "  %c%c%s --%s%s%s", option->short_name ? '-' : ' ',
		 option->short_name ? option->short_name : ' ',
		 option->short_name ? "," : " ", option->name, before[needs],
		 argument + (needs == OPTION_ARGUMENT_IF_ANY));
	width = printf("%s", text);
	if (width >= HELP_COLUMN)
		width = printf("\n") - 1;
	printf("%*s%s\n", HELP_COLUMN - width, "", option->help);
}

const struct command *const commands[] = {
	&command_snap,	 &command_show,	  &command_print,
	&command_doctor, &command_layout, &command_complete,
};
const size_t command_count = ARRAY_SIZE(commands);

const char *cmd_word(const struct command *command)
{
	return command->name + strlen("gosnap ");
}

const char *cmd_nearest(const char *word)
{
	struct nearest nearest = { .word = word };
	for (size_t i = 1; i < command_count; i++)
		if (commands[i]->summary)
			nearest_try(&nearest, cmd_word(commands[i]));
	return nearest.best;
}

static void print_commands(void)
{
	printf("\nother commands:\n");
	for (size_t i = 1; i < command_count; i++) {
		if (!commands[i]->summary)
			continue;
		int width = printf("  %s %s", commands[i]->name, commands[i]->arguments);
		printf("%*s%s\n", HELP_COLUMN + 2 - width, "", commands[i]->summary);
	}
}

static void print_help(const struct command *command)
{
	printf("usage: %s [options] %s\n%s\n\n", command->name, command->arguments,
	       command->summary);
	for (size_t i = 0; i < command->option_count; i++)
		print_option(&command->options[i]);
	print_option(&help_option);
	if (command == &command_snap)
		print_commands();
}

/* getopt's tables, generated from ours. */
struct getopt_tables {
	char letters[3 * OPTIONS_MAX + 4];
	struct option words[OPTIONS_MAX + 2];
};

static void add_option(struct getopt_tables *tables, size_t i,
		       const struct option_info *info, int value)
{
	static const int has_arg[] = {
		[OPTION_NO_ARGUMENT] = no_argument,
		[OPTION_ARGUMENT] = required_argument,
		[OPTION_ARGUMENT_IF_ANY] = optional_argument,
	};
	tables->words[i] = (struct option){
		.name = info->name,
		.has_arg = has_arg[option_needs(info)],
		.val = value,
	};
	if (info->short_name) {
		size_t len = strlen(tables->letters);
		tables->letters[len] = info->short_name;
		memset(&tables->letters[len + 1], ':', option_needs(info));
	}
}

static struct getopt_tables make_tables(const struct command *command)
{
	struct getopt_tables tables = { .letters = ":" }; /* detect a missing argument */
	assert(command->option_count <= OPTIONS_MAX);
	for (size_t i = 0; i < command->option_count; i++)
		add_option(&tables, i, &command->options[i], VALUE_FIRST + (int)i);
	add_option(&tables, command->option_count, &help_option, VALUE_HELP);
	return tables;
}

static int index_of_letter(const struct command *command, int letter)
{
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].short_name == letter)
			return (int)i;
	return OPTION_STOP;
}

/* Neither an option nor an unambiguous abbreviation of one. */
static int refuse_word(const struct command *command, const char *word)
{
	AUTO(xfree) char *name = xstrndup(word + 2, strcspn(word + 2, "="));
	struct nearest nearest = { .word = name };
	for (size_t i = 0; i < command->option_count; i++)
		nearest_try(&nearest, command->options[i].name);
	nearest_try(&nearest, help_option.name);
	if (!nearest.best)
		return cmd_misused(command, "unknown option --%.100s", name);
	return cmd_misused(command, "unknown option --%.100s: did you mean --%s?", name,
			   nearest.best);
}

static int refuse(const struct command *command, int value, const char *word)
{
	/* optopt is a letter, the val of a misused long option, or 0 for neither. */
	if (value == ':' && optopt >= VALUE_FIRST)
		return cmd_misused(command, "--%s requires an argument: %s",
				   command->options[optopt - VALUE_FIRST].name,
				   command->options[optopt - VALUE_FIRST].argument);
	if (value == ':')
		return cmd_misused(
			command, "-%c requires an argument: %s", optopt,
			command->options[index_of_letter(command, optopt)].argument);
	if (optopt >= VALUE_FIRST)
		return cmd_misused(command, "--%s takes no value",
				   command->options[optopt - VALUE_FIRST].name);
	if (optopt)
		return cmd_misused(command, "unknown option -%c", optopt);
	return refuse_word(command, word);
}

int cmd_option(const struct command *command, int argc, char **argv,
	       const char **ret_argument, int *ret_status)
{
	struct getopt_tables tables = make_tables(command);
	int value;
	opterr = 0;
	value = getopt_long(argc, argv, tables.letters, tables.words, NULL);
	if (value == -1)
		return OPTION_END;
	if (value == VALUE_HELP) {
		print_help(command);
		*ret_status = EXIT_DONE;
		return OPTION_STOP;
	}
	if (value == ':' || value == '?') {
		*ret_status = refuse(command, value, argv[optind - 1]);
		return OPTION_STOP;
	}
	*ret_argument = optarg;
	return value >= VALUE_FIRST ? value - VALUE_FIRST
				    : index_of_letter(command, value);
}

int cmd_version(void)
{
	puts(PACKAGE_STRING "\nlibunwind " BUILT_WITH_LIBUNWIND
			    ", elfutils " BUILT_WITH_LIBDW ", jansson " BUILT_WITH_JANSSON
			    ", libdeflate " BUILT_WITH_LIBDEFLATE
			    ", nettle " BUILT_WITH_NETTLE ", zstd " BUILT_WITH_ZSTD);
#ifdef GOSNAP_FAULTS
	puts("built with test switches: GOSNAP_DIE_AT, GOSNAP_STOP_AT, GOSNAP_HIDDEN");
#endif
	return EXIT_DONE;
}

int cmd_choice(const struct option_info *option, const char *argument, struct err *err)
{
	const char *at = option->argument;
	for (int i = 0; *at; i++) {
		size_t len = strcspn(at, "|");
		if (strlen(argument) == len && strncmp(at, argument, len) == 0)
			return i;
		at += len + (at[len] == '|');
	}
	err_set(err, ERR_USAGE, "--%s requires one of %s, not %.40s", option->name,
		option->argument, argument);
	return -1;
}

bool cmd_parse_pid(const char *text, pid_t *ret)
{
	char *end;
	long pid;
	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text) || pid <= 0 ||
	    pid > INT32_MAX)
		return false;
	*ret = (pid_t)pid;
	return true;
}

/* Names of processes and files are untrusted: they must not control the terminal. */
static void print_sentence(const char *text)
{
	fputs("gosnap: ", stderr);
	for (const char *c = text; *c; c++)
		putc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, stderr);
	putc('\n', stderr);
}

int cmd_misused(const struct command *command, const char *format, ...)
{
	struct err err;
	va_list ap;
	va_start(ap, format);
	vsnprintf(err.text, sizeof(err.text), format, ap);
	va_end(ap);
	print_sentence(err.text);
	fprintf(stderr, "Try \"%s --help\" for more information.\n", command->name);
	return EXIT_USAGE;
}

int cmd_status(enum err_code code)
{
	switch (code) {
	case ERR_USAGE:
		return EXIT_USAGE;
	case ERR_NOT_FOUND:
	case ERR_GONE:
		return EXIT_GONE;
	case ERR_PERMISSION:
		return EXIT_PERMISSION;
	case ERR_CANNOT:
	case ERR_FAULT:
	case ERR_LIMIT:
	case ERR_UNSUPPORTED:
		return EXIT_CANNOT;
	case ERR_NONE:
	case ERR_SYS:
	case ERR_BAD_DATA:
		break;
	}
	return EXIT_IO;
}

int cmd_failed(const struct err *err)
{
	print_sentence(err->text);
	return cmd_status(err->code);
}
