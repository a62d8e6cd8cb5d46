/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - output of a document or a core file: standard output, or a file that appears
 * complete under its name, or not at all. Only OUTPUTS at a time: signal handlers need to
 * know what to remove. */
#ifndef GOSNAP_OUTPUT_H
#define GOSNAP_OUTPUT_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct output;
struct sink;

enum { OUTPUTS = 2 };

/* path NULL or "-": standard output. A file has mode 0600, is compressed if its name ends
 * in .zst, and gets its name only at the end. Until then it is anonymous, or, where the
 * file system does not support that, has a temporary name, .NAME.gosnap-XXXXXX, which
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT remove before their default action. Leftovers of
 * this form from a SIGKILL are removed. Pipes, devices and the like (/dev/null) are
 * written directly; see trusted_path.h. */
struct output *output_open(const char *path, struct err *err);
/* Where somebody waits for us: does not wait until a pipe has a reader, but fails. */
struct output *output_open_at_once(const char *path, struct err *err);
/* A file that the caller has open, and names and closes. */
struct output *output_open_file(int fd, bool zstd);
/* An anonymous file, for a document to be shown rather than kept. */
struct output *output_open_spool(struct err *err);
/* Removes the file if it was not committed. */
void output_close(struct output *out);
DEFINE_AUTO(struct output, output_close)

/* Borrowed; write one document, without sink_finish(). */
struct sink *output_sink(struct output *out);

/* Before the sandbox: what the child has not written when it dies is kept for output_mend(). */
void output_keep_remains(struct output *out);
/* Likewise, in memory that stays the caller's, for one output after another; also in the child. */
struct remains;
void output_keep_remains_in(struct output *out, struct remains *remains);
/* After it died: makes a document of what it had written, which says why it is incomplete, to be
 * committed. Reads it in a sandbox of its own. ERR_NOT_FOUND: nothing had been written. ERR_SYS: it
 * cannot be mended. */
MUST_CHECK bool output_mend(const struct output *out, const char *why, struct err *err);
/* After it died, if nothing had been written that can be kept: another child can begin again. False: what
 * was written cannot be taken back. */
bool output_begin_again(const struct output *out);

/* Or write bytes as they are. Errors are told by output_finish(). */
void output_write(struct output *out, const void *bytes, size_t len);

/* Writes the rest. In the sandbox this is all; the parent then commits. */
MUST_CHECK bool output_finish(struct output *out, struct err *err);
/* Gives the finished file its name. ERR_SYS: no file remains. */
MUST_CHECK bool output_commit(struct output *out, struct err *err);

/* After a failed finish: the reader of our pipe went away, which is not an error. */
bool output_pipe_closed(const struct output *out);

/* The descriptor that is written to. */
int output_fd(const struct output *out);

/* The descriptor of a finished spool, at offset 0; the caller owns it. */
int output_take_fd(struct output *out);

#endif
