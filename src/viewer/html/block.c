/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/block.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/document/gzip.h"
#include "lib/document/sink.h"
#include "src/viewer/html/page_out.h"

/* bytes: a browser unpacks and parses as much between two frames */
enum { BLOCK_BYTES = 256 * 1024 };

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The caller frees it. */
static char *base64(const uint8_t *bytes, size_t len, size_t *ret_len)
{
	char *ret = xmalloc((len + 2) / 3 * 4);
	size_t n = 0;

	for (size_t i = 0; i < len; i += 3) {
		const size_t left = len - i;
		const uint32_t bits = (uint32_t)bytes[i] << 16 |
				      (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				      (left > 2 ? bytes[i + 2] : 0);
		ret[n++] = digits[bits >> 18];
		ret[n++] = digits[bits >> 12 & 63];
		ret[n++] = left > 1 ? digits[bits >> 6 & 63] : '=';
		ret[n++] = left > 2 ? digits[bits & 63] : '=';
	}
	*ret_len = n;
	return ret;
}

static void write_block(const struct page_out *out, const char *kind, size_t first,
			size_t last, const struct sink *part)
{
	size_t packed_len, coded_len;
	AUTO(xfree)
	char *json =
		xasprintf("[%.*s]", (int)sink_part_bytes(part), sink_part_text(part));
	AUTO(xfree) void *packed = gzip_compress(json, strlen(json), &packed_len);
	AUTO(xfree) char *coded = base64(packed, packed_len, &coded_len);
	AUTO(xfree)
	char *begin = xasprintf("<script type=\"application/gosnap\" data-kind=\"%s\" "
				"data-first=\"%zu\" data-last=\"%zu\">",
				kind, first, last);

	page_text(out, begin);
	page_write(out, coded, coded_len);
	page_text(out, "</script>\n");
}

void block_write_part(const struct page_out *out, const char *kind,
		      const struct sink *part)
{
	write_block(out, kind, 0, 0, part);
}

void blocks_add(struct blocks *blocks, size_t number, const char *json, size_t len)
{
	if (!blocks->part) {
		blocks->part = sink_part_new();
		blocks->first = number;
	}
	blocks->last = number;
	sink_uint(blocks->part, number);
	sink_add_part(blocks->part, json, len);
	if (sink_part_bytes(blocks->part) >= BLOCK_BYTES)
		blocks_finish(blocks);
}

void blocks_finish(struct blocks *blocks)
{
	if (!blocks->part)
		return;
	write_block(blocks->out, blocks->kind, blocks->first, blocks->last, blocks->part);
	blocks->bytes += sink_part_bytes(blocks->part);
	sink_free(TAKE(blocks->part));
}
