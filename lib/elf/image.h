/* SPDX-License-Identifier: Apache-2.0 */
/* image.h - ELF objects mapped in a target: bias, build-id, sections, segments,
 * symbols. Files are opened through /proc/PID, so other mount namespaces and deleted
 * files work; a file is accepted only if its device and inode are those of the
 * mapping. The vDSO, and files that cannot be opened, are read from memory, without
 * sections and names. Names and bytes are borrowed until images_close(). Knows
 * nothing of Go or DWARF. */
#ifndef GOSNAP_IMAGE_H
#define GOSNAP_IMAGE_H

#include "lib/target/target.h"

struct image;
struct images;

/* Every ELF object with an executable mapping, at most LIMIT_IMAGES. Never NULL: an
 * unreadable object is listed with image_unreadable(). Opens files, but does not read
 * symbols yet. */
struct images *images_open(struct target *t);
/* The same for a process that has ended: files are opened by their names, and accepted only if
 * their build-id is the one in the memory of the process (Go's build ID if there is no other).
 * Strings are borrowed until images_close(). NULL: err says why the executable that was given is
 * not the one. */
struct image_search {
	const char *executable; /* NULL: by its name */
	const char *root;	/* names are below this folder; NULL: "/" */
	/* A descriptor of the executable, whatever has its name today. NULL: unknown. */
	const int *running;
	bool force; /* takes an executable with another build-id */
	/* The executable with this build-id, when it is nowhere else: a file descriptor, or -1.
	 * NULL: there is no other place. */
	int (*fetch)(void *arg, const char *build_id, const char *path);
	void *fetch_arg;
};
struct images *images_open_ended(struct target *t, const struct image_search *search,
				 struct err *err);
/* One file, which need not be running, at its own addresses. NULL: ERR_SYS, or ERR_CANNOT
 * if it is not a 64-bit ELF file. */
struct images *images_open_file(const char *path, struct err *err);
/* The same of an open file, which stays the caller's; name is for messages. */
struct images *images_open_descriptor(int fd, const char *name, struct err *err);
/* The same where a process has it: with this bias. */
struct images *images_open_descriptor_at(int fd, const char *name, uint64_t bias,
					 struct err *err);
void images_close(struct images *images);
DEFINE_AUTO(struct images, images_close)

struct cache;
/* A cache for facts about the files. It must outlive the images. */
void images_use_cache(struct images *images, struct cache *cache);
struct cache *image_cache(const struct image *img); /* NULL: none */

/* How many executable mappings were ignored because of the limit. */
size_t images_left_out(const struct images *images);

/* Symbols, sections and bytes are borrowed from the images and valid until they close. */
size_t images_count(const struct images *images);
const struct image *images_get(const struct images *images,
			       size_t i); /* 0: the executable */
/* The image whose mappings contain addr; NULL: none. */
const struct image *images_at(const struct images *images, uint64_t addr);

const char *image_path(const struct image *img);
/* Why its contents are not known; NULL: they are. Segments and build-ids may be known even so, if
 * the process has ended. */
const char *image_unreadable(const struct image *img);
/* Of a file that the user has named: why it may not be the right one, or is not; NULL: it is. */
const char *image_unproved(const struct image *img);
/* The file contains a packed program that unpacked itself; it was read from memory. */
bool image_unpacks_itself(const struct image *img);
/* Process address minus file address. Not known of one that is unreadable and whose headers are not in
 * memory: then it is 0. */
uint64_t image_bias(const struct image *img);
bool image_has_bias(const struct image *img);
int image_machine(const struct image *img); /* ELF e_machine */
/* The GNU build-id in lower-case hex; "" if there is none. The Go build ID likewise, as
 * text. */
const char *image_build_id(const struct image *img);
const char *image_go_build_id(const struct image *img);

struct image_range {
	uint64_t addr; /* in the process */
	uint64_t size;
};
bool image_section(const struct image *img, const char *name, struct image_range *ret);
/* A defined symbol by exact name, from .symtab or else .dynsym. Values that are not
 * addresses get no bias: absolute symbols, offsets in thread-local storage. */
bool image_symbol(const struct image *img, const char *name, struct image_range *ret);
/* The function symbol that covers addr. The name is borrowed. */
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
/* len bytes of a segment that is never written (no PF_W), as in the mapped file: without
 * breakpoints and probes. Read on demand rather than mapped: truncating the file cannot
 * kill us with SIGBUS. NULL: not such a segment, or not that long. */
const void *image_bytes(const struct image *img, uint64_t addr, size_t len);
/* Likewise, the longest run from addr to the end of the segment's file contents. */
const void *image_bytes_from(const struct image *img, uint64_t addr, size_t *ret_len);
/* Is it in a segment that is never written? */
bool image_is_constant(const struct image *img, uint64_t addr);
/* len bytes of any segment as the file has them, before the program runs. What is only in
 * memory (bss) is ERR_FAULT. */
MUST_CHECK bool image_read(const struct image *img, uint64_t addr, void *buf, size_t len,
			   struct err *err);
/* What tls.c found in the file, cached: the address of a word that the loader fills in
 * for the object's own code, with the object's module number or an offset plus a
 * constant. */
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
/* Where in the file addr is. False: it is in memory only. */
bool image_file_offset(const struct image *img, uint64_t addr, uint64_t *ret);
/* The open file; -1 if it was read from memory. Borrowed. */
int image_fd(const struct image *img);

#endif
