/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/read_options.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "printers/printers.h"
#include "src/capture/capture.h"

const struct option_info read_options[] = {
	{ 0, "debug-file", "FILE", "use the debug information in FILE",
	  OPTION_STRING(struct read_options, debug_file) },
	{ 0, "debuginfod", NULL, "ask DEBUGINFOD_URLS for debug information",
	  OPTION_FLAG(struct read_options, debuginfod) },
	{ 0, "no-cache", NULL, "neither use nor save the index of names",
	  OPTION_FLAG(struct read_options, no_cache) },
	{ .name = NULL }
};

const struct option_info core_options[] = {
	{ 0, "exe", "FILE", "FILE is the executable of the core",
	  OPTION_STRING(struct core_options, search.executable) },
	{ 0, "root", "DIR", "find the files of the core below DIR",
	  OPTION_STRING(struct core_options, search.root) },
	{ 0, "force", NULL, "use the executable even if it is another one",
	  OPTION_FLAG(struct core_options, search.force) },
	{ 0, "systemd", NULL, "CORE is a PID, a UNIT or latest: of systemd-coredump",
	  OPTION_FLAG(struct core_options, systemd) },
	{ .name = NULL }
};

static bool add_file(const struct option_info *option, const char *argument, void *field,
		     struct err *err)
{
	struct printer_files *files = field;
	(void)option, (void)err;
	if (files->count++ < PRINTER_FILES)
		files->paths[files->count - 1] = argument;
	return true;
}

const struct option_info printer_options[] = {
	{ 0, "printers", "FILE", "print values by the rules in FILE", .read = add_file },
	{ .name = NULL }
};

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

struct value_rules *printer_files_read(const struct printer_files *files, struct err *err)
{
	AUTO(value_rules_free) struct value_rules *rules = value_rules_new();
	AUTO(xfree) char *own = own_rules();

	if (files->count > PRINTER_FILES) {
		err_set(err, ERR_USAGE, "--printers: at most %d files", PRINTER_FILES);
		return NULL;
	}
	for (size_t i = 0; i < files->count; i++)
		if (!value_rules_read(rules, files->paths[i], err))
			return NULL;
	if (own && !value_rules_read(rules, own, err))
		return NULL;
	return TAKE(rules);
}
