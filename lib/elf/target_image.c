/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/target_image.h"

static bool read_image(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	return image_read(self, addr, buf, len, err);
}

static void close_nothing(void *self)
{
	(void)self; /* borrowed */
}

static const struct target_ops image_ops = {
	.name = "image",
	.read = read_image,
	.close = close_nothing,
};

struct target *target_image_new(const struct image *img, struct err *err)
{
	const struct arch *arch = arch_find(image_machine(img));

	if (!arch) {
		err_set(err, ERR_UNSUPPORTED, "%.200s is not an amd64 program",
			image_path(img));
		return NULL;
	}
	return target_new(&image_ops, (void *)img, 0, arch);
}
