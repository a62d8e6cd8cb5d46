/* SPDX-License-Identifier: Apache-2.0 */
/* sentry.h - a process beside the monitor that kills it when somebody has waited for it in vain, to read what is in the
 * pipe: it may be stopped by a signal, or hang in the kernel. With its last reader the pipe is gone, and whoever
 * writes to it goes on as without a monitor. The sentry never reads, and ends with the monitor, so that it keeps
 * nobody waiting itself. It has a session of its own: what stops the monitor's does not stop it. */
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
