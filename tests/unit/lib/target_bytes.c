/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/lib/target_bytes.h"

#include <inttypes.h>
#include <string.h>

struct parts {
	struct target_bytes_part *list; /* owned */
	size_t n;
};

static const struct target_bytes_part *part_at(const struct parts *p, uint64_t addr)
{
	for (size_t i = 0; i < p->n; i++)
		if (addr >= p->list[i].addr && addr - p->list[i].addr < p->list[i].len)
			return &p->list[i];
	return NULL;
}

static bool bytes_read(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	/* All or nothing: look before copying. */
	for (size_t done = 0; done < len;) {
		const struct target_bytes_part *part = part_at(self, addr + done);
		if (!part)
			return err_set(err, ERR_FAULT, "no readable memory at 0x%" PRIx64,
				       addr + done);
		done += part->len - (addr + done - part->addr);
	}
	for (size_t done = 0; done < len;) {
		const struct target_bytes_part *part = part_at(self, addr + done);
		uint64_t off = addr + done - part->addr;
		size_t n = part->len - off < len - done ? part->len - off : len - done;
		memcpy((char *)buf + done, (const char *)part->bytes + off, n);
		done += n;
	}
	return true;
}

static void bytes_close(void *self)
{
	struct parts *p = self;

	xfree(p->list);
	xfree(p);
}

static const struct target_ops bytes_ops = {
	.name = "bytes",
	.read = bytes_read,
	.close = bytes_close,
};

struct target *target_bytes_new(const struct target_bytes_part *parts, size_t n)
{
	struct parts *p = xcalloc(1, sizeof(*p));
	struct target_mapping *maps = xcalloc(n, sizeof(*maps));

	p->list = xcalloc(n, sizeof(*parts));
	p->n = n;
	for (size_t i = 0; i < n; i++) {
		p->list[i] = parts[i];
		maps[i] = (struct target_mapping){
			.start = parts[i].addr,
			.end = parts[i].addr + parts[i].len,
			.readable = true,
			.writable = !parts[i].path,
			.executable = parts[i].executable,
			.path = xstrdup(parts[i].path ? parts[i].path : ""),
		};
	}
	struct target *t = target_new(&bytes_ops, p, 0, &arch_amd64);
	target_set_mappings(t, maps, n);
	return t;
}
