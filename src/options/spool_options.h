/* SPDX-License-Identifier: Apache-2.0 */
/* spool_options.h - where the spool is, for commands that read it. */
#ifndef GOSNAP_SPOOL_OPTIONS_H
#define GOSNAP_SPOOL_OPTIONS_H

#include "src/options/options.h"
#include "src/handler/settings.h"
#include "lib/sandbox/broker.h"
#include "src/spool/spool.h"
#include "src/spool/spool_head.h"

struct spool_arguments {
	const char *spool;	  /* NULL: as the settings say */
	struct settings settings; /* once it is open */
};
extern const struct option_info spool_options[];

/* NULL: err says why. */
struct spool *spool_of(struct spool_arguments *arguments, struct err *err);

/* What a list of them shows of entry i, which is read in the sandbox: services of the list are to be
 * those of the sandbox. False: err says why it cannot be read. */
MUST_CHECK bool spool_entry_head(const struct spool_entries *all, size_t i,
				 struct spool_head *ret, struct err *err);
struct spool_service {
	struct sandbox_service list[2];
};
struct spool_service spool_service_of(struct spool_entries *all);

#endif
