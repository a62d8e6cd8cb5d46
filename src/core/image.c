/* SPDX-License-Identifier: Apache-2.0 */
#include "image_priv.h"

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

#include "limit.h"

enum {
	PAGE = 4096,
	VDSO_MAX = 1 << 20, /* bytes */
	HEAD_LEN = 4096,    /* bytes of file and memory that are compared */
};

struct span {
	uint64_t start, end;
	size_t image;
};

struct images {
	struct target *target; /* borrowed */
	pid_t proc;	       /* /proc/PROC has exe, root and map_files */
	struct image **list;   /* owned; 0: the executable */
	size_t count, cap;
	struct span *spans; /* sorted */
	size_t span_count, span_cap;
};

static char *read_link(const char *path)
{
	char buf[PATH_MAX + 1];
	ssize_t n = readlink(path, buf, PATH_MAX);

	return n < 0 ? NULL : xstrndup(buf, (size_t)n);
}

/* A leader that has ended has no files any more: ask a thread that runs on. */
static pid_t proc_with_files(const struct target *t)
{
	char path[64];
	size_t n;
	const struct target_thread *threads = target_threads(t, &n);
	pid_t pid = target_pid(t);

	for (size_t i = 0; i <= n; i++) {
		AUTO(xfree) char *exe = NULL;
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		if ((exe = read_link(path)))
			return pid;
		if (i < n)
			pid = threads[i].tid;
	}
	return target_pid(t);
}

static struct image *image_new(struct images *images, const char *path)
{
	struct image *img = xcalloc(1, sizeof(*img));

	img->path = xstrdup(path);
	img->fd = -1;
	GROW(images->list, images->count, images->cap);
	images->list[images->count++] = img;
	return img;
}

static bool is_mapped_file(const struct stat *st, const struct target_mapping *m)
{
	return st->st_ino == m->inode && major(st->st_dev) == m->device_major &&
	       minor(st->st_dev) == m->device_minor;
}

/* overlayfs and btrfs give a file two device numbers. The inode and the first page, with
 * headers and usually the build id in it, must agree then. */
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

static int open_checked(struct images *images, const char *path,
			const struct target_mapping *m)
{
	/* Not blocking: the path may have become a pipe. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (is_mapped_file(&st, m) || looks_mapped(images, fd, &st, m)))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/* The kernel's own links lead to the mapped file itself, whatever its name says now. */
static int open_mapped(struct images *images, const struct target_mapping *m, bool is_exe)
{
	char path[PATH_MAX + 64];
	int fd;

	if (is_exe) {
		snprintf(path, sizeof(path), "/proc/%d/exe", images->proc);
		if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0)
			return fd;
	}
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 images->proc, m->start, m->end);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", images->proc, m->path);
	return open_checked(images, path, m);
}

static void open_file(struct images *images, struct image *img,
		      const struct target_mapping *m, bool is_exe)
{
	img->fd = open_mapped(images, m, is_exe);
	if (img->fd < 0 && errno == ESTALE)
		image_refuse(img, "the file of this name is not the one that is mapped");
	else if (img->fd < 0)
		image_refuse(img, "it cannot be opened: %s", strerror(errno));
	else
		image_load(img);
}

static void read_vdso(struct images *images, struct image *img,
		      const struct target_mapping *m)
{
	struct err why;

	img->memory_len = m->end - m->start;
	if (img->memory_len > VDSO_MAX) {
		image_refuse(img, "a vDSO of %zu bytes", img->memory_len);
		return;
	}
	img->memory = xmalloc(img->memory_len);
	if (!target_read(images->target, m->start, img->memory, img->memory_len, &why))
		image_refuse(img, "%s", why.text);
	else
		image_load(img);
}

/* One file can be mapped as code at several places (dlmopen): an image for each bias. */
static struct image *known_image(struct images *images, const struct target_mapping *m,
				 const struct target_mapping *const *firsts)
{
	for (size_t i = 0; i < images->count; i++) {
		const struct target_mapping *f = firsts[i];
		uint64_t bias;
		if (!f || f->inode != m->inode || f->device_major != m->device_major ||
		    f->device_minor != m->device_minor || strcmp(f->path, m->path))
			continue;
		if (images->list[i]->unreadable)
			return images->list[i];
		if (!image_bias_of(images->list[i], m->start, m->offset, &bias) ||
		    bias == images->list[i]->bias)
			return images->list[i];
	}
	return NULL;
}

static void add_span(struct images *images, uint64_t start, uint64_t end, size_t image)
{
	GROW(images->spans, images->span_count, images->span_cap);
	images->spans[images->span_count++] = (struct span){ start, end, image };
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

static void open_executable_of(struct images *images, const char *exe,
			       const struct target_mapping ***firsts, size_t *cap)
{
	size_t n;
	const struct target_mapping *maps = target_mappings(images->target, &n),
				    *m = NULL;

	for (size_t i = 0; exe && i < n && !m; i++)
		if (is_code(&maps[i]) && !strcmp(maps[i].path, exe))
			m = &maps[i];
	struct image *img = image_new(images, exe ? exe : "");
	GROW(*firsts, images->count - 1, *cap);
	(*firsts)[images->count - 1] = m;
	if (!m) {
		image_refuse(img, exe ? "none of its code is mapped from its file"
				      : "the process does not say which file it is");
		return;
	}
	open_file(images, img, m, true);
	place(img, m);
}

static void open_all(struct images *images, const char *exe)
{
	size_t n, cap = 0;
	const struct target_mapping *maps = target_mappings(images->target, &n);
	const struct target_mapping **firsts = NULL;

	open_executable_of(images, exe, &firsts, &cap);
	for (size_t i = 0; i < n && images->count < LIMIT_IMAGES; i++) {
		const struct target_mapping *m = &maps[i];
		if (!is_code(m) || known_image(images, m, firsts))
			continue;
		struct image *img = image_new(images, m->path);
		GROW(firsts, images->count - 1, cap);
		firsts[images->count - 1] = m;
		if (m->inode)
			open_file(images, img, m, false);
		else
			read_vdso(images, img, m);
		place(img, m);
	}
	xfree(firsts);
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void add_segments(struct images *images, const struct image *img, size_t index)
{
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *s = &img->segments[i];
		uint64_t start = s->addr & ~(uint64_t)(PAGE - 1);
		uint64_t end = (s->addr + s->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		if (s->type == PT_LOAD && start < end)
			add_span(images, start, end, index);
	}
}

/* Its headers are not known: what the mappings say must do. */
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
		if (images->list[i]->unreadable)
			add_mappings(images, images->list[i], i);
		else
			add_segments(images, images->list[i], i);
	}
	if (images->span_count)
		qsort(images->spans, images->span_count, sizeof(*images->spans),
		      by_start);
}

struct images *images_open(struct target *t)
{
	struct images *images = xcalloc(1, sizeof(*images));
	char path[64];

	images->target = t;
	images->proc = proc_with_files(t);
	snprintf(path, sizeof(path), "/proc/%d/exe", images->proc);
	AUTO(xfree) char *exe = read_link(path);
	open_all(images, exe);
	find_spans(images);
	return images;
}

struct images *images_open_file(const char *path, struct err *err)
{
	AUTO(images_close) struct images *images = xcalloc(1, sizeof(*images));
	struct image *img = image_new(images, path);
	struct stat st;

	/* Not blocking: the path may be a pipe. */
	img->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (img->fd < 0 || fstat(img->fd, &st) < 0) {
		err_sys(err, "cannot open %.200s", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode))
		image_refuse(img, "it is not a regular file");
	else
		image_load(img);
	if (img->unreadable) {
		err_set(err, ERR_CANNOT, "%.200s: %s", path, img->unreadable);
		return NULL;
	}
	find_spans(images);
	return TAKE(images);
}

void images_close(struct images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->count; i++)
		image_unload(images->list[i]);
	xfree(images->list);
	xfree(images->spans);
	xfree(images);
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
	size_t low = 0, high = images->span_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (images->spans[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr >= images->spans[low - 1].end)
		return NULL;
	return images->list[images->spans[low - 1].image];
}
