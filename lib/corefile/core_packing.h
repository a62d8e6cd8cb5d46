/* SPDX-License-Identifier: Apache-2.0 */
/* core_packing.h - decompressors of zstd, xz, lz4 and gzip, chosen by the first bytes. Knows nothing of
 * files and cores. */
#ifndef GOSNAP_CORE_PACKING_H
#define GOSNAP_CORE_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORE_PACKING_MAGIC = 6 /* bytes that tell one from the others */ };

/* A step. in_len and out_len are what there is, and then what was used of it. */
struct core_piece {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
	bool last;  /* nothing follows in */
	bool ended; /* what was taken so far is complete; kept from step to step */
};

struct core_packing {
	const char *name, *magic;
	size_t magic_len;
	void *(*begin)(void); /* NULL: it cannot */
	/* False: the bytes are damaged. If it uses nothing, there is no more. */
	bool (*unpack)(void *state, struct core_piece *p);
	void (*end)(void *state);
};

/* NULL: these bytes begin none. */
const struct core_packing *core_packing_of(const uint8_t *bytes, size_t len);

#endif
