/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "src/options/command.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/limit.h"
#include "lib/base/utf8.h"
#include "lib/base/util.h"
#include "lib/sandbox/sandbox.h"
#include "src/options/options.h"

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

int cmd_help(const struct command *command)
{
	printf("usage: %s [options] %s\n%s\n\n", command->name, command->arguments,
	       command->summary);
	for (size_t i = 0; option_at(command, i); i++)
		print_option(option_at(command, i));
	if (command->print_more)
		command->print_more();
	return EXIT_DONE;
}

int cmd_version(const struct command *command)
{
	(void)command;
	puts(PACKAGE_STRING
	     "\nlibunwind " BUILT_WITH_LIBUNWIND ", elfutils " BUILT_WITH_LIBDW
	     ", jansson " BUILT_WITH_JANSSON ", libdeflate " BUILT_WITH_LIBDEFLATE
	     ", libmicrohttpd " BUILT_WITH_LIBMICROHTTPD ", nettle " BUILT_WITH_NETTLE
	     ", zstd " BUILT_WITH_ZSTD ", lz4 " BUILT_WITH_LZ4
	     ", liblzma " BUILT_WITH_LZMA ", zlib " BUILT_WITH_ZLIB
	     ", ncurses " BUILT_WITH_NCURSES ", zydis " BUILT_WITH_ZYDIS
#ifdef BUILT_WITH_LIBBPF
	     ", libbpf " BUILT_WITH_LIBBPF);
#else
	     ", without libbpf");
#endif
#ifdef GOSNAP_FAULTS
	puts("built with test switches: GOSNAP_DIE_AT, GOSNAP_STOP_AT, GOSNAP_HIDDEN, "
	     "GOSNAP_GATHER_PAGES, GOSNAP_TRESPASS, GOSNAP_SANDBOX_MEMORY, "
	     "GOSNAP_SANDBOX_CPU, GOSNAP_SANDBOX_WITHOUT, GOSNAP_DOWNLOADER_WITHOUT");
#endif
	return EXIT_DONE;
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

/* Names of processes and files are untrusted: they must not control the terminal. It is written at once,
 * as others write there, too. */
void cmd_say(const char *text)
{
	char *line = NULL;
	size_t len = 0;
	FILE *whole = open_memstream(&line, &len), *out = whole ? whole : stderr;

	fputs("gosnap: ", out);
	utf8_print_harmless(out, text, strlen(text));
	putc('\n', out);
	if (whole && fclose(whole) == 0)
		fwrite(line, 1, len, stderr);
	free(line);
}

/* An expression, with a caret below what is wrong: such lines begin with two spaces. */
static void say_lines(char *text)
{
	char *more = strstr(text, "\n  ");

	if (more)
		*more = '\0';
	cmd_say(text);
	for (; more; more = strstr(more + 1, "\n  ")) {
		const char *end = strstr(more + 1, "\n  ");
		utf8_print_harmless(stderr, more + 1,
				    end ? (size_t)(end - more - 1) : strlen(more + 1));
		putc('\n', stderr);
	}
}

int cmd_misused(const struct command *command, const char *format, ...)
{
	struct err err;
	va_list ap;
	va_start(ap, format);
	vsnprintf(err.text, sizeof(err.text), format, ap);
	va_end(ap);
	say_lines(err.text);
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
	case ERR_MISSED:
	case ERR_ABSENT:
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
	cmd_say(err->text);
	return cmd_status(err->code);
}

uint64_t sandbox_time_for(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? LIMIT_SANDBOX_NS : 0;
}

bool ended_in_sandbox(bool no_sandbox, const struct sandbox *how, int (*work)(void *arg),
		      void *arg, int *ret_status, struct err *err)
{
	if (no_sandbox || sandbox_missing()) {
		*ret_status = work(arg);
		return true;
	}
	struct sandbox bounded = *how;
	if (!how->server && !how->max_still_ns)
		bounded.max_still_ns = LIMIT_SANDBOX_STILL_NS;
	if (sandbox_run(&bounded, work, arg, ret_status, err))
		return true;
	if (*ret_status == SIGPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return false;
}

int run_in_sandbox(bool no_sandbox, const struct sandbox *how, int (*work)(void *arg),
		   void *arg)
{
	struct err err;
	int status;

	return ended_in_sandbox(no_sandbox, how, work, arg, &status, &err)
		       ? status
		       : cmd_failed(&err);
}
