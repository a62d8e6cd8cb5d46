/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/mend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/document/cut.h"
#include "lib/document/sink.h"
#include "lib/document/writer.h"

enum { PIECE = 64 << 10 };
/* Of what is packed, which is held in memory. */
#define PACKED_MAX (UINT64_C(1) << 30)

struct mending {
	const struct broken *broken;
	struct remains_state state;
	char *packed; /* NULL: it is not */
	size_t packed_len;
};

/* False: no more is wanted. */
typedef bool text_fn(void *arg, const char *text, size_t len);

static bool each_plain(const struct mending *m, text_fn *fn, void *arg, uint64_t *ret_len)
{
	char piece[PIECE];
	ssize_t n;

	while ((n = pread(m->broken->fd, piece, sizeof(piece),
			  (off_t)(m->broken->start + *ret_len))) > 0) {
		*ret_len += (uint64_t)n;
		if (!fn(arg, piece, (size_t)n))
			return false;
	}
	return true;
}

/* All whole blocks of it: then it ends. */
static bool each_packed(const struct mending *m, text_fn *fn, void *arg,
			uint64_t *ret_len)
{
	char piece[PIECE];
	ZSTD_inBuffer in = { m->packed, m->packed_len, 0 };
	ZSTD_DCtx *z = ZSTD_createDCtx();
	bool wanted = true;

	while (z && wanted) {
		ZSTD_outBuffer out = { piece, sizeof(piece), 0 };
		const size_t before = in.pos, left = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(left) || (!out.pos && in.pos == before))
			break;
		*ret_len += out.pos;
		wanted = fn(arg, piece, out.pos);
	}
	ZSTD_freeDCtx(z);
	return wanted;
}

/* What is in the file, and then what the writer had not written yet. Returns the length of the first. */
static uint64_t each(const struct mending *m, text_fn *fn, void *arg)
{
	char piece[PIECE];
	uint64_t len = 0, at;
	size_t n;

	if (m->packed ? !each_packed(m, fn, arg, &len) : !each_plain(m, fn, arg, &len))
		return len;
	for (at = len;
	     (n = remains_read(m->broken->remains, &m->state, at, piece, sizeof(piece)));
	     at += n)
		if (!fn(arg, piece, n))
			break;
	return len;
}

static bool to_cut(void *arg, const char *text, size_t len)
{
	return cut_take(arg, text, len);
}

/* What closes it; free with xfree. */
static char *closing(unsigned depth, const char *why)
{
	AUTO(sink_free) struct sink *out = sink_part_new();

	if (depth == 0)
		return xstrdup("\n");
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "incomplete_reason", why);
	sink_end(out);
	/* An element of an array is in a line of its own, which begins where this does. */
	return xasprintf("%s,\n\"end\":%.*s\n}\n", depth == 2 ? "\n]" : "",
			 (int)sink_part_bytes(out) - 1, sink_part_text(out) + 1);
}

static bool write_text(int fd, const char *text, size_t len, struct err *err)
{
	return write_fully(fd, text, len) || err_sys(err, "cannot write the document");
}

/* From an offset in the text that the kernel has. */
static bool write_rest(const struct mending *m, uint64_t from, uint64_t to,
		       struct err *err)
{
	char piece[PIECE];

	while (from < to) {
		size_t n = remains_read(m->broken->remains, &m->state, from, piece,
					to - from < PIECE ? (size_t)(to - from) : PIECE);
		if (!n)
			return err_set(err, ERR_SYS, "a part of the document is lost");
		if (!write_text(m->broken->fd, piece, n, err))
			return false;
		from += n;
	}
	return true;
}

static bool cut_plain(const struct mending *m, const struct cut *cut, uint64_t len,
		      const char *end, struct err *err)
{
	const uint64_t keep = cut->place < len ? cut->place : len;
	const int fd = m->broken->fd;

	if (ftruncate(fd, (off_t)(m->broken->start + keep)) ||
	    lseek(fd, (off_t)(m->broken->start + keep), SEEK_SET) < 0)
		return err_sys(err, "cannot cut the document");
	return write_rest(m, keep, cut->place, err) &&
	       write_text(fd, end, strlen(end), err);
}

struct packing {
	struct writer *writer;
	char *buffer;
	size_t used;
	uint64_t left; /* of what is to be kept */
};

static bool to_writer(void *arg, const char *text, size_t len)
{
	struct packing *p = arg;

	len = len < p->left ? len : (size_t)p->left;
	p->left -= len;
	for (size_t n; len; text += n, len -= n) {
		if (p->used == WRITER_BUFFER) {
			p->buffer = writer_next(p->writer, p->used);
			p->used = 0;
		}
		n = WRITER_BUFFER - p->used < len ? WRITER_BUFFER - p->used : len;
		memcpy(p->buffer + p->used, text, n);
		p->used += n;
	}
	return p->left > 0;
}

/* A frame cannot be cut: all is packed again, over what was there, which we have in memory. */
static bool pack_again(const struct mending *m, const struct cut *cut, const char *end,
		       struct err *err)
{
	AUTO(writer_free) struct writer *writer = NULL;
	struct packing p = { .left = cut->place };
	const int fd = m->broken->fd;

	if (ftruncate(fd, (off_t)m->broken->start) ||
	    lseek(fd, (off_t)m->broken->start, SEEK_SET) < 0)
		return err_sys(err, "cannot cut the document");
	writer = p.writer = writer_new(fd, true);
	p.buffer = writer_buffer(writer);
	each(m, to_writer, &p);
	p.left = strlen(end);
	to_writer(&p, end, strlen(end));
	errno = writer_finish(writer, p.used);
	return !errno || err_sys(err, "cannot write the document");
}

static bool read_packed(struct mending *m, struct err *err)
{
	struct stat st;

	if (fstat(m->broken->fd, &st))
		return err_sys(err, "cannot read the document");
	const uint64_t size = (uint64_t)st.st_size - m->broken->start;
	if ((uint64_t)st.st_size < m->broken->start || size > PACKED_MAX)
		return err_set(err, ERR_SYS, "the document is too large");
	m->packed = xmalloc(size);
	while (m->packed_len < size) {
		ssize_t n = pread(m->broken->fd, m->packed + m->packed_len,
				  size - m->packed_len,
				  (off_t)(m->broken->start + m->packed_len));
		if (n <= 0)
			return err_sys(err, "cannot read the document");
		m->packed_len += (size_t)n;
	}
	return true;
}

static bool nothing(struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "nothing had been written");
}

static bool mend_file(struct mending *m, const char *why, struct err *err)
{
	struct cut cut;

	if (m->broken->zstd && !read_packed(m, err))
		return false;
	cut_init(&cut);
	const uint64_t len = each(m, to_cut, &cut);
	if (!cut.place)
		return nothing(err);
	AUTO(xfree) char *end = closing(cut.depth, why);
	return m->packed ? pack_again(m, &cut, end, err)
			 : cut_plain(m, &cut, len, end, err);
}

/* A pipe, or a file that we cannot read: we believe the writer where it was, and only add to it. */
static bool append(const struct mending *m, const char *why, struct err *err)
{
	uint64_t written = m->state.written;

	if (m->broken->counted)
		written = (uint64_t)lseek(m->broken->fd, 0, SEEK_CUR) - m->broken->start;
	if (!m->state.whole)
		return nothing(err);
	if (!m->broken->counted && m->state.writing)
		return err_set(err, ERR_SYS,
			       "nobody knows how much of the document was written");
	if (m->broken->zstd || written > m->state.whole)
		return err_set(err, ERR_SYS, "the document ends within an element");
	AUTO(xfree) char *end = closing(m->state.depth, why);
	return write_rest(m, written, m->state.whole, err) &&
	       write_text(m->broken->fd, end, strlen(end), err);
}

bool mend(const struct broken *broken, const char *why, struct err *err)
{
	struct mending m = { .broken = broken };

	remains_look(broken->remains, &m.state);
	bool done = broken->whole_file ? mend_file(&m, why, err) : append(&m, why, err);
	xfree(m.packed);
	return done;
}
