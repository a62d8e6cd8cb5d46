/* SPDX-License-Identifier: Apache-2.0 */
/* read_options.h - options shared by all commands that read values: where to look for
 * debugging information and for the executable of a core, and rules for printers. */
#ifndef GOSNAP_READ_OPTIONS_H
#define GOSNAP_READ_OPTIONS_H

#include <stddef.h>

#include "src/options/options.h"

struct value_rules;

extern const struct option_info read_options[];	   /* of struct read_options */
extern const struct option_info core_options[];	   /* of struct core_options */
extern const struct option_info printer_options[]; /* of struct printer_files */

enum { PRINTER_FILES = 16 }; /* per command line */

/* Strings are borrowed. */
struct printer_files {
	const char *paths[PRINTER_FILES];
	size_t count; /* may be larger */
};

/* The rules from the given files and from $XDG_CONFIG_HOME/gosnap/printers. Owned by the
 * caller. NULL: err says what is wrong with one. */
struct value_rules *printer_files_read(const struct printer_files *files,
				       struct err *err);

#endif
