/* SPDX-License-Identifier: Apache-2.0 */
#include "lookup.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "printers.h"

bool lookup_option(struct lookup *lookup, int option, const char *argument)
{
	switch (option) {
	case LOOKUP_DEBUG_FILE:
		lookup->debug_file = argument;
		return true;
	case LOOKUP_DEBUGINFOD:
		lookup->debuginfod = true;
		return true;
	case LOOKUP_NO_CACHE:
		lookup->no_cache = true;
		return true;
	case LOOKUP_PRINTERS:
		if (lookup->printers_count++ < LOOKUP_FILES)
			lookup->printers[lookup->printers_count - 1] = argument;
		return true;
	default:
		return false;
	}
}

/* The user's own; NULL: he has none. */
static char *own_rules(void)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	AUTO(xfree) char *path = NULL;
	struct stat st;

	if (base && base[0] == '/')
		path = xasprintf("%s/gosnap/printers", base);
	else if (home && home[0] == '/')
		path = xasprintf("%s/.config/gosnap/printers", home);
	/* Nobody waits for a pipe that nobody named. */
	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? TAKE(path) : NULL;
}

struct value_rules *lookup_rules(const struct lookup *lookup, struct err *err)
{
	AUTO(value_rules_free) struct value_rules *rules = value_rules_new();
	AUTO(xfree) char *own = own_rules();

	if (lookup->printers_count > LOOKUP_FILES) {
		err_set(err, ERR_USAGE, "--printers: at most %d files", LOOKUP_FILES);
		return NULL;
	}
	for (size_t i = 0; i < lookup->printers_count; i++)
		if (!value_rules_read(rules, lookup->printers[i], err))
			return NULL;
	if (own && !value_rules_read(rules, own, err))
		return NULL;
	return TAKE(rules);
}
