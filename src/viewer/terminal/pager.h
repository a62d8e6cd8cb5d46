/* SPDX-License-Identifier: Apache-2.0 */
/* pager.h - runs the user's pager between us and the terminal. */
#ifndef GOSNAP_PAGER_H
#define GOSNAP_PAGER_H

#include <stdio.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct pager;

/* GOSNAP_PAGER, else PAGER, else less. NULL: none, because it is empty, cat, or not
 * found. Borrowed from the environment. */
const char *pager_command(void);

/* Runs the command in the shell. Unless LESS is set, less is told to exit if everything
 * fits on the screen, to show colours and not to clear. Until the end, the interrupt keys
 * affect only the pager. NULL: err says why. */
struct pager *pager_start(const char *command, struct err *err);
/* Likewise in the sandbox, where the parent runs it: with this. It waits for the pager when it is
 * freed. */
struct pager_host;
struct sandbox_service;
struct pager_host *pager_host_new(const char *command); /* NULL: none is allowed */
const struct sandbox_service *pager_host_services(const struct pager_host *host);
void pager_host_free(struct pager_host *host);
DEFINE_AUTO(struct pager_host, pager_host_free)

/* The stream to write to. Write errors are not failures: the user has seen enough. */
FILE *pager_stream(struct pager *pager);
/* Returns when the user quits. ERR_SYS: it could not be run. NULL is allowed. */
MUST_CHECK bool pager_finish(struct pager *pager, struct err *err);

#endif
