/* SPDX-License-Identifier: Apache-2.0 */
/* sentry.h - a watchdog process that kills the monitor if the monitor does not read
 * the pipe in time: it may be stopped by a signal, or hang in the kernel. The pipe
 * then has no reader, so the process that writes to it continues as without a monitor.
 * The sentry never reads the pipe, and ends with the monitor, so it cannot block a
 * writer itself. It has its own session: a signal that stops the monitor's does not
 * stop it. */
#ifndef GOSNAP_SENTRY_H
#define GOSNAP_SENTRY_H

#include "lib/base/util.h"

struct sentry;

/* pipe: what is waited for; limit_ns: how long somebody may wait. NULL: there is none, and the functions below do
 * nothing. */
struct sentry *sentry_start(int pipe, uint64_t limit_ns);
/* Something was read. */
void sentry_served(struct sentry *s);
/* The monitor may be kept by others for any time: the process would be, too, without it. Then it is only killed if it
 * is stopped. */
void sentry_permit(struct sentry *s, bool waits);
void sentry_end(struct sentry *s);
DEFINE_AUTO(struct sentry, sentry_end)

#endif
