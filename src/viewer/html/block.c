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

/* Incompressible bytes grow by a few of each block of deflate, and then by a third. */
uint64_t block_bytes_at_most(uint64_t bytes)
{
	enum { TAGS = 256 };

	return (bytes + bytes / 1000 + 64) / 3 * 4 + TAGS;
}

/* As an array. */
static char *json_of(const struct sink *part, size_t *ret_len)
{
	const size_t len = sink_part_bytes(part);
	char *json = xmalloc(len + 2);

	json[0] = '[';
	memcpy(json + 1, sink_part_text(part), len);
	json[len + 1] = ']';
	*ret_len = len + 2;
	return json;
}

static size_t write_block(const struct page_out *out, const char *kind, size_t first,
			  size_t last, const struct sink *part)
{
	static const char end[] = "</script>\n";
	size_t json_len, packed_len, coded_len;
	char *json = json_of(part, &json_len);
	char *packed = gzip_compress(json, json_len, &packed_len);
	xfree(json);
	AUTO(xfree) char *coded = base64((uint8_t *)packed, packed_len, &coded_len);
	xfree(packed);
	AUTO(xfree)
	char *begin = xasprintf("<script type=\"application/gosnap\" data-kind=\"%s\" "
				"data-first=\"%zu\" data-last=\"%zu\">",
				kind, first, last);

	page_text(out, begin);
	page_write(out, coded, coded_len);
	page_text(out, end);
	return strlen(begin) + coded_len + strlen(end);
}

size_t block_write_part(const struct page_out *out, const char *kind,
			const struct sink *part)
{
	return write_block(out, kind, 0, 0, part);
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
	blocks->packed += write_block(blocks->out, blocks->kind, blocks->first,
				      blocks->last, blocks->part);
	blocks->bytes += sink_part_bytes(blocks->part);
	sink_free(TAKE(blocks->part));
}

uint64_t blocks_waiting_with(const struct blocks *blocks, uint64_t more)
{
	enum { NUMBER = 24 };

	return (blocks->part ? sink_part_bytes(blocks->part) : 0) + more + NUMBER;
}
