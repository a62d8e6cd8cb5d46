/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image_priv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/procfs/process.h"
#include "lib/procfs/root_file.h"

enum {
	VDSO_MAX = 1 << 20, /* bytes */
	HEAD_LEN = 4096,    /* bytes of file and memory to compare */
	UNPACKED_TRIES = 64,
	UNPACKED_PARTS = 8, /* mappings of one program that precede its code */
};

struct image *image_alloc(struct images *images, const char *path)
{
	struct image *img = xcalloc(1, sizeof(*img));

	img->path = xstrdup(path);
	img->fd = -1;
	img->context = &images->context;
	return img;
}

static struct image *image_new(struct images *images, const char *path)
{
	struct image *img = image_alloc(images, path);

	GROW(images->list, images->count, images->cap);
	images->list[images->count++] = img;
	return img;
}

static bool is_mapped_file(const struct stat *st, const struct target_mapping *m)
{
	return st->st_ino == m->inode && major(st->st_dev) == m->device_major &&
	       minor(st->st_dev) == m->device_minor;
}

static void take_identity(struct image *img, const struct target_mapping *m)
{
	img->inode = m->inode;
	img->device_major = m->device_major;
	img->device_minor = m->device_minor;
}

/* Inodes are ambiguous on overlayfs and btrfs, where many file systems have the same
 * device number. */
static bool is_mapping_of(const struct image *img, const struct target_mapping *m)
{
	return m->inode && img->inode == m->inode &&
	       img->device_major == m->device_major &&
	       img->device_minor == m->device_minor && !strcmp(img->path, m->path);
}

/* overlayfs and btrfs give a file two device numbers. Then the inode and the first page,
 * with the headers and usually the build-id, must match. */
static bool looks_mapped(struct images *images, int fd, const struct stat *st,
			 const struct target_mapping *m)
{
	uint8_t file[HEAD_LEN], memory[HEAD_LEN];
	struct err why;

	return st->st_ino == m->inode &&
	       pread(fd, file, HEAD_LEN, (off_t)m->offset) == HEAD_LEN &&
	       target_read(images->target, m->start, memory, HEAD_LEN, &why) &&
	       !memcmp(file, memory, HEAD_LEN);
}

/* By its name, relative to the root of the process. */
static int open_named(struct images *images, const struct target_mapping *m)
{
	struct stat st;

	if (images->context.root < 0) {
		errno = EACCES;
		return -1;
	}
	int fd = root_file_open(images->context.root, m->path);
	if (fd < 0 && errno != EINVAL)
		return -1;
	if (fd >= 0 && fstat(fd, &st) == 0 &&
	    (is_mapped_file(&st, m) || looks_mapped(images, fd, &st, m)))
		return fd;
	if (fd >= 0)
		close(fd);
	errno = ESTALE;
	return -1;
}

/* The kernel's own links lead to the mapped file itself, whatever its name is now. */
static int open_mapped(struct images *images, const struct target_mapping *m)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 images->proc, m->start, m->end);
	fd = root_file_open(-1, path);
	return fd >= 0 ? fd : open_named(images, m);
}

/* Where the file of m is mapped from its first byte; 0: nowhere. The loader maps the
 * segments of an object consecutively. */
uint64_t image_start_of(struct images *images, const struct image *img,
			const struct target_mapping *m)
{
	size_t n;
	const struct target_mapping *maps = target_mappings(images->target, &n);

	for (; m >= maps && is_mapping_of(img, m); m--)
		if (m->offset == 0)
			return m->start;
	return 0;
}

static void open_file(struct images *images, struct image *img,
		      const struct target_mapping *m)
{
	take_identity(img, m);
	if (images->ended) {
		image_open_ended(images, img, image_start_of(images, img, m));
		return;
	}
	img->fd = open_mapped(images, m);
	if (img->fd >= 0) {
		image_load(img);
		return;
	}
	int why = errno;
	uint64_t start = image_start_of(images, img, m);
	if (start && image_load_mapped(img, images->target, start, &images->room))
		return;
	if (why == ENOEXEC) /* the sandbox gets no other files */
		image_refuse(img, "it is not an ELF file");
	else if (why == ESTALE)
		image_refuse(img, "the file at this path is not the one that is mapped");
	else
		image_refuse(img, "it cannot be opened: %s", strerror(why));
}

static void read_vdso(struct images *images, struct image *img,
		      const struct target_mapping *m)
{
	struct err why;

	img->memory_len = m->end - m->start;
	if (img->memory_len > VDSO_MAX) {
		image_refuse(img, "a vDSO of %zu bytes is too large", img->memory_len);
		return;
	}
	img->memory = xmalloc(img->memory_len);
	if (!target_read(images->target, m->start, img->memory, img->memory_len, &why))
		image_refuse(img, "%s", why.text);
	else
		image_load(img);
}

/* Code within a segment of an image belongs to it, whatever file it is mapped from. What is called
 * code may be constants: of a core, it may not be known. The segments of an unreadable image are
 * unknown. */
static bool is_part_of(const struct image *img, const struct target_mapping *m)
{
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *s = &img->segments[i];
		if (s->type == PT_LOAD && m->end > s->addr &&
		    m->start < s->addr + s->size)
			return true;
	}
	return false;
}

/* A file may be mapped as code several times (dlmopen): one image for each. */
static bool is_known(struct images *images, const struct target_mapping *m)
{
	for (size_t i = 0; i < images->count; i++) {
		const struct image *img = images->list[i];
		if (img->unreadable ? is_mapping_of(img, m) : is_part_of(img, m))
			return true;
	}
	return false;
}

static void add_span(struct images *images, uint64_t start, uint64_t end, size_t image)
{
	GROW(images->spans, images->span_count, images->span_cap);
	images->spans[images->span_count++] = (struct image_span){ start, end, image };
}

static void place(struct image *img, const struct target_mapping *m)
{
	uint64_t bias;

	if (img->unreadable)
		return;
	if (!image_bias_of(img, m->start, m->offset, &bias)) {
		image_refuse(img, "its program headers map no code at offset 0x%" PRIx64,
			     m->offset);
		return;
	}
	image_rebase(img, bias);
}

static bool is_code(const struct target_mapping *m)
{
	return m->executable && (m->inode || !strcmp(m->path, "[vdso]"));
}

/* The kernel recorded where it put the program headers and entry point, whatever happened
 * to the mappings since: a program can move its text to anonymous memory, for larger
 * pages. Trusted only if these headers are there. */
static bool place_by_auxv(struct images *images, struct image *img)
{
	uint64_t entry, headers;
	uint8_t there[HEAD_LEN];
	size_t len = img->segment_count * sizeof(Elf64_Phdr);
	struct err why;

	if (!target_auxv(images->target, AT_ENTRY, &entry) ||
	    !target_auxv(images->target, AT_PHDR, &headers) || len > sizeof(there) ||
	    !target_read(images->target, headers, there, len, &why))
		return false;
	image_rebase(img, entry - img->entry);
	const void *bytes = image_bytes(img, headers, len);
	if (bytes && !memcmp(bytes, there, len))
		return true;
	image_rebase(img, 0);
	return false;
}

static const struct target_mapping *code_named(struct images *images, const char *path)
{
	size_t n;
	const struct target_mapping *maps = target_mappings(images->target, &n);

	for (size_t i = 0; i < n; i++)
		if (is_code(&maps[i]) && !strcmp(maps[i].path, path))
			return &maps[i];
	return NULL;
}

/* True: an ELF object starts at addr; it replaces the file from which the process was
 * started. */
static bool take_unpacked(struct images *images, uint64_t addr)
{
	struct image *packed = images->list[0], *img;
	struct err ignored;
	char magic[SELFMAG];

	if (!target_read(images->target, addr, magic, sizeof(magic), &ignored) ||
	    memcmp(magic, ELFMAG, SELFMAG) != 0)
		return false;
	img = image_alloc(images, packed->path);
	if (!image_load_mapped(img, images->target, addr, &images->room)) {
		image_unload(img);
		return false;
	}
	img->unpacks_itself = true;
	images->list[0] = img;
	image_unload(packed);
	return true;
}

static bool is_nameless(const struct target_mapping *m)
{
	return !m->inode && !*m->path;
}

/* A packer's stub unpacks the program into anonymous memory, usually with its headers
 * first (upx). */
static bool open_unpacked(struct images *images)
{
	size_t n, tries = 0;
	const struct target_mapping *maps = target_mappings(images->target, &n);

	for (size_t i = 0; i < n && tries < UNPACKED_TRIES; i++) {
		if (!maps[i].executable || !is_nameless(&maps[i]))
			continue;
		tries++;
		for (size_t first = i, part = 0; part < UNPACKED_PARTS; first--, part++) {
			if (take_unpacked(images, maps[first].start))
				return true;
			if (first == 0 || !is_nameless(&maps[first - 1]) ||
			    maps[first - 1].end != maps[first].start)
				break;
		}
	}
	return false;
}

static void open_executable(struct images *images)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", images->proc);
	AUTO(xfree) char *exe = xreadlink(path);
	struct image *img = image_new(images, exe ? exe : "");
	img->fd = root_file_open(-1, path);
	if (img->fd >= 0 && (!image_load(img) || place_by_auxv(images, img)))
		return;
	const struct target_mapping *m = exe ? code_named(images, exe) : NULL;
	if (!m && exe && open_unpacked(images))
		return;
	if (!m) {
		image_refuse(img, exe ? "none of its code is mapped from its file"
				      : "cannot determine which file it runs");
		return;
	}
	if (img->fd < 0)
		open_file(images, img, m);
	else
		take_identity(img, m);
	place(img, m);
}

/* Highest addresses first: objects loaded at the start, above all the C library, are
 * there, and must not be among those beyond the limit. */
static void open_libraries(struct images *images)
{
	size_t n;
	const struct target_mapping *maps = target_mappings(images->target, &n);

	for (size_t i = n; i-- > 0;) {
		const struct target_mapping *m = &maps[i];
		if (!is_code(m) || is_known(images, m))
			continue;
		if (images->count == LIMIT_IMAGES) {
			images->left_out++;
			continue;
		}
		struct image *img = image_new(images, m->path);
		if (m->inode)
			open_file(images, img, m);
		else
			read_vdso(images, img, m);
		place(img, m);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct image_span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void add_segments(struct images *images, const struct image *img, size_t index)
{
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *s = &img->segments[i];
		uint64_t start = s->addr & ~(uint64_t)(PAGE_BYTES - 1);
		uint64_t end = (s->addr + s->size + PAGE_BYTES - 1) &
			       ~(uint64_t)(PAGE_BYTES - 1);
		if (s->type == PT_LOAD && start < end)
			add_span(images, start, end, index);
	}
}

/* Its headers are not known: use the mappings. */
static void add_mappings(struct images *images, const struct image *img, size_t index)
{
	size_t n;
	const struct target_mapping *maps = target_mappings(images->target, &n);

	for (size_t i = 0; *img->path && i < n; i++)
		if (!strcmp(maps[i].path, img->path))
			add_span(images, maps[i].start, maps[i].end, index);
}

static void find_spans(struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		if (images->list[i]->segment_count)
			add_segments(images, images->list[i], i);
		else
			add_mappings(images, images->list[i], i);
	}
	if (images->span_count)
		qsort(images->spans, images->span_count, sizeof(*images->spans),
		      by_start);
}

static void open_root(struct images *images)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", images->proc);
	images->context.root_path = xreadlink(path);
	images->context.root = root_open(images->proc);
}

static void set_room(struct images *images)
{
	images->room = LIMIT_MAPPED_BYTES;
	images->context.symbol_room = LIMIT_SYMBOL_BYTES;
	images->context.debug_room = LIMIT_DEBUG_BYTES_RUN;
}

struct images *images_open(struct target *t)
{
	struct images *images = xcalloc(1, sizeof(*images));

	images->target = t;
	set_room(images);
	images->proc = process_with_files(target_pid(t));
	open_root(images);
	open_executable(images);
	open_libraries(images);
	find_spans(images);
	return images;
}

struct images *images_open_ended(struct target *t, const struct image_search *search,
				 struct err *err)
{
	AUTO(images_close) struct images *images = xcalloc(1, sizeof(*images));

	images->target = t;
	images->ended = true;
	images->search = *search;
	set_room(images);
	images->context.root = -1;
	if (search->root) {
		images->context.root =
			open(search->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (images->context.root < 0) {
			err_sys(err, "cannot open %.200s", search->root);
			return NULL;
		}
	}
	image_new(images, "");
	if (!image_open_ended_executable(images, err))
		return NULL;
	open_libraries(images);
	find_spans(images);
	return TAKE(images);
}

/* fd is taken; -1: errno says why. */
static struct images *open_single(const char *path, int fd, uint64_t bias,
				  struct err *err)
{
	AUTO(images_close) struct images *images = xcalloc(1, sizeof(*images));
	struct image *img = image_new(images, path);

	images->context.root = -1;
	set_room(images);
	img->fd = fd;
	if (fd < 0 && errno != EINVAL) {
		err_sys(err, "cannot open %.200s", path);
		return NULL;
	}
	if (fd < 0)
		image_refuse(img, "it is not a regular file");
	else
		image_load(img);
	if (img->unreadable) {
		err_set(err, ERR_CANNOT, "%.200s: %s", path, img->unreadable);
		return NULL;
	}
	image_rebase(img, bias);
	find_spans(images);
	return TAKE(images);
}

struct images *images_open_file(const char *path, struct err *err)
{
	return open_single(path, root_file_open(-1, path), 0, err);
}

struct images *images_open_descriptor(int fd, const char *name, struct err *err)
{
	return images_open_descriptor_at(fd, name, 0, err);
}

struct images *images_open_descriptor_at(int fd, const char *name, uint64_t bias,
					 struct err *err)
{
	return open_single(name, fcntl(fd, F_DUPFD_CLOEXEC, 0), bias, err);
}

void images_close(struct images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->count; i++)
		image_unload(images->list[i]);
	xfree(images->list);
	if (images->context.root >= 0)
		close(images->context.root);
	xfree(images->context.root_path);
	xfree(images->spans);
	xfree(images);
}

void images_use_cache(struct images *images, struct cache *cache)
{
	images->context.cache = cache;
}

const char *image_unproved(const struct image *img)
{
	return img->unproved;
}

bool image_unpacks_itself(const struct image *img)
{
	return img->unpacks_itself;
}

struct cache *image_cache(const struct image *img)
{
	return img->context ? img->context->cache : NULL;
}

size_t images_left_out(const struct images *images)
{
	return images->left_out;
}

size_t images_count(const struct images *images)
{
	return images->count;
}

const struct image *images_get(const struct images *images, size_t i)
{
	return images->list[i];
}

const struct image *images_at(const struct images *images, uint64_t addr)
{
	size_t low = LOWER_BOUND(i, images->span_count, images->spans[i].start <= addr);

	if (!low || addr >= images->spans[low - 1].end)
		return NULL;
	return images->list[images->spans[low - 1].image];
}
