/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/target_image.h"

#include "lib/elf/image_relocations.h"

struct image_memory {
	const struct image *img;
	struct image_relocations *relocations; /* or NULL */
};

static bool read_image(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	const struct image_memory *m = self;

	if (!image_read(m->img, addr, buf, len, err))
		return false;
	image_relocations_apply(m->relocations, addr, buf, len);
	return true;
}

static void close_image(void *self)
{
	struct image_memory *m = self;

	image_relocations_free(m->relocations);
	xfree(m);
}

static const struct target_ops image_ops = {
	.name = "image",
	.read = read_image,
	.close = close_image,
};

struct target *target_image_new(const struct image *img, struct err *err)
{
	const struct arch *arch = arch_find(image_machine(img));

	if (!arch) {
		err_set(err, ERR_UNSUPPORTED, "%.200s is not an amd64 program",
			image_path(img));
		return NULL;
	}
	struct image_memory *m = xcalloc(1, sizeof(*m));
	m->img = img;
	m->relocations = image_relocations_read(img);
	return target_new(&image_ops, m, 0, arch);
}
