/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h - bytes to a file descriptor, compressed by zstd when asked for, on a thread of
 * its own: while the kernel takes one buffer the next is filled. A document that fits one
 * buffer needs no thread. Failure is sticky: nothing more is written after it. */
#ifndef GOSNAP_WRITER_H
#define GOSNAP_WRITER_H

#include "lib/base/util.h"

struct writer;

enum { WRITER_BUFFER = 256 * 1024 };

/* fd is borrowed. Never NULL. */
struct writer *writer_new(int fd, bool zstd);
/* Waits for the thread; what was not written by writer_finish() may be lost. */
void writer_free(struct writer *w);
DEFINE_AUTO(struct writer, writer_free)

/* WRITER_BUFFER bytes to fill. */
char *writer_buffer(struct writer *w);
/* Takes len bytes of that buffer; the next to fill is another one. Waits when that is still
 * being written. */
char *writer_next(struct writer *w, size_t len);
/* Writes the last len bytes and waits for everything. Returns the first errno, or 0. */
int writer_finish(struct writer *w, size_t len);

#endif
