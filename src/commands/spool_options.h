/* SPDX-License-Identifier: Apache-2.0 */
/* spool_options.h - where the spool is, for commands that read it. */
#ifndef GOSNAP_SPOOL_OPTIONS_H
#define GOSNAP_SPOOL_OPTIONS_H

#include "src/commands/options.h"
#include "src/handler/settings.h"
#include "src/spool/spool.h"

struct spool_arguments {
	const char *spool;	  /* NULL: as the settings say */
	struct settings settings; /* once it is open */
};
extern const struct option_info spool_options[];

/* NULL: err says why. */
struct spool *spool_of(struct spool_arguments *arguments, struct err *err);

#endif
