/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/corefile/core_packing.h"

#include <lz4frame.h>
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/base/util.h"

static void *zstd_begin(void)
{
	return ZSTD_createDCtx();
}

static bool zstd_unpack(void *state, struct core_piece *p)
{
	ZSTD_inBuffer in = { p->in, p->in_len, 0 };
	ZSTD_outBuffer out = { p->out, p->out_len, 0 };
	const size_t left = ZSTD_decompressStream(state, &out, &in);

	if (ZSTD_isError(left))
		return false;
	p->in_len = in.pos;
	p->out_len = out.pos;
	if (in.pos || out.pos)
		p->ended = left == 0;
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

static bool xz_unpack(void *state, struct core_piece *p)
{
	lzma_stream *s = state;
	lzma_ret ret;

	s->next_in = p->in;
	s->avail_in = p->in_len;
	s->next_out = p->out;
	s->avail_out = p->out_len;
	ret = lzma_code(s, p->last ? LZMA_FINISH : LZMA_RUN);
	p->in_len -= s->avail_in;
	p->out_len -= s->avail_out;
	p->ended = ret == LZMA_STREAM_END;
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

static bool lz4_unpack(void *state, struct core_piece *p)
{
	const size_t left =
		LZ4F_decompress(state, p->out, &p->out_len, p->in, &p->in_len, NULL);

	if (LZ4F_isError(left))
		return false;
	if (p->in_len || p->out_len)
		p->ended = left == 0;
	return true;
}

static void lz4_end(void *state)
{
	LZ4F_freeDecompressionContext(state);
}

#define GZIP_MAGIC "\x1f\x8b\x08"
enum { GZIP_MAGIC_LEN = 3, GZIP_WINDOW = 15 + 16 /* zlib.h: with the header of gzip */ };

static void *gzip_begin(void)
{
	z_stream *state = xcalloc(1, sizeof(*state));

	if (inflateInit2(state, GZIP_WINDOW) == Z_OK)
		return state;
	xfree(state);
	return NULL;
}

/* A file may have several members. What follows the last one is ignored, as by gzip(1). */
static bool gzip_next_member(z_stream *s, struct core_piece *p)
{
	if (p->in_len < GZIP_MAGIC_LEN || memcmp(p->in, GZIP_MAGIC, GZIP_MAGIC_LEN) != 0)
		return false;
	p->ended = false;
	return inflateReset(s) == Z_OK;
}

static bool gzip_unpack(void *state, struct core_piece *p)
{
	z_stream *s = state;

	if (p->ended && !gzip_next_member(s, p)) {
		p->in_len = p->out_len = 0;
		return true;
	}
	s->next_in = (Bytef *)p->in;
	s->avail_in = (uInt)p->in_len;
	s->next_out = p->out;
	s->avail_out = (uInt)p->out_len;
	const int ret = inflate(s, Z_NO_FLUSH);
	p->in_len -= s->avail_in;
	p->out_len -= s->avail_out;
	p->ended = ret == Z_STREAM_END;
	return ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR;
}

static void gzip_end(void *state)
{
	inflateEnd(state);
	xfree(state);
}

static const struct core_packing packings[] = {
	{ "zstd", "\x28\xb5\x2f\xfd", 4, zstd_begin, zstd_unpack, zstd_end },
	{ "xz",
	  "\xfd"
	  "7zXZ",
	  6, xz_begin, xz_unpack, xz_end },
	{ "lz4", "\x04\x22\x4d\x18", 4, lz4_begin, lz4_unpack, lz4_end },
	{ "gzip", GZIP_MAGIC, GZIP_MAGIC_LEN, gzip_begin, gzip_unpack, gzip_end },
};

const struct core_packing *core_packing_of(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (len >= packings[i].magic_len &&
		    memcmp(bytes, packings[i].magic, packings[i].magic_len) == 0)
			return &packings[i];
	return NULL;
}
