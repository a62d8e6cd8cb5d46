/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image_debug.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/crc32.h"
#include "lib/base/limit.h"
#include "lib/elf/image_priv.h"
#include "lib/procfs/root_file.h"

static const char build_ids[] = "/usr/lib/debug/.build-id";
static const char mirror[] = "/usr/lib/debug";

enum {
	BUILD_ID_MIN = 8, /* digits: shorter ones may match by accident */
	LINK_MAX_BYTES = PATH_MAX + 8,
};

/* A name, its NUL, and a checksum of the file, aligned to four bytes. */
static bool read_link_section(const struct image *img, char **ret_name, uint32_t *ret_crc)
{
	for (size_t i = 0; i < img->section_count; i++) {
		if (strcmp(img->sections[i].name, ".gnu_debuglink"))
			continue;
		if (img->sections[i].size > LINK_MAX_BYTES)
			return false;
		Elf_Data *d =
			elf_getdata(elf_getscn(img->elf, img->sections[i].index), NULL);
		if (!d || !d->d_buf)
			return false;
		struct bytes all = bytes_over(d->d_buf, d->d_size), b = all;
		const char *name = bytes_string(&b);
		if (!name)
			return false;
		b = bytes_at(all, (strlen(name) + 1 + 3) & ~(size_t)3);
		*ret_crc = bytes_u32(&b);
		*ret_name = b.bad ? NULL : xstrdup(name);
		return !b.bad;
	}
	return false;
}

char *image_debug_link(const struct image *img)
{
	char *name = NULL;
	uint32_t crc;

	return read_link_section(img, &name, &crc) ? name : NULL;
}

static bool has_symbols(const struct image *img)
{
	for (size_t i = 0; i < img->section_count; i++) {
		GElf_Shdr sh;
		Elf_Scn *scn = elf_getscn(img->elf, img->sections[i].index);
		if (scn && gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

/* Compares the linker's build-ids if both have one, else Go's own. */
enum match { MATCH_NONE, MATCH_SAME, MATCH_OTHER };

static enum match compare_id(const char *a, const char *b)
{
	return !*a || !*b ? MATCH_NONE : strcmp(a, b) == 0 ? MATCH_SAME : MATCH_OTHER;
}

static enum match compare_ids(const struct image *a, const struct image *b)
{
	enum match gnu = compare_id(image_build_id(a), image_build_id(b));

	return gnu != MATCH_NONE ? gnu
				 : compare_id(image_go_build_id(a), image_go_build_id(b));
}

static void say(struct image *img, const char *path, const char *why)
{
	if (!img->debug_why)
		img->debug_why = xasprintf("%.200s %s", path, why);
}

/* Takes ownership of fd. NULL: see img->debug_why. */
static struct image *load(struct image *img, int fd, const char *path)
{
	struct image *file = xcalloc(1, sizeof(*file));

	file->path = xstrdup(path);
	file->fd = fd;
	file->context = img->context;
	if (image_load_debug(file) && file->machine == img->machine &&
	    (image_has_debug(file) || has_symbols(file)))
		return file;
	say(img, path,
	    file->unreadable ? "is not a 64-bit ELF file"
			     : "has no debug information for this architecture");
	image_unload(file);
	return NULL;
}

static bool is_sum(int fd, uint32_t wanted)
{
	uint32_t crc;

	return crc32_of_file(fd, LIMIT_DEBUG_BYTES, &crc) && crc == wanted;
}

/* crc NULL: the build-id must match. */
static bool try_file(struct image *img, int root, const char *path, const uint32_t *crc)
{
	int fd = root_file_open(root, path);
	struct image *file = fd < 0 ? NULL : load(img, fd, path);

	if (fd < 0 && errno == ENOEXEC) /* the sandbox gets no other files */
		say(img, path, "is not a 64-bit ELF file");
	if (!file)
		return false;
	enum match match = compare_ids(img, file);
	bool proven =
		crc ? match != MATCH_OTHER && is_sum(fd, *crc) : match == MATCH_SAME;
	if (proven) {
		img->debug = file;
		return true;
	}
	say(img, path,
	    match == MATCH_OTHER ? "is from another build: its build ID differs"
	    : crc ? "is from another build: its checksum does not match .gnu_debuglink"
		  : "has no build ID");
	image_unload(file);
	return false;
}

static bool find_by_id(struct image *img, int root)
{
	const char *id = image_build_id(img);

	if (strlen(id) < BUILD_ID_MIN)
		return false;
	AUTO(xfree)
	char *path = xasprintf("%s/%.2s/%s.debug", build_ids, id, id + 2);
	return try_file(img, root, path, NULL);
}

/* folder: that of the program, relative to root. */
static bool find_by_link(struct image *img, int root, const char *folder,
			 const char *name, uint32_t crc)
{
	const struct {
		const char *before, *after;
	} places[] = { { "", "" }, { "", "/.debug" }, { mirror, "" } };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		AUTO(xfree)
		char *path = xasprintf("%s%s%s/%s", places[i].before, folder,
				       places[i].after, name);
		if (try_file(img, root, path, &crc))
			return true;
	}
	return false;
}

static bool is_base_name(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

/* The program's folder. Paths may include the path of the process's own root. */
static char *folder_of(const char *path, const char *root)
{
	size_t n = root ? strlen(root) : 0;

	if (n > 1 && strncmp(path, root, n) == 0 && path[n] == '/')
		path += n;
	const char *slash = strrchr(path, '/');
	return xstrndup(path, slash ? (size_t)(slash - path) : 0);
}

/* Tries the process's root first: a container brings its own debug files. */
static void look(struct image *img)
{
	const struct image_context *context = img->context;
	AUTO(xfree) char *name = NULL;
	uint32_t crc;

	if (context && context->root >= 0 && find_by_id(img, context->root))
		return;
	if (find_by_id(img, -1) || !read_link_section(img, &name, &crc) ||
	    !is_base_name(name))
		return;
	if (context && context->root >= 0) {
		AUTO(xfree) char *inside = folder_of(img->path, context->root_path);
		if (find_by_link(img, context->root, inside, name, crc))
			return;
	}
	AUTO(xfree) char *real = img->path[0] == '/' ? NULL : realpath(img->path, NULL);
	AUTO(xfree) char *folder = folder_of(real ? real : img->path, NULL);
	if (!find_by_link(img, -1, folder, name, crc) && !img->debug_why)
		img->debug_why = xasprintf(
			"%.200s, named by its .gnu_debuglink, was not found", name);
}

const struct image *separate_debug_file(const struct image *const_img)
{
	struct image *img =
		(struct image *)(uintptr_t)const_img; /* a cache changes, not the image */

	/* The vDSO has none. */
	if (!img->debug_tried && img->elf && (img->fd >= 0 || img->path[0] == '/'))
		look(img);
	img->debug_tried = true;
	return img->debug;
}

const struct image *image_debug(const struct image *img, struct err *err)
{
	if (!img->debug_given && image_has_debug(img))
		return img;
	const struct image *apart = separate_debug_file(img);
	if (apart && image_has_debug(apart))
		return apart;
	err_set(err, ERR_NOT_FOUND, "%.200s has no debug information%s%s", img->path,
		img->debug_why ? ": " : "", img->debug_why ? img->debug_why : "");
	return NULL;
}

/* By its ids, or, for a program without ids, by the checksum in its link. */
static bool belongs(const struct image *img, const struct image *file)
{
	AUTO(xfree) char *name = NULL;
	enum match match = compare_ids(img, file);
	uint32_t crc;

	return match == MATCH_SAME ||
	       (match == MATCH_NONE && img->elf && read_link_section(img, &name, &crc) &&
		is_sum(file->fd, crc));
}

static const char *id_of(const struct image *img)
{
	const char *gnu = image_build_id(img), *go = image_go_build_id(img);

	return *gnu ? gnu : *go ? go : "none";
}

/* Takes ownership of fd. */
static struct image *load_given(int fd, const char *path, struct err *err)
{
	struct image *file = xcalloc(1, sizeof(*file));

	file->path = xstrdup(path);
	file->fd = fd;
	if (image_load_debug(file) && image_has_debug(file))
		return file;
	err_set(err, ERR_CANNOT, "%.200s has no debug information: %s", path,
		file->unreadable ? file->unreadable : "it was stripped");
	image_unload(file);
	return NULL;
}

static void use(const struct image *const_img, struct image *file)
{
	struct image *img = (struct image *)(uintptr_t)const_img;

	image_unload(img->debug);
	img->debug = file;
	file->context = img->context;
	img->debug_tried = img->debug_given = true;
}

static bool refuse_given(const struct image *img, struct image *file, struct err *err)
{
	err_set(err, ERR_CANNOT,
		"%.100s is not from this build of %.100s: its build ID is %.90s, the "
		"program's is %.90s; use the file built with the program",
		image_path(file), img ? image_path(img) : "the program", id_of(file),
		img ? id_of(img) : "unknown");
	image_unload(file);
	return false;
}

bool image_use_debug_fd(const struct image *img, int fd, const char *path,
			struct err *err)
{
	struct image *file = load_given(fd, path, err);

	if (!file)
		return false;
	if (!belongs(img, file))
		return refuse_given(img, file, err);
	use(img, file);
	return true;
}

bool images_use_debug_file(struct images *images, const char *path, struct err *err)
{
	int fd = root_file_open(-1, path);

	if (fd < 0 && errno == EINVAL)
		return err_set(err, ERR_CANNOT, "%.200s is not a file", path);
	if (fd < 0)
		return err_sys(err, "cannot open %.200s", path);
	struct image *file = load_given(fd, path, err);
	if (!file)
		return false;
	for (size_t i = 0; i < images_count(images); i++) {
		if (!belongs(images_get(images, i), file))
			continue;
		use(images_get(images, i), file);
		return true;
	}
	return refuse_given(images_count(images) ? images_get(images, 0) : NULL, file,
			    err);
}
