/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unwind/unwind_priv.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/bytes.h"
#include "lib/base/util.h"

enum {
	LENGTH_IS_64_BIT = -1,
	CIE_HEAD = 64, /* bytes; we read about a third of them */
	ENC_ABSPTR = 0x00,
	ENC_PCREL_SDATA4 = 0x1b,
	ENC_FORMAT = 0x0f,
	ENC_OMITTED = 0xff,
};

/* Size of encoded personality and language-specific data pointers. */
static size_t pointer_size(uint8_t encoding)
{
	switch (encoding & ENC_FORMAT) {
	case 0x02:
	case 0x0a:
		return 2;
	case 0x03:
	case 0x0b:
		return 4;
	}
	return 8;
}

/* The encoding of function addresses: R in the CIE's augmentation "zPLR". */
static uint8_t encoding_of(struct bytes cie)
{
	if (cie.end - cie.at > CIE_HEAD)
		cie.end = cie.at + CIE_HEAD;
	uint8_t version = bytes_u8(&cie);
	const char *augmentation = bytes_string(&cie);

	bytes_uvarint(&cie); /* code and data alignment */
	bytes_uvarint(&cie);
	if (version == 1)
		bytes_u8(&cie);
	else
		bytes_uvarint(&cie);
	if (cie.bad || *augmentation != 'z')
		return cie.bad || *augmentation ? ENC_OMITTED : ENC_ABSPTR;
	bytes_uvarint(&cie);
	for (const char *c = augmentation + 1; *c; c++) {
		uint8_t encoding = strchr("RPL", *c) ? bytes_u8(&cie) : 0;
		if (*c == 'R')
			return cie.bad ? ENC_OMITTED : encoding;
		if (*c == 'P')
			cie = bytes_at(cie, pointer_size(encoding));
	}
	return ENC_ABSPTR;
}

/* An entry starts with its length, which excludes the length field. *ret is the rest. */
static bool next_entry(struct bytes *all, struct bytes *ret)
{
	uint32_t short_len = bytes_u32(all);
	uint64_t len =
		short_len == (uint32_t)LENGTH_IS_64_BIT ? bytes_u64(all) : short_len;
	struct bytes rest = bytes_at(*all, len);

	if (len == 0 || rest.bad)
		return false;
	*ret = bytes_over(all->at, len);
	*all = rest;
	return true;
}

static bool function_of(const uint8_t *start, uint64_t addr, struct bytes fde,
			uint8_t encoding, uint64_t *ret)
{
	uint64_t at = addr + (uint64_t)(fde.at - start);

	if (encoding == ENC_PCREL_SDATA4)
		*ret = at + (uint64_t)(int64_t)(int32_t)bytes_u32(&fde);
	else if (encoding == ENC_ABSPTR)
		*ret = bytes_u64(&fde);
	else
		return false;
	return !fde.bad;
}

static int by_function(const void *a, const void *b)
{
	const struct unwind_entry *x = a, *y = b;

	return (x->function > y->function) - (x->function < y->function);
}

struct unwind_entry *unwind_table_make(const void *eh_frame, size_t len, uint64_t addr,
				       size_t *ret_count)
{
	const uint8_t *start = eh_frame;
	struct bytes all = bytes_over(eh_frame, len), entry;
	struct unwind_entry *table = NULL;
	size_t n = 0, cap = 0;

	while (next_entry(&all, &entry)) {
		/* An FDE has the distance back to its CIE; a CIE has 0. */
		size_t id_at = (size_t)(entry.at - start);
		uint32_t back = bytes_u32(&entry);
		struct bytes cie = bytes_over(start, len), body;
		uint64_t function;
		if (entry.bad || back == 0 || back > id_at)
			continue;
		cie = bytes_at(cie, id_at - back);
		if (!next_entry(&cie, &body) || bytes_u32(&body) != 0 ||
		    !function_of(start, addr, entry, encoding_of(body), &function))
			continue;
		int64_t off = (int64_t)(function - addr);
		if (off != (int32_t)off || id_at > INT32_MAX)
			continue;
		GROW(table, n, cap);
		/* Start of the length field: nobody writes 64-bit ones. */
		table[n++] = (struct unwind_entry){ (int32_t)off, (int32_t)(id_at - 4) };
	}
	if (n)
		qsort(table, n, sizeof(*table), by_function);
	*ret_count = n;
	return table;
}
