/* SPDX-License-Identifier: Apache-2.0 */
/* reserve.h - file descriptors that are kept free, so that what must not fail halfway has them. */
#ifndef GOSNAP_RESERVE_H
#define GOSNAP_RESERVE_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reserve;

/* Takes n of them, and raises RLIMIT_NOFILE for that where it may. NULL: ERR_SYS. */
struct reserve *reserve_new(unsigned n, struct err *err);
/* Gives them back. */
void reserve_free(struct reserve *r);
DEFINE_AUTO(struct reserve, reserve_free)

#endif
