/* SPDX-License-Identifier: Apache-2.0 */
/* screen_host.h - of the process that has the terminal: serves the one that draws. */
#ifndef GOSNAP_SCREEN_HOST_H
#define GOSNAP_SCREEN_HOST_H

#include "lib/sandbox/broker.h"

struct tty;
struct screen_host;

/* tty: borrowed. */
struct screen_host *screen_host_new(struct tty *tty);
void screen_host_free(struct screen_host *host);
DEFINE_AUTO(struct screen_host, screen_host_free)

const struct sandbox_service *screen_host_services(const struct screen_host *host);
/* Without a sandbox, as sandbox_ask(). Waits. */
void screen_host_ask(struct screen_host *host, const struct question *q, int fd,
		     struct answer *ret, int *ret_fd);
/* What is to be said, once the terminal was given back; NULL: nothing. */
const char *screen_host_said(const struct screen_host *host);

#endif
