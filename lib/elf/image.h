/* SPDX-License-Identifier: Apache-2.0 */
/* image.h - ELF objects mapped in a target: bias, build id, sections, symbols, unwind table.
 * Files are opened through /proc/PID so that other mount namespaces and deleted files work;
 * a file is believed only when device and inode are those of the mapping. The vDSO is read
 * from memory, and so is what cannot be opened: then it has no sections and no names.
 * Knows nothing of Go and nothing of DWARF. */
#ifndef GOSNAP_IMAGE_H
#define GOSNAP_IMAGE_H

#include "lib/target/target.h"

struct image;
struct images;

/* Every ELF object that has an executable mapping, LIMIT_IMAGES at most. Never NULL; an
 * object that cannot be read is listed with image_unreadable(). Opens files, reads no
 * symbols yet. */
struct images *images_open(struct target *t);
/* One file that need not run, at the addresses that it asks for. NULL: ERR_SYS, or ERR_CANNOT
 * when it is no ELF file for 64 bits. */
struct images *images_open_file(const char *path, struct err *err);
void images_close(struct images *images);
DEFINE_AUTO(struct images, images_close)

struct cache;
/* What is found out about their files may be kept there. It outlives them. */
void images_use_cache(struct images *images, struct cache *cache);
struct cache *image_cache(const struct image *img); /* NULL: there is none */

/* How many mappings of code are not looked at, being too many. */
size_t images_left_out(const struct images *images);

/* Symbols, sections and bytes are borrowed from the images and valid until they close. */
size_t images_count(const struct images *images);
const struct image *images_get(const struct images *images,
			       size_t i); /* 0: the executable */
/* The image whose mappings contain addr; NULL when none does. */
const struct image *images_at(const struct images *images, uint64_t addr);

const char *image_path(const struct image *img);
const char *image_unreadable(const struct image *img); /* NULL: it can be read */
/* The file holds something else, which unpacked this program into memory; it was read from there. */
bool image_unpacks_itself(const struct image *img);
/* Added to an address of the file to give one of the process. */
uint64_t image_bias(const struct image *img);
int image_machine(const struct image *img); /* ELF e_machine */
/* GNU build id as lower-case hex, "" when there is none; Go build id likewise as text. */
const char *image_build_id(const struct image *img);
const char *image_go_build_id(const struct image *img);

struct image_range {
	uint64_t addr; /* in the process */
	uint64_t size;
};
bool image_section(const struct image *img, const char *name, struct image_range *ret);
/* A defined symbol of .symtab, else .dynsym, by its exact name. No bias is added to what is
 * no address: absolute symbols, offsets within thread-local storage. */
bool image_symbol(const struct image *img, const char *name, struct image_range *ret);
/* The function symbol that covers addr. Name is borrowed. */
bool image_function_at(const struct image *img, uint64_t addr, const char **ret_name,
		       uint64_t *ret_entry);
/* PT_LOAD and other program headers, by index; false past the last. */
struct image_segment {
	uint64_t addr, size; /* in the process, memory size */
	uint64_t file_size;
	uint32_t type; /* PT_* */
	bool readable, writable, executable;
	uint64_t align;
};
bool image_segment(const struct image *img, size_t i, struct image_segment *ret);
/* len bytes of a segment that is never written (no PF_W), straight from the mapped file:
 * free of breakpoints and probes. Read piece by piece as it is asked for, not mapped: who
 * cuts the file off cannot end us by SIGBUS. NULL: not such a segment, or not that long. */
const void *image_bytes(const struct image *img, uint64_t addr, size_t len);
/* As above, but the longest run from addr to the end of the segment's file part. */
const void *image_bytes_from(const struct image *img, uint64_t addr, size_t *ret_len);
/* len bytes as the file has them before anything runs, of any segment; what only memory
 * has (bss) is ERR_FAULT. */
MUST_CHECK bool image_read(const struct image *img, uint64_t addr, void *buf, size_t len,
			   struct err *err);
/* What tls.c has found in the file, once: where the loader has filled in a word for the
 * object's own code. It is its number in the table, or a distance with something added. */
struct image_tls {
	enum {
		IMAGE_TLS_UNKNOWN,
		IMAGE_TLS_NONE,
		IMAGE_TLS_NUMBER,
		IMAGE_TLS_DISTANCE
	} kind;
	uint64_t at, added;
};
struct image_tls *image_tls(const struct image *img);
/* The opened file; -1 when it was read from memory. Borrowed. */
int image_fd(const struct image *img);

#endif
