/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/file_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PROGRAM_MAX = 64 };

bool file_name_check(const char *option, const char *pattern, struct err *err)
{
	if (!*pattern)
		return err_set(err, ERR_USAGE, "%s requires a file name", option);
	for (const char *p = strchr(pattern, '%'); p; p = strchr(p + 2, '%'))
		if (!p[1] || !strchr("eptn%", p[1]))
			return err_set(err, ERR_USAGE,
				       "%s knows %%e, %%p, %%t, %%n and %%%%, not %%%.1s",
				       option, p + 1);
	return true;
}

bool file_name_differs(const char *pattern)
{
	for (const char *p = strchr(pattern, '%'); p; p = strchr(p + 2, '%'))
		if (p[1] == 'n' || p[1] == 't')
			return true;
	return false;
}

static void print_program(FILE *out, const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;

	for (size_t i = 0; name[i] && i < PROGRAM_MAX; i++)
		putc(isalnum((unsigned char)name[i]) || strchr("._-+", name[i]) ? name[i]
										: '_',
		     out);
}

static void print_time(FILE *out, uint64_t ns)
{
	const time_t seconds = (time_t)(ns / 1000000000);
	struct tm utc;
	char text[32];

	if (gmtime_r(&seconds, &utc) &&
	    strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc))
		fputs(text, out);
}

char *file_name_make(const char *pattern, const struct file_name *name)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		out_of_memory();
	for (const char *p = pattern; *p; p++) {
		if (*p != '%') {
			putc(*p, out);
			continue;
		}
		switch (*++p) {
		case 'e':
			print_program(out, name->program);
			break;
		case 'p':
			fprintf(out, "%d", (int)name->pid);
			break;
		case 't':
			print_time(out, name->time_ns);
			break;
		case 'n':
			fprintf(out, "%" PRIu64, name->number);
			break;
		default:
			putc('%', out);
		}
	}
	if (fclose(out))
		out_of_memory();
	return text;
}
