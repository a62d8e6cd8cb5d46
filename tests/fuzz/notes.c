/* SPDX-License-Identifier: Apache-2.0 */
/* What a crash handler looks at itself: the beginning of a core that the kernel sends. The input is one.
 * Whatever it says, the head is found in pieces as in one, the pipe keeps all of it, and the
 * core is read with the memory of the process, which has other bytes. */
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/corefile/core_process.h"
#include "lib/corefile/target_core.h"
#include "src/handler/head.h"
#include "tests/fuzz/fuzz.h"

enum { PIPE_BYTES = 1 << 16, MAPPINGS_MAX = 64, THREADS_MAX = 64 };

/* As peer.c reads a socket. How much of it is the head. */
static size_t grow(const uint8_t *data, size_t size)
{
	size_t len = 0, pieces = 0;

	for (uint64_t wanted; (wanted = head_length(data, len)) > len; pieces++) {
		if (len == size)
			break;
		len = wanted < size ? (size_t)wanted : size;
		assert(pieces < size);
	}
	return len;
}

static void look_at_signal(const uint8_t *data, size_t size)
{
	/* Its own size: what reads past it is seen. */
	AUTO(xfree) uint8_t *copy = xcalloc(size ? size : 1, 1);
	uint16_t signal;
	uint32_t tid;

	memcpy(copy, data, size);
	head_signal(copy, size, &signal, &tid);
}

/* A file with the head; -1: this is no core. */
static int copy_head(const uint8_t *data, size_t size)
{
	uint8_t left[256], kept[256];
	struct stat st;
	struct err err;
	int ends[2];

	assert(pipe2(ends, O_CLOEXEC) == 0 && write_fully(ends[1], data, size));
	close(ends[1]);
	int fd = head_copy(ends[0], &err);
	assert(fd >= 0 || err.text[0]);
	const ssize_t n = read(ends[0], left, sizeof(left));
	assert(n >= 0 && memcmp(left, data, (size_t)n) == 0 &&
	       (n == (ssize_t)sizeof(left) || (size_t)n == size));
	close(ends[0]);
	if (fd < 0)
		return -1;
	assert(fstat(fd, &st) == 0 && (size_t)st.st_size <= size);
	const ssize_t got = pread(fd, kept, sizeof(kept), 0);
	assert(got > 0 && memcmp(kept, data, (size_t)got) == 0);
	return fd;
}

static void read_ends(struct target *t)
{
	uint8_t bytes[64];
	struct err err;
	size_t n;
	const struct target_mapping *m = target_mappings(t, &n);

	for (size_t i = 0; i < n && i < MAPPINGS_MAX; i++)
		for (size_t end = 0; end < 2; end++) {
			const uint64_t at = end ? m[i].end - 8 : m[i].start;
			assert(target_read(t, at, bytes, end ? 8 : 1, &err) ||
			       err.text[0]);
		}
}

static void open_dying(int head, const uint8_t *data, size_t size)
{
	struct err err;
	int memory = memfd_create("memory", MFD_CLOEXEC);

	assert(pwrite(memory, data, size, 1 << 29) == (ssize_t)size);
	AUTO(target_close)
	struct target *t = target_core_open_dying(head, memory, "core", &err);
	if (!t) {
		assert(err.text[0]);
		return;
	}
	assert(target_core_facts(t));
	read_ends(t);
	process_free(core_process(t));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > PIPE_BYTES)
		return 0;
	look_at_signal(data, grow(data, size));
	look_at_signal(data, size);
	int head = size ? copy_head(data, size) : -1;
	if (head >= 0)
		open_dying(head, data, size);
	return 0;
}
