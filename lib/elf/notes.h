/* SPDX-License-Identifier: Apache-2.0 */
/* notes.h - the records of an ELF note segment or section (elf(5), "Notes"): hostile bytes. */
#ifndef GOSNAP_NOTES_H
#define GOSNAP_NOTES_H

#include "lib/base/bytes.h"

struct elf_note {
	uint32_t type;
	struct bytes name, content; /* the name with its zero byte, if it has one */
};

/* False: there are no more, or the rest is damaged. */
static inline bool elf_next_note(struct bytes *b, struct elf_note *ret)
{
	const uint64_t name_len = bytes_u32(b), len = bytes_u32(b);

	ret->type = bytes_u32(b);
	ret->name = ret->content = bytes_at(*b, (name_len + 3) & ~UINT64_C(3));
	if (bytes_at(ret->content, len).bad)
		return false;
	ret->name.at = b->at;
	ret->name.end = b->at + name_len;
	ret->content.end = ret->content.at + len;
	/* The last one may lack its padding. */
	*b = bytes_at((struct bytes){ ret->content.at, b->end, false },
		      (len + 3) & ~UINT64_C(3));
	return true;
}

#endif
