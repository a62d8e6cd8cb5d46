/* SPDX-License-Identifier: Apache-2.0 */
/* Core files: the input is one. Whatever it says, reading it ends, and lists are sound. */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/corefile/core_process.h"
#include "lib/corefile/target_core.h"
#include "lib/elf/image.h"
#include "tests/fuzz/fuzz.h"

enum { READS_MAX = 64, THREADS_MAX = 64 };

static void read_ends(struct target *t, const struct target_mapping *m)
{
	uint8_t bytes[64];
	struct err err;

	assert(m->start < m->end && m->path);
	for (size_t i = 0; i < 2; i++) {
		uint64_t at = i ? m->end - 8 : m->start;
		bool ok = target_read(t, at, bytes, i ? 8 : 1, &err);
		assert(ok || err.text[0]);
	}
}

static void look(struct target *t)
{
	size_t n;
	const struct target_mapping *m = target_mappings(t, &n);

	for (size_t i = 0; i < n && i < READS_MAX; i++) {
		assert(i == 0 || m[i - 1].end <= m[i].start || m[i].inode);
		read_ends(t, &m[i]);
	}
	const struct target_thread *threads = target_threads(t, &n);
	for (size_t i = 0; i < n && i < THREADS_MAX; i++)
		for (size_t other = 0; other < i; other++)
			assert(threads[i].tid != threads[other].tid);
}

static void open_files(struct target *t)
{
	const struct image_search search = { .root = "/nonexistent" };
	const struct image_search nowhere = { .root = "/proc/self/fdinfo" };
	struct err err;

	assert(!images_open_ended(t, &search, &err));
	images_close(images_open_ended(t, &nowhere, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err;
	int fd = memfd_create("core", MFD_CLOEXEC);

	assert(write(fd, data, size) == (ssize_t)size);
	AUTO(target_close) struct target *t = target_core_open(fd, "core", &err);
	if (!t) {
		assert(err.text[0]);
		return 0;
	}
	assert(target_core_facts(t));
	look(t);
	process_free(core_process(t));
	open_files(t);
	return 0;
}
