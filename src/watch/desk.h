/* SPDX-License-Identifier: Apache-2.0 */
/* desk.h - where `gosnap watch` answers what it has done so far: a local socket that speaks HTTP, GET
 * /metrics for Prometheus and GET /status for people, or a file that is replaced now and then. Nobody who
 * asks slowly, or never reads, keeps the watcher waiting. Knows sockets and bytes. */
#ifndef GOSNAP_WATCH_DESK_H
#define GOSNAP_WATCH_DESK_H

#include "lib/base/err.h"
#include "src/watch/counts.h"

#define WATCH_FOLDER "/run/gosnap"
#define WATCH_SOCKET WATCH_FOLDER "/watch.sock"

struct desk;

/* The folder must exist; the socket has mode 0600. NULL: err. */
struct desk *desk_open(const char *path, struct err *err);
void desk_close(struct desk *desk);
DEFINE_AUTO(struct desk, desk_close)

/* Readable when desk_serve() has something to do. Borrowed. */
int desk_fd(const struct desk *desk);
void desk_serve(struct desk *desk, const struct watch_counts *counts);

/* Replaces the file as a whole, as node_exporter's textfile collector wants it. */
MUST_CHECK bool desk_write_file(const char *path, const struct watch_counts *counts,
				struct err *err);

/* The other side: what a watcher at this socket says of itself, allocated. ERR_NOT_FOUND: nobody is
 * there. */
char *desk_ask(const char *path, struct err *err);

#endif
