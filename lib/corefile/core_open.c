/* SPDX-License-Identifier: Apache-2.0 */
/* core_open.c - files that hold a core, as it is or compressed. A temporary copy gets holes where
 * the core is zero, as most of it is. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <lz4frame.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/limit.h"
#include "lib/corefile/target_core.h"

enum {
	BUFFER = 1 << 17,
	BLOCK = 4096, /* of a file system: the smallest hole */
	MAGIC_MAX = 6,
};

/* A decompressor. It takes bytes from in, puts some to out, and says how many of each. */
struct piece {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};
struct packing {
	const char *name, *magic;
	size_t magic_len;
	void *(*begin)(void);
	/* False: the bytes are damaged. */
	bool (*unpack)(void *state, struct piece *p, bool last);
	void (*end)(void *state);
};

static void *zstd_begin(void)
{
	return ZSTD_createDCtx();
}

static bool zstd_unpack(void *state, struct piece *p, bool last)
{
	ZSTD_inBuffer in = { p->in, p->in_len, 0 };
	ZSTD_outBuffer out = { p->out, p->out_len, 0 };
	(void)last;

	if (ZSTD_isError(ZSTD_decompressStream(state, &out, &in)))
		return false;
	p->in_len = in.pos;
	p->out_len = out.pos;
	return true;
}

static void zstd_end(void *state)
{
	ZSTD_freeDCtx(state);
}

static void *xz_begin(void)
{
	enum { MEMORY = 1 << 30 };
	lzma_stream *state = xcalloc(1, sizeof(*state));

	if (lzma_stream_decoder(state, MEMORY, LZMA_CONCATENATED) == LZMA_OK)
		return state;
	xfree(state);
	return NULL;
}

static bool xz_unpack(void *state, struct piece *p, bool last)
{
	lzma_stream *s = state;
	lzma_ret ret;

	s->next_in = p->in;
	s->avail_in = p->in_len;
	s->next_out = p->out;
	s->avail_out = p->out_len;
	ret = lzma_code(s, last ? LZMA_FINISH : LZMA_RUN);
	p->in_len -= s->avail_in;
	p->out_len -= s->avail_out;
	return ret == LZMA_OK || ret == LZMA_STREAM_END || ret == LZMA_BUF_ERROR;
}

static void xz_end(void *state)
{
	lzma_end(state);
	xfree(state);
}

static void *lz4_begin(void)
{
	LZ4F_dctx *state;

	return LZ4F_isError(LZ4F_createDecompressionContext(&state, LZ4F_VERSION))
		       ? NULL
		       : state;
}

static bool lz4_unpack(void *state, struct piece *p, bool last)
{
	(void)last;
	return !LZ4F_isError(
		LZ4F_decompress(state, p->out, &p->out_len, p->in, &p->in_len, NULL));
}

static void lz4_end(void *state)
{
	LZ4F_freeDecompressionContext(state);
}

static const struct packing packings[] = {
	{ "zstd", "\x28\xb5\x2f\xfd", 4, zstd_begin, zstd_unpack, zstd_end },
	{ "xz",
	  "\xfd"
	  "7zXZ",
	  6, xz_begin, xz_unpack, xz_end },
	{ "lz4", "\x04\x22\x4d\x18", 4, lz4_begin, lz4_unpack, lz4_end },
};

static const struct packing *packing_of(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (len >= packings[i].magic_len &&
		    memcmp(bytes, packings[i].magic, packings[i].magic_len) == 0)
			return &packings[i];
	return NULL;
}

/* The copy. */
struct copy {
	const char *name; /* of what is copied */
	int fd;
	uint64_t len;
};

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

static bool put(struct copy *copy, const uint8_t *bytes, size_t len, struct err *err)
{
	/* A small file can be packed gigabytes. */
	if (!copy->len && len >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_CANNOT, "%.200s is not a core file", copy->name);
	while (len > 0) {
		size_t n = BLOCK - copy->len % BLOCK;
		if (n > len)
			n = len;
		if (!is_zero(bytes, n) &&
		    pwrite(copy->fd, bytes, n, (off_t)copy->len) != (ssize_t)n)
			return err_sys(err, "cannot write a temporary copy of the core");
		copy->len += n;
		bytes += n;
		len -= n;
	}
	return true;
}

struct input {
	int fd;
	const char *name;
	uint8_t bytes[BUFFER];
	size_t len;
	bool ended;
};

/* Fills the buffer as far as there is something. */
static bool fill(struct input *in, struct err *err)
{
	while (!in->ended && in->len < sizeof(in->bytes)) {
		ssize_t n =
			read(in->fd, in->bytes + in->len, sizeof(in->bytes) - in->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "cannot read %.200s", in->name);
		in->ended = n == 0;
		in->len += (size_t)n;
	}
	return true;
}

static bool copy_plain(struct input *in, struct copy *copy, struct err *err)
{
	do {
		if (!put(copy, in->bytes, in->len, err))
			return false;
		in->len = 0;
	} while (fill(in, err) && in->len);
	return in->ended;
}

/* What is damaged, or cut, ends there: what comes before is a core that was cut. */
static bool unpack(const struct packing *packing, struct input *in, struct copy *copy,
		   struct err *err)
{
	AUTO(xfree) uint8_t *out = xmalloc(BUFFER);
	void *state = packing->begin();
	bool ok = state || err_set(err, ERR_LIMIT, "cannot unpack %.200s (%s)", in->name,
				   packing->name);

	while (ok) {
		struct piece p = { in->bytes, in->len, out, BUFFER };
		if (!packing->unpack(state, &p, in->ended))
			break;
		in->len -= p.in_len;
		memmove(in->bytes, in->bytes + p.in_len, in->len);
		ok = put(copy, out, p.out_len, err) && fill(in, err);
		if (!p.in_len && !p.out_len)
			break;
	}
	if (state)
		packing->end(state);
	return ok;
}

static int spool(struct input *in, struct err *err)
{
	struct copy copy = { .name = in->name, .fd = -1 };
	bool ok = fill(in, err);
	const struct packing *packing = ok ? packing_of(in->bytes, in->len) : NULL;

	if (!ok || (copy.fd = spool_open(err)) < 0)
		return -1;
	ok = packing ? unpack(packing, in, &copy, err) : copy_plain(in, &copy, err);
	if (ok && ftruncate(copy.fd, (off_t)copy.len) < 0)
		ok = err_sys(err, "cannot write a temporary copy of the core");
	if (ok)
		return copy.fd;
	close(copy.fd);
	return -1;
}

int core_open(const char *path, struct err *err)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint8_t magic[MAGIC_MAX];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(err, "cannot open %.200s", is_stdin ? "standard input" : path);
		return -1;
	}
	ssize_t n = S_ISREG(st.st_mode) ? pread(fd, magic, sizeof(magic), 0) : -1;
	if (n >= 0 && !packing_of(magic, (size_t)n))
		return fd;
	AUTO(xfree) struct input *in = xcalloc(1, sizeof(*in));
	in->fd = fd;
	in->name = is_stdin ? "standard input" : path;
	int copy = spool(in, err);
	close(fd);
	return copy;
}

bool core_is_one(const char *path)
{
	Elf64_Ehdr header;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool is_core = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		       pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
		       memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
		       header.e_type == ET_CORE;

	if (fd >= 0)
		close(fd);
	return is_core;
}
