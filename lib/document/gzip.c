/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/gzip.h"

#include <libdeflate.h>

#include "lib/base/util.h"

enum { LEVEL = 6 };

void *gzip_compress(const void *bytes, size_t len, size_t *ret_len)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);

	if (!c)
		out_of_memory();
	const size_t room = libdeflate_gzip_compress_bound(c, len);
	void *ret = xmalloc(room);
	*ret_len = libdeflate_gzip_compress(c, bytes, len, ret, room);
	libdeflate_free_compressor(c);
	return ret;
}
