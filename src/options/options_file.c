/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/options_file.h"

#include <string.h>

#include "lib/base/util.h"

enum { LIMIT_BYTES = 1 << 20 };

static bool read_line(const struct command *command, char *line, void *arguments,
		      struct err *err)
{
	char *name = trim_text(line), *equals;

	if (*name == '\0' || *name == '#')
		return true;
	if (strncmp(name, "--", 2) == 0)
		name += 2;
	equals = strchr(name, '=');
	if (equals)
		*equals = '\0';
	return options_read_one(command, trim_text(name),
				equals ? trim_text(equals + 1) : NULL, arguments, err);
}

char *options_read_file(const struct command *command, const char *path, void *arguments,
			struct err *err)
{
	size_t len, number = 0;
	AUTO(xfree) char *text = slurp(path, LIMIT_BYTES, &len);

	if (!text) {
		err_sys(err, "cannot read %.200s", path);
		return NULL;
	}
	if (strlen(text) != len) {
		err_set(err, ERR_USAGE, "%.200s is no text", path);
		return NULL;
	}
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (read_line(command, line, arguments, err))
			continue;
		err_prefix(err, "%.200s:%zu", path, number);
		return NULL;
	}
	return TAKE(text);
}
