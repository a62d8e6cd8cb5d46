/* SPDX-License-Identifier: Apache-2.0 */
/* image_priv.h - shared by the files image*.c; nobody else's. */
#ifndef GOSNAP_IMAGE_PRIV_H
#define GOSNAP_IMAGE_PRIV_H

#include "lib/elf/image_debug.h"

struct image_section {
	const char *name; /* of the file's string table */
	uint64_t addr, size;
	size_t index;
	bool loaded; /* has an address in the process */
};

/* Bytes of a segment that is never written, read from the file piece by piece as they are
 * wanted. Not mapped: a file that somebody truncates would end us by SIGBUS. */
struct image_bytes {
	uint64_t vaddr, size; /* in the file's addresses */
	uint64_t offset;
	uint8_t *data;	 /* reserved whole, filled by chunks */
	uint8_t *chunks; /* 0 not read, 1 read, 2 cannot be read */
};

struct image_symbol {
	const char *name;
	uint64_t value, size;
	uint32_t hash; /* of name */
	uint8_t type, bind;
	bool absolute; /* no bias: an offset within thread-local storage, ... */
	bool in_code;
};

struct image_symbols {
	bool loaded;
	bool exported_only; /* .dynsym: functions of which it says nothing lie between */
	struct image_symbol *all;
	size_t count;
	uint32_t *by_name; /* hash of names: index + 1, 0 is free */
	size_t slots;
	uint64_t steps;			       /* LIMIT_SYMBOL_STEPS */
	const struct image_symbol **functions; /* sorted by value */
	size_t function_count;
};

struct image {
	char *path;
	char *unreadable;
	/* The file that is mapped; inode 0: not known, or none. */
	uint64_t inode;
	uint32_t device_major, device_minor;
	uint64_t bias;
	uint64_t entry, headers_offset; /* e_entry, e_phoff */
	int fd;
	bool unpacks_itself;
	uint8_t *memory; /* the file's bytes from the process, when there is no file */
	size_t memory_len;
	struct Elf *elf; /* libelf's */
	int machine;
	char *build_id, *go_build_id;
	struct image_segment *segments; /* with the bias */
	uint64_t *segment_offsets;
	size_t segment_count;
	struct image_section *sections;
	size_t section_count;
	struct image_bytes *bytes;
	size_t bytes_count;
	struct image_symbols symbols;
	struct image_tls tls;
	/* image_debug.c */
	struct image_context *context; /* borrowed; NULL: a file that was given, alone */
	struct image *debug; /* with its debugging information or symbols; NULL: none */
	bool debug_tried, debug_given;
	char *debug_why;		 /* there is none, or NULL */
	struct image_unpacked *unpacked; /* kept for the next who asks; or NULL */
};

/* What the images of a process have in common. */
struct image_context {
	int root;	     /* of the process; -1: none but ours */
	char *root_path;     /* as names of files in it may begin */
	struct cache *cache; /* borrowed; NULL: none */
	uint64_t symbol_room,
		debug_room; /* of LIMIT_SYMBOL_BYTES, LIMIT_DEBUG_BYTES_RUN */
};
/* One sparse file costs its owner nothing. False: with n bytes more it would be too many. */
static inline bool image_spend(uint64_t *room, uint64_t n)
{
	if (n > *room)
		return false;
	*room -= n;
	return true;
}

/* image_file.c: opens what fd or memory holds; false: img->unreadable says why. */
bool image_load(struct image *img);
bool image_load_debug(struct image *img); /* its header, sections and notes only */
void image_unload(struct image *img);
/* The bias by which offset of the file came to be mapped at addr, by a segment that may be
 * executed; false: the file maps no code there. */
bool image_bias_of(const struct image *img, uint64_t addr, uint64_t offset,
		   uint64_t *ret);
void image_rebase(struct image *img, uint64_t bias);
bool image_refuse(struct image *img, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* May so many bytes of tables be read from it? */
bool image_may_read(const struct image *img, uint64_t bytes);
/* The strings of a section, the last of which ends: none when it does not. */
struct image_names {
	const char *bytes;
	size_t len;
};
struct image_names image_names(const struct image *img, size_t section);
const char *image_name(struct image_names names, size_t off); /* NULL: not one of them */

/* image_memory.c: loads an object whose file cannot be had, mapped at addr from its first byte
 * on: its headers and the segments that are never written; sets the bias. *room is how many bytes all such
 * objects may still take. False: img->unreadable says why. */
bool image_load_mapped(struct image *img, struct target *t, uint64_t addr,
		       uint64_t *room);

/* image_debug.c: the file apart, with debugging information or symbols; NULL: none. */
const struct image *image_apart(const struct image *img);

/* image_unpack.c: .debug_info is in this very file. */
bool image_has_debug(const struct image *img);
void image_unpacked_drop(struct image_unpacked *u);

/* image_symbols.c */
void image_symbols_free(struct image_symbols *symbols);

#endif
