/* SPDX-License-Identifier: Apache-2.0 */
/* writer.h - writes bytes to a file descriptor, compressed with zstd on request, on a
 * thread of its own: one buffer is filled while the kernel takes the other. A document
 * that fits in one buffer needs no thread. Errors are sticky: nothing is written after
 * one. */
#ifndef GOSNAP_WRITER_H
#define GOSNAP_WRITER_H

#include "lib/base/util.h"

struct writer;

enum { WRITER_BUFFER = 64 * 1024 };

struct remains;

/* fd is borrowed. Never NULL. */
struct writer *writer_new(int fd, bool zstd);
/* From now on it keeps no more back than its buffers, and tells there how much it has written, if that is
 * not known otherwise: nothing is compressed, and fd is not a file of which only we write. Borrowed. */
void writer_tell(struct writer *w, struct remains *remains);
/* Is it such a file? */
bool writer_has_offset(int fd);
/* Waits for the thread. Without writer_finish(), data may be lost. */
void writer_free(struct writer *w);
DEFINE_AUTO(struct writer, writer_free)

/* A buffer of WRITER_BUFFER bytes to fill. */
char *writer_buffer(struct writer *w);
/* Queues len bytes of that buffer and returns the next one to fill, waiting while it is
 * still being written. */
char *writer_next(struct writer *w, size_t len);
/* Writes the last len bytes and waits for everything. Returns the first errno, or 0. */
int writer_finish(struct writer *w, size_t len);

#endif
