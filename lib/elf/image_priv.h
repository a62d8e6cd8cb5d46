/* SPDX-License-Identifier: Apache-2.0 */
/* image_priv.h - internals shared by image*.c. */
#ifndef GOSNAP_IMAGE_PRIV_H
#define GOSNAP_IMAGE_PRIV_H

#include "lib/base/table.h"
#include "lib/elf/image_debug.h"

struct image_section {
	const char *name; /* in the file's string table */
	uint64_t addr, size;
	size_t index;
	bool loaded; /* has an address in the process */
};

/* Bytes of a segment that is never written, read from the file on demand. Not mapped:
 * truncating the file would kill us with SIGBUS. */
struct image_bytes {
	uint64_t vaddr, size; /* file addresses */
	uint64_t offset;
	uint8_t *data;	 /* fully reserved, filled in chunks */
	uint8_t *chunks; /* 0 not read, 1 read, 2 unreadable */
};

struct image_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t type, bind;
	bool absolute; /* no bias: an offset within thread-local storage, ... */
	bool in_code;
};

struct image_symbols {
	bool loaded;
	bool exported_only; /* .dynsym only: unlisted functions lie between its symbols */
	struct image_symbol *all;
	size_t count;
	struct table
		by_name; /* hash of the name, how many have the same one: index + 1 */
	uint64_t steps;	 /* LIMIT_SYMBOL_STEPS */
	const struct image_symbol **functions; /* sorted by value */
	size_t function_count;
};

struct image {
	char *path;
	char *unreadable;
	/* The mapped file; inode 0: unknown, or none. */
	uint64_t inode;
	uint32_t device_major, device_minor;
	uint64_t bias;
	uint64_t entry, headers_offset; /* e_entry, e_phoff */
	int fd;
	bool unpacks_itself;
	char *unproved;	 /* see image_unproved(); owned */
	uint8_t *memory; /* the file's contents, if read from the process */
	size_t memory_len;
	struct Elf *elf; /* libelf's */
	int machine;
	char *build_id, *go_build_id;
	struct image_segment *segments; /* with bias */
	uint64_t *segment_offsets;
	size_t segment_count;
	struct image_section *sections;
	size_t section_count;
	struct image_bytes *bytes;
	size_t bytes_count;
	struct image_symbols symbols;
	struct image_tls tls;
	/* image_debug.c */
	struct image_context *context; /* borrowed; NULL: opened as a single file */
	struct image *debug; /* separate file with debug info or symbols; NULL: none */
	bool debug_tried, debug_given;
	char *debug_why;		 /* why there is none, or NULL */
	struct image_unpacked *unpacked; /* kept for the next caller; or NULL */
};

/* Shared by all images of a process. */
struct image_context {
	int root;	     /* of the process; -1: only our own */
	char *root_path;     /* prefix that names of files in it may have */
	struct cache *cache; /* borrowed; NULL: none */
	uint64_t symbol_room,
		debug_room; /* remains of LIMIT_SYMBOL_BYTES, LIMIT_DEBUG_BYTES_RUN */
};

struct image_span {
	uint64_t start, end;
	size_t image;
};

struct images {
	struct target *target; /* borrowed */
	pid_t proc;	       /* /proc/PROC provides exe, root and map_files */
	bool ended; /* a process that is over, whose files were looked for so: */
	struct image_search search;
	struct image **list; /* owned; 0: the executable */
	size_t count, cap;
	size_t left_out;
	uint64_t room; /* left of LIMIT_MAPPED_BYTES */
	struct image_context context;
	struct image_span *spans; /* sorted */
	size_t span_count, span_cap;
};

/* image.c */
struct image *image_alloc(struct images *images, const char *path);
/* Where the file of m is mapped from its first byte; 0: nowhere. */
uint64_t image_start_of(struct images *images, const struct image *img,
			const struct target_mapping *m);

/* image_ended.c: opens the file of img, whose first byte is at start (0: unknown), or loads it
 * from memory. Its bias is to be set. */
void image_open_ended(struct images *images, struct image *img, uint64_t start);
/* Opens the executable, which is the first image. */
MUST_CHECK bool image_open_ended_executable(struct images *images, struct err *err);

/* Limits what files can make us allocate: a large sparse file costs its owner nothing.
 * False: n more bytes exceed the limit. */
static inline bool image_spend(uint64_t *room, uint64_t n)
{
	if (n > *room)
		return false;
	*room -= n;
	return true;
}

/* image_file.c: loads the image from fd or memory. False: img->unreadable says why. */
bool image_load(struct image *img);
bool image_load_debug(struct image *img); /* only header, sections and notes */
void image_unload(struct image *img);
/* The bias if offset of the file is mapped at addr by an executable segment. False: the
 * file has no code there. */
bool image_bias_of(const struct image *img, uint64_t addr, uint64_t offset,
		   uint64_t *ret);
void image_rebase(struct image *img, uint64_t bias);
bool image_refuse(struct image *img, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Takes the build-ids from notes, unless it has them. */
void image_take_notes(struct image *img, const void *bytes, size_t len);

/* May that many bytes of tables be read from the file? */
bool image_may_read(const struct image *img, uint64_t bytes);
/* A string table section; empty unless its last string is terminated. */
struct image_names {
	const char *bytes;
	size_t len;
};
struct image_names image_names(const struct image *img, size_t section);
const char *image_name(struct image_names names, size_t off); /* NULL: out of bounds */

/* image_memory.c, also for the next two: loads an object mapped at addr, from its first byte, when its file is
 * unavailable: its headers and the segments that are never written. Sets the bias. *room
 * is the number of bytes that all such objects may still take. False: img->unreadable
 * says why. */
bool image_load_mapped(struct image *img, struct target *t, uint64_t addr,
		       uint64_t *room);

/* The build-ids and segments that are in memory, of an object whose first byte is at addr. Sets the
 * bias. */
void image_take_mapped_headers(struct image *img, struct target *t, uint64_t addr);
/* The segments as they were mapped, when the headers are not in memory. The bias stays unknown. */
void image_take_mappings(struct image *img, struct target *t);

/* image_debug.c: the separate file with debug info or symbols; NULL: none. */
const struct image *separate_debug_file(const struct image *img);

/* debug_sections.c: whether this file itself has .debug_info. */
bool image_has_debug(const struct image *img);
void image_unpacked_drop(struct image_unpacked *u);

/* image_symbols.c */
void image_symbols_free(struct image_symbols *symbols);

#endif
