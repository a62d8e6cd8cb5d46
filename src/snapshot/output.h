/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - where a document goes: standard output, or a file that appears whole, under
 * its name, or not at all. One at a time: signals must know what to remove. */
#ifndef GOSNAP_OUTPUT_H
#define GOSNAP_OUTPUT_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct output;
struct sink;

/* path NULL or "-": standard output. A file has mode 0600, is compressed when its name ends in
 * .zst, and gets its name at the end. Until then it has none, or, where the file system has no
 * such files, a temporary one, .NAME.gosnap-XXXXXX, which SIGINT, SIGTERM, SIGHUP and SIGQUIT
 * remove before they do what they always do; what a SIGKILL left of this name is removed. A path
 * that is no regular file (a pipe, /dev/null) is written to directly; see trusted_path.h. */
struct output *output_open(const char *path, struct err *err);
/* A file without a name, for a document that is shown rather than kept. */
struct output *output_open_spool(struct err *err);
/* Removes what was not committed. */
void output_close(struct output *out);
DEFINE_AUTO(struct output, output_close)

/* Borrowed; write one document, without sink_finish(). */
struct sink *output_sink(struct output *out);

/* Writes the rest and gives the file its name. ERR_SYS: nothing is left behind. */
MUST_CHECK bool output_commit(struct output *out, struct err *err);

/* After a failed commit: whoever read our pipe went away, which is no one's mistake. */
bool output_pipe_closed(const struct output *out);

/* The descriptor of a committed spool; now the caller's, at its beginning. */
int output_take_fd(struct output *out);

#endif
