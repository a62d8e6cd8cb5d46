/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/read_options.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "printers/printers.h"

bool read_option(struct read_options *options, int option, const char *argument)
{
	switch (option) {
	case READ_DEBUG_FILE:
		options->debug_file = argument;
		return true;
	case READ_DEBUGINFOD:
		options->debuginfod = true;
		return true;
	case READ_NO_CACHE:
		options->no_cache = true;
		return true;
	case READ_PRINTERS:
		if (options->printers_count++ < READ_FILES)
			options->printers[options->printers_count - 1] = argument;
		return true;
	default:
		return false;
	}
}

/* The user's own rules; NULL: none. */
static char *own_rules(void)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	AUTO(xfree) char *path = NULL;
	struct stat st;

	if (base && base[0] == '/')
		path = xasprintf("%s/gosnap/printers", base);
	else if (home && home[0] == '/')
		path = xasprintf("%s/.config/gosnap/printers", home);
	/* Never block on a pipe that nobody asked for. */
	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? TAKE(path) : NULL;
}

struct value_rules *read_option_rules(const struct read_options *options, struct err *err)
{
	AUTO(value_rules_free) struct value_rules *rules = value_rules_new();
	AUTO(xfree) char *own = own_rules();

	if (options->printers_count > READ_FILES) {
		err_set(err, ERR_USAGE, "--printers: at most %d files", READ_FILES);
		return NULL;
	}
	for (size_t i = 0; i < options->printers_count; i++)
		if (!value_rules_read(rules, options->printers[i], err))
			return NULL;
	if (own && !value_rules_read(rules, own, err))
		return NULL;
	return TAKE(rules);
}
