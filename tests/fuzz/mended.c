/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are closed because their writer died: what comes of it is JSON to its end. The input:
 * a byte of flags, three of how much of the text is in the file already, and the text. */
#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/document/cut.h"
#include "lib/document/mend.h"
#include "lib/document/remains.h"
#include "tests/fuzz/fuzz.h"

enum { WRITTEN_ONLY = 1, ZSTD = 2, HEAD = 4 };

static void assert_json(int fd)
{
	char bytes[4096];
	uint64_t len = 0;
	struct cut cut;
	ssize_t n;

	cut_init(&cut);
	while ((n = pread(fd, bytes, sizeof(bytes), (off_t)len)) > 0) {
		len += (uint64_t)n;
		cut_take(&cut, bytes, (size_t)n);
	}
	assert(!cut.failed && cut.depth == 0 && cut.place > 0 && cut.place < len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD)
		return 0;
	const char *text = (const char *)data + HEAD;
	const size_t len = size - HEAD,
		     told = (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3],
		     written = told < len ? told : len;
	const int fd = memfd_create("document", MFD_CLOEXEC);
	AUTO(remains_free) struct remains *remains = remains_new();
	const struct broken broken = { .fd = fd,
				       .whole_file = !(*data & WRITTEN_ONLY),
				       .counted = true,
				       .zstd = *data & ZSTD,
				       .remains = remains };
	struct err err = { .text = "" };

	assert(fd >= 0 && write(fd, text, written) == (ssize_t)written);
	remains_add(remains, text, len);
	remains_whole(remains, *data >> 2 & 3);
	remains_written(remains, written);
	bool mended = mend(&broken, "its writer died", &err);
	assert(mended || err.text[0]);
	if (mended && broken.whole_file && !broken.zstd)
		assert_json(fd);
	close(fd);
	return 0;
}
