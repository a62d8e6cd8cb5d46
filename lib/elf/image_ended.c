/* SPDX-License-Identifier: Apache-2.0 */
/* image_ended.c - the files of a process that has ended: what is at a path today need not be
 * what was mapped. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "lib/elf/image_priv.h"
#include "lib/procfs/root_file.h"

enum same { SAME, OTHER, UNKNOWN };

/* there: the ids in memory. */
static enum same compare(const struct image *there, const struct image *file)
{
	if (there->build_id && (file->build_id || !there->go_build_id))
		return file->build_id && !strcmp(there->build_id, file->build_id) ? SAME
										  : OTHER;
	if (there->go_build_id)
		return file->go_build_id && !strcmp(there->go_build_id, file->go_build_id)
			       ? SAME
			       : OTHER;
	return UNKNOWN;
}

static const char *id_of(const struct image *img)
{
	return img->build_id	  ? img->build_id
	       : img->go_build_id ? img->go_build_id
				  : "unknown";
}

/* Of the same kind as the one in memory. */
static const char *id_like(const struct image *there, const struct image *file)
{
	const char *id = there->build_id ? file->build_id : file->go_build_id;

	return id ? id : "unknown";
}

/* img is that file from now on; it keeps what it is mapped as. */
static void take_file(struct image *img, struct image *file)
{
	const struct image before = *img;

	*img = *file;
	img->inode = before.inode;
	img->device_major = before.device_major;
	img->device_minor = before.device_minor;
	*file = before;
	image_unload(file);
}

static struct image *load(struct images *images, const char *path, int fd)
{
	struct image *file = image_alloc(images, path);

	file->fd = fd;
	image_load(file);
	return file;
}

static void take_headers(struct images *images, uint64_t start, struct image *ret)
{
	if (start)
		image_take_mapped_headers(ret, images->target, start);
}

static bool is_wanted(const struct images *images, const struct image *there,
		      const struct image *file, struct err *err)
{
	if (compare(there, file) != OTHER || images->search.force)
		return true;
	return err_set(
		err, ERR_CANNOT,
		"%.200s is not the executable of this core: its build-id is %.90s, the "
		"core's is %.90s (--force uses it all the same)",
		file->path, id_like(there, file), id_of(there));
}

/* The executable that the user gave. */
static bool take_given(struct images *images, const struct image *there, struct err *err)
{
	const char *path = images->search.executable;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_sys(err, "cannot open %.200s", path);
	struct image *file = load(images, path, fd);
	bool ok = file->unreadable
			  ? err_set(err, ERR_CANNOT, "%.200s: %s", path, file->unreadable)
			  : is_wanted(images, there, file, err);
	if (!ok) {
		image_unload(file);
		return false;
	}
	const enum same same = compare(there, file);
	if (same == OTHER)
		file->unproved =
			xasprintf("%.200s is not the executable of this core: its "
				  "build-id is %.90s, the core's is %.90s",
				  path, id_like(there, file), id_of(there));
	else if (same == UNKNOWN)
		file->unproved =
			xasprintf("nothing in the core proves that %.200s is its "
				  "executable",
				  path);
	take_file(images->list[0], file);
	return true;
}

/* If it is the same. */
static bool take_same(struct images *images, struct image *img, int fd,
		      const struct image *there)
{
	if (fd < 0)
		return false;
	struct image *file = load(images, there->path, fd);
	if (file->unreadable || compare(there, file) != SAME) {
		image_unload(file);
		return false;
	}
	take_file(img, file);
	return true;
}

/* What is at its path. */
static bool take_named(struct images *images, struct image *img,
		       const struct image *there)
{
	const char *path = there->path;
	int fd = path[0] == '/' ? root_file_open(images->context.root, path) : -1;

	return take_same(images, img, fd, there);
}

/* What the process ran, also if its file was deleted or replaced meanwhile. */
static bool take_running(struct images *images, struct image *img,
			 const struct image *there)
{
	const int *running = images->search.running;

	if (img != images->list[0] || !running)
		return false;
	return take_same(images, img, fcntl(*running, F_DUPFD_CLOEXEC, 0), there);
}

static bool take_fetched(struct images *images, struct image *img,
			 const struct image *there)
{
	const struct image_search *search = &images->search;

	if (img != images->list[0] || !search->fetch || !there->build_id)
		return false;
	int fd = search->fetch(search->fetch_arg, there->build_id, there->path);
	return take_same(images, img, fd, there);
}

/* What is in memory of it is all there is. Takes there. */
static void refuse(struct images *images, struct image *img, struct image *there)
{
	if (!there->segment_count)
		image_take_mappings(there, images->target);
	take_file(img, there);
	if (img->build_id || img->go_build_id)
		image_refuse(img,
			     "there is no file with build-id %s at its path, and not "
			     "all of it is in the core",
			     id_of(img));
	else
		image_refuse(img,
			     "the core does not have its build-id, by which its file "
			     "would be recognised");
}

void image_open_ended(struct images *images, struct image *img, uint64_t start)
{
	struct image *there = image_alloc(images, img->path);

	take_headers(images, start, there);
	if (take_running(images, img, there) || take_named(images, img, there) ||
	    (start && image_load_mapped(img, images->target, start, &images->room)) ||
	    take_fetched(images, img, there))
		image_unload(there);
	else
		refuse(images, img, there);
}

static const struct target_mapping *mapping_of_headers(struct images *images)
{
	uint64_t addr;

	if (!target_auxv(images->target, AT_PHDR, &addr) &&
	    !target_auxv(images->target, AT_ENTRY, &addr))
		return NULL;
	return target_mapping_at(images->target, addr);
}

/* Program headers follow the ELF header, wherever somebody was told to put them. */
static uint64_t first_byte(struct images *images, const struct target_mapping *m)
{
	char magic[SELFMAG];
	struct err ignored;

	if (!m || m->offset != 0 ||
	    !target_read(images->target, m->start, magic, sizeof(magic), &ignored) ||
	    memcmp(magic, ELFMAG, SELFMAG) != 0)
		return 0;
	return m->start;
}

/* As it was started: for cores that do not say which files were mapped. */
static char *started_as(struct images *images)
{
	char path[PATH_MAX] = "";
	struct err ignored;
	uint64_t at;

	if (!target_auxv(images->target, AT_EXECFN, &at))
		return xstrdup("");
	const struct target_mapping *m = target_mapping_at(images->target, at);
	const uint64_t left = m ? m->end - at : 0;
	if (!target_read(images->target, at, path,
			 left < sizeof(path) ? left : sizeof(path) - 1, &ignored))
		path[0] = '\0';
	return xstrdup(path);
}

static void place(struct images *images, struct image *img)
{
	uint64_t entry;

	if (!img->unreadable && !img->memory &&
	    target_auxv(images->target, AT_ENTRY, &entry))
		image_rebase(img, entry - img->entry);
}

bool image_open_ended_executable(struct images *images, struct err *err)
{
	struct image *img = images->list[0];
	const struct target_mapping *m = mapping_of_headers(images);
	const uint64_t start = first_byte(images, m);

	xfree(img->path);
	img->path = m && *m->path ? xstrdup(m->path) : started_as(images);
	if (m) {
		img->inode = m->inode;
		img->device_major = m->device_major;
		img->device_minor = m->device_minor;
	}
	if (images->search.executable) {
		struct image *there = image_alloc(images, "");
		take_headers(images, start, there);
		bool ok = take_given(images, there, err);
		image_unload(there);
		if (!ok)
			return false;
	} else {
		image_open_ended(images, img, start);
	}
	place(images, img);
	return true;
}
