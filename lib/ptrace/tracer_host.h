/* SPDX-License-Identifier: Apache-2.0 */
/* tracer_host.h - what the parent of the sandbox does for the reading of a process in there: it starts
 * the tracer, within its own limits, and reads of /proc what takes its rights. Whoever asks may have
 * been taken over: there is one tracer at a time, a few for each snapshot, and each stops the process once. */
#ifndef GOSNAP_TRACER_HOST_H
#define GOSNAP_TRACER_HOST_H

#include "lib/ptrace/tracer.h"

struct tracer_host;
struct sandbox_service;

/* live is borrowed; nothing has been stopped through it. Takes limits->keep, which the first tracer keeps
 * open. limits NULL: it starts no tracer. */
struct tracer_host *tracer_host_new(struct target *live,
				    const struct tracer_options *limits);
/* Somebody else traces the process, and may copy it. */
void tracer_host_serves(struct tracer_host *host, const struct tracer_service *service);
/* For the next snapshot: ends what is left of the last one. Takes keep, as above; -1: there is no next
 * one yet. */
void tracer_host_renew(struct tracer_host *host, int keep);
const struct sandbox_service *tracer_host_services(const struct tracer_host *host);
/* Is it the copy that the tracer has made? */
bool tracer_host_has_copy(const struct tracer_host *host, pid_t pid);
/* Waits until the tracer has released everything. NULL is allowed. */
void tracer_host_free(struct tracer_host *host);
DEFINE_AUTO(struct tracer_host, tracer_host_free)

#endif
