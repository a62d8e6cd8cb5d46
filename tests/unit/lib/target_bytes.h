/* SPDX-License-Identifier: Apache-2.0 */
/* target_bytes.h - a target whose memory is arrays of the test. */
#ifndef GOSNAP_TEST_TARGET_BYTES_H
#define GOSNAP_TEST_TARGET_BYTES_H

#include "lib/target/target.h"

struct target_bytes_part {
	uint64_t addr;
	const void *bytes; /* borrowed until the target closes */
	size_t len;
	const char *path; /* of the mapping; NULL: anonymous, writable */
	bool executable;
};

/* Parts neither overlap nor need any order. Each is a mapping. No threads: see
 * target_set_threads(). pid 0. */
struct target *target_bytes_new(const struct target_bytes_part *parts, size_t n);

#endif
