/* SPDX-License-Identifier: Apache-2.0 */
/* spool_priv.h - internals shared in src/spool. */
#ifndef GOSNAP_SPOOL_PRIV_H
#define GOSNAP_SPOOL_PRIV_H

#include "src/spool/spool.h"

struct spool {
	int fd;
	char *path;
};

/* The text of /etc/subuid, allocated. NULL: there is none. */
char *spool_lent_users(void);
/* The user ID itself; of those that one line of that text lends, the first. */
uid_t spool_user(const char *lent, uid_t uid);

#endif
