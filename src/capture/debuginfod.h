/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod.h - downloads debug info, and executables of cores, by build-id. The only use of
 * the network, and only on request; no process is stopped meanwhile. */
#ifndef GOSNAP_DEBUGINFOD_H
#define GOSNAP_DEBUGINFOD_H

#include "goruntime/goruntime.h"

/* For each Go image that has a build-id but no debug info. Stops at until_ns of
 * CLOCK_MONOTONIC. Failures become warnings. */
void debuginfod_fetch(const struct runtimes *all, struct images *images,
		      uint64_t until_ns, struct warnings *warnings);
/* Likewise the executable with this build-id, whose name was path: a file descriptor, or -1. */
int debuginfod_executable(const char *build_id, const char *path, uint64_t until_ns,
			  struct warnings *warnings);

/* For the parent of the sandbox, which has no network: a child of its own asks the servers. total_ns:
 * how long all downloads of this run may take. */
struct debuginfod_host;
struct sandbox_service;
struct debuginfod_host *debuginfod_host_new(uint64_t total_ns);
const struct sandbox_service *
debuginfod_host_services(const struct debuginfod_host *host);
/* For the next snapshot: likewise. */
void debuginfod_host_renew(struct debuginfod_host *host);
void debuginfod_host_free(struct debuginfod_host *host);
DEFINE_AUTO(struct debuginfod_host, debuginfod_host_free)

#endif
