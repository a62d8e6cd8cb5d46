/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/thread.h"
#include "lib/document/remains.h"

enum { ZSTD_LEVEL = 3 };

struct writer {
	int fd;	   /* borrowed */
	int error; /* the first errno; the thread's while it runs */
	char *filling, *writing;
	ZSTD_CCtx *zstd;
	char *packed;
	struct remains *remains; /* NULL: none */
	size_t most;		 /* bytes to write at once */
	size_t packed_cap;
	ZSTD_EndDirective
		more; /* what the compressor does with a buffer that is not the last */

	struct thread *thread; /* NULL: it does not run */
	bool refused;	       /* it could not be started */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t pending; /* bytes of writing for the thread to write; 0: none */
	bool ending;
};

struct writer *writer_new(int fd, bool zstd)
{
	struct writer *w = xcalloc(1, sizeof(*w));

	w->fd = fd;
	w->most = SIZE_MAX;
	w->more = ZSTD_e_continue;
	w->filling = xmalloc(WRITER_BUFFER);
	w->writing = xmalloc(WRITER_BUFFER);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (!zstd)
		return w;
	w->packed_cap = ZSTD_CStreamOutSize();
	w->packed = xmalloc(w->packed_cap);
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel,
						ZSTD_LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1)))
		w->error = ENOMEM;
	return w;
}

bool writer_has_offset(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat st;

	return flags >= 0 && !(flags & O_APPEND) && fstat(fd, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

/* Of a file, its offset says how much was written. Into a pipe, so much is written at once or not at all;
 * and without a thread, nothing is being written when this one crashes. The compressor keeps nothing
 * back, which the remains would have to hold, too. */
void writer_tell(struct writer *w, struct remains *remains)
{
	w->more = ZSTD_e_flush;
	if (w->zstd || writer_has_offset(w->fd))
		return;
	w->remains = remains;
	w->most = PIPE_BUF;
	w->refused = true;
}

static void write_all(struct writer *w, const char *p, size_t len)
{
	while (len > 0 && !w->error) {
		const size_t piece = len < w->most ? len : w->most;
		if (w->remains)
			remains_writing(w->remains, piece);
		ssize_t n = write(w->fd, p, piece);
		if (n >= 0) {
			if (w->remains)
				remains_written(w->remains, (uint64_t)n);
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			/* Someone else made our terminal or pipe non-blocking. */
			struct pollfd wait = { .fd = w->fd, .events = POLLOUT };
			if (poll(&wait, 1, -1) < 0 && errno != EINTR)
				w->error = errno;
		} else if (errno != EINTR) {
			w->error = errno;
		}
	}
}

static void write_packed(struct writer *w, const char *p, size_t len,
			 ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { .src = p, .size = len };
	size_t left;

	do {
		ZSTD_outBuffer packed = { .dst = w->packed, .size = w->packed_cap };
		left = ZSTD_compressStream2(w->zstd, &packed, &in, end);
		if (ZSTD_isError(left)) {
			w->error = ENOMEM; /* the only way compression can fail */
			return;
		}
		write_all(w, w->packed, packed.pos);
	} while (!w->error && (in.pos < in.size || (end != ZSTD_e_continue && left > 0)));
}

static void write_buffer(struct writer *w, const char *p, size_t len,
			 ZSTD_EndDirective end)
{
	if (!w->error && w->zstd)
		write_packed(w, p, len, end);
	else if (!w->error)
		write_all(w, p, len);
}

static void work(void *arg)
{
	struct writer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->pending && !w->ending)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->pending)
			break;
		size_t len = w->pending;
		pthread_mutex_unlock(&w->lock);
		write_buffer(w, w->writing, len, w->more);
		pthread_mutex_lock(&w->lock);
		w->pending = 0;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
}

static void start(struct writer *w)
{
	w->thread = thread_start(work, w);
	w->refused = !w->thread;
}

static void stop(struct writer *w)
{
	if (!w->thread)
		return;
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	thread_join(w->thread);
	w->thread = NULL;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	stop(w);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	ZSTD_freeCCtx(w->zstd);
	xfree(w->packed);
	xfree(w->filling);
	xfree(w->writing);
	xfree(w);
}

char *writer_buffer(struct writer *w)
{
	return w->filling;
}

static void hand_over(struct writer *w, size_t len)
{
	pthread_mutex_lock(&w->lock);
	while (w->pending)
		pthread_cond_wait(&w->changed, &w->lock);
	char *empty = w->writing;
	w->writing = w->filling;
	w->filling = empty;
	w->pending = len;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

char *writer_next(struct writer *w, size_t len)
{
	if (!w->thread && !w->refused)
		start(w);
	if (w->thread && len)
		hand_over(w, len);
	else
		write_buffer(w, w->filling, len, w->more);
	return w->filling;
}

int writer_finish(struct writer *w, size_t len)
{
	stop(w);
	write_buffer(w, w->filling, len, ZSTD_e_end);
	return w->error;
}
