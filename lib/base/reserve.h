/* SPDX-License-Identifier: Apache-2.0 */
/* reserve.h - reserved file descriptors, for operations that must not run out halfway. */
#ifndef GOSNAP_RESERVE_H
#define GOSNAP_RESERVE_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reserve;

/* Reserves n descriptors, raising RLIMIT_NOFILE if allowed. NULL: ERR_SYS. */
struct reserve *reserve_new(unsigned n, struct err *err);
/* Makes the descriptors available again. */
void reserve_free(struct reserve *r);
DEFINE_AUTO(struct reserve, reserve_free)

#endif
