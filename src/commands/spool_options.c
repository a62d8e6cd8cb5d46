/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/spool_options.h"

#include <stdlib.h>

const struct option_info spool_options[] = { { 0, "spool", "DIR", "read the spool in DIR",
					       OPTION_STRING(struct spool_arguments,
							     spool) },
					     { .name = NULL } };

struct spool *spool_of(struct spool_arguments *arguments, struct err *err)
{
	struct err ignored; /* what is not understood has its default */

	const char *path = arguments->spool ? arguments->spool : getenv("GOSNAP_SPOOL");

	settings_read(SETTINGS_FOLDER, &arguments->settings, &ignored);
	if (!path || !*path)
		path = arguments->settings.spool;
	return spool_open_folder(path, false, err);
}
