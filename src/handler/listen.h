/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - the kernel's coredump socket: core_pattern = @PATH or @@PATH. Each connection is a crash,
 * and has a process of its own. */
#ifndef GOSNAP_LISTEN_H
#define GOSNAP_LISTEN_H

#include "src/handler/handler.h"

/* A socket that systemd has open for us, or else a new one at path, mode 0600. -1: err says why. */
int listen_open(const char *path, struct err *err);
/* Does anybody listen there? */
bool listen_is_open(const char *path);
/* Until a signal ends this process. handler->arg is the crash. */
MUST_CHECK bool listen_run(int socket, const struct handler *handler, struct err *err);

#endif
