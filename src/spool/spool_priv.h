/* SPDX-License-Identifier: Apache-2.0 */
/* spool_priv.h - internals shared in src/spool. */
#ifndef GOSNAP_SPOOL_PRIV_H
#define GOSNAP_SPOOL_PRIV_H

#include "src/spool/spool.h"

struct spool {
	int fd;
	char *path;
};

#endif
