/* SPDX-License-Identifier: Apache-2.0 */
/* systemd_core.h - cores that systemd-coredump keeps. Each has an entry in the journal with the fields
 * that systemd-coredump(8) lists; journalctl(1) reads it. */
#ifndef GOSNAP_SYSTEMD_CORE_H
#define GOSNAP_SYSTEMD_CORE_H

#include "lib/base/err.h"

/* The file of the newest core of which: "4711", a process id; "shop.service", a unit; "latest".
 * Allocated. NULL: ERR_NOT_FOUND, there is none; ERR_CANNOT. */
char *systemd_core_find(const char *which, struct err *err);

#endif
