/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - hashes of names. */
#ifndef GOSNAP_HASH_H
#define GOSNAP_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a of 32 bits. Cached name indexes contain it (lib/dwarf/dwarf_names_file.c). */
static inline uint32_t hash_name(const char *name, size_t len)
{
	uint32_t hash = 2166136261;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619;
	return hash;
}

/* FNV-1a of 64 bits. Fingerprints in documents are made with it. */
static inline uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
