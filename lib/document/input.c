/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/limit.h"

enum { BUFFER_SIZE = 64 * 1024 };
static const uint64_t MEMORY_MAX = UINT64_C(2) << 30;

/* Reads from the file into p; 0: end of file or error. */
static size_t read_file(struct input *in, char *p, size_t len)
{
	ssize_t n;
	do
		n = read(in->fd, p, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err_sys(&in->broken, "cannot read %s", in->name);
	return n < 0 ? 0 : (size_t)n;
}

static size_t take_unpacked(struct input *in, size_t bytes)
{
	in->unpacked_bytes += bytes;
	if (!unpacks_to_too_much(in->packed_bytes, in->unpacked_bytes))
		return bytes;
	err_set(&in->broken, ERR_BAD_DATA,
		"%s: damaged compression: %" PRIu64 " bytes become more than %" PRIu64
		" MB",
		in->name, in->packed_bytes, in->unpacked_bytes >> 20);
	return 0;
}

static size_t read_packed(struct input *in, char *p, size_t len)
{
	ZSTD_outBuffer plain = { .dst = p, .size = len };
	for (;;) {
		/* First, what the decompressor still holds: the file may be at its
		 * end. */
		size_t left = ZSTD_decompressStream(in->zstd, &plain, &in->packed);
		if (ZSTD_isError(left)) {
			err_set(&in->broken, ERR_BAD_DATA, "%s: damaged compression: %s",
				in->name, ZSTD_getErrorName(left));
			return 0;
		}
		if (plain.pos > 0)
			return take_unpacked(in, plain.pos);
		if (in->packed.pos < in->packed.size)
			continue;
		in->packed.pos = 0;
		in->packed.size = read_file(in, in->packed_buf, BUFFER_SIZE);
		if (in->packed.size == 0)
			return 0;
		in->packed_bytes += in->packed.size;
	}
}

/* Makes room after in->end by moving what is still needed to the front. */
static bool make_room(struct input *in)
{
	size_t from = in->marked ? in->mark : in->at;
	memmove(in->buf, in->buf + from, in->end - from);
	in->offset += from;
	in->mark = 0;
	in->at -= from;
	in->end -= from;
	if (in->end < in->cap)
		return true;
	if (in->cap >= ELEMENT_MAX)
		return err_set(&in->broken, ERR_BAD_DATA,
			       "%s: element larger than %d MB at byte %" PRIu64, in->name,
			       ELEMENT_MAX >> 20, in->offset);
	in->cap *= 2;
	in->buf = xreallocarray(in->buf, in->cap, 1);
	return true;
}

int input_fill(struct input *in)
{
	size_t n;
	if (!err_is(&in->broken, ERR_NONE) || !make_room(in))
		return END_OF_INPUT;
	n = in->zstd ? read_packed(in, in->buf + in->end, in->cap - in->end)
		     : read_file(in, in->buf + in->end, in->cap - in->end);
	in->end += n;
	return n == 0 ? END_OF_INPUT : (unsigned char)in->buf[in->at];
}

static bool starts_packed(struct input *in, struct err *err)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	char head[sizeof(magic)];
	ssize_t n = pread(in->fd, head, sizeof(head), in->start);
	if (n < 0)
		return err_sys(err, "cannot read %s", in->name);
	if (n != sizeof(head) || memcmp(head, magic, sizeof(magic)) != 0)
		return true;
	in->zstd = ZSTD_createDCtx();
	in->packed_buf = xmalloc(BUFFER_SIZE);
	return in->zstd ? true
			: err_set(err, ERR_SYS, "cannot decompress %s: out of memory",
				  in->name);
}

typedef size_t read_fn(struct input *in, char *p, size_t len);

/* Of what is left, to fd, most bytes. *ret_full: err says why it cannot be written. */
static bool copy_to(struct input *in, int fd, uint64_t most, read_fn *from,
		    bool *ret_full, struct err *err)
{
	size_t n;

	*ret_full = false;
	while ((n = from(in, in->buf, in->cap)) > 0) {
		errno = ENOSPC;
		if (n > most || !write_fully(fd, in->buf, n)) {
			*ret_full = true;
			return err_sys(err, "cannot write a temporary file");
		}
		most -= n;
	}
	if (err_is(&in->broken, ERR_NONE))
		return true;
	*err = in->broken;
	return false;
}

static void replace(struct input *in, int fd)
{
	close(in->fd);
	in->fd = fd;
	in->start = 0;
}

/* Replaces the file by an anonymous one, with what from() gives. Who looks at a crash may have a full
 * disk, and gets no more than spool_quota(): then it is in memory, if what was read can be read again. */
static bool spool(struct input *in, read_fn *from, struct err *err)
{
	bool full = false;
	int fd = spool_open(err);

	if (fd >= 0 && copy_to(in, fd, spool_quota(fd), from, &full, err)) {
		replace(in, fd);
		return true;
	}
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && (!full || !in->zstd || !input_rewind(in, err)))
		return false;
	fd = memfd_create("gosnap", MFD_CLOEXEC);
	if (fd >= 0 && copy_to(in, fd, MEMORY_MAX, from, &full, err)) {
		replace(in, fd);
		return true;
	}
	if (fd >= 0)
		close(fd);
	return false;
}

bool input_init(struct input *in, int fd, const char *name, struct err *err)
{
	*in = (struct input){ .fd = fd, .name = xstrdup(name), .cap = BUFFER_SIZE };
	in->buf = xmalloc(in->cap);
	in->start = lseek(fd, 0, SEEK_CUR);
	/* A pipe cannot be read twice. */
	if (in->start < 0 && !spool(in, read_file, err))
		return false;
	return starts_packed(in, err);
}

void input_done(struct input *in)
{
	close(in->fd);
	ZSTD_freeDCtx(in->zstd);
	xfree(in->packed_buf);
	xfree(in->buf);
	xfree(in->name);
}

bool input_rewind(struct input *in, struct err *err)
{
	if (lseek(in->fd, in->start, SEEK_SET) < 0)
		return err_sys(err, "cannot rewind %s", in->name);
	if (in->zstd)
		ZSTD_DCtx_reset(in->zstd, ZSTD_reset_session_only);
	in->packed = (ZSTD_inBuffer){ .src = in->packed_buf };
	in->packed_bytes = in->unpacked_bytes = 0;
	in->mark = in->at = in->end = 0;
	in->offset = 0;
	in->broken.code = ERR_NONE;
	return true;
}

bool input_unpack(struct input *in, struct err *err)
{
	if (!in->zstd)
		return true;
	if (!input_rewind(in, err))
		return false;
	if (!spool(in, read_packed, err))
		return !err_is(&in->broken, ERR_NONE);
	ZSTD_freeDCtx(in->zstd);
	in->zstd = NULL;
	return true;
}

bool input_read_at(const struct input *in, uint64_t offset, char *ret, size_t bytes)
{
	return !in->zstd && bytes <= ELEMENT_MAX &&
	       pread(in->fd, ret, bytes, in->start + (off_t)offset) == (ssize_t)bytes;
}
