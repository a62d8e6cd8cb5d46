/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/calls/call_memory.h"

#include <elf.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"

/* Addresses of processes; whatever is not in there is none. */
#define LOWEST (UINT64_C(64) << 10)
#define HIGHEST (UINT64_C(1) << 47)

struct call_memory {
	struct target *file;
	const struct image *img;
	struct image_range relocated[2];  /* written by the loader, and then by nobody */
	const struct call_record *record; /* NULL: none yet */
};

static bool is_constant(const struct call_memory *m, uint64_t addr, size_t len)
{
	if (!m->record || image_is_constant(m->img, addr))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(m->relocated); i++)
		if (addr >= m->relocated[i].addr && len <= m->relocated[i].size &&
		    addr - m->relocated[i].addr <= m->relocated[i].size - len)
			return true;
	return false;
}

static bool copy_from(uint64_t at, const void *bytes, uint64_t size, uint64_t addr,
		      void *buf, size_t len)
{
	if (addr < at || addr - at > size || len > size - (addr - at))
		return false;
	memcpy(buf, (const uint8_t *)bytes + (addr - at), len);
	return true;
}

static uint64_t word_of(const struct call_record *r, size_t at)
{
	uint64_t word;

	memcpy(&word, r->bytes + at, sizeof(word));
	return word;
}

static bool read_stack(const struct call_record *r, uint64_t addr, void *buf, size_t len)
{
	enum { FP = 6, SP = 7 };
	uint64_t at = word_of(r, FP * sizeof(uint64_t));

	if (copy_from(word_of(r, SP * sizeof(uint64_t)), r->bytes + CALL_STACK_AT,
		      r->stack_bytes, addr, buf, len))
		return true;
	for (size_t i = 0; i < r->pair_count; at = r->pairs[i++][0])
		if (copy_from(at, r->pairs[i], sizeof(r->pairs[i]), addr, buf, len))
			return true;
	return false;
}

static bool read_copies(const struct call_record *r, uint64_t addr, void *buf, size_t len)
{
	for (size_t i = 0; i < r->plan->count; i++) {
		const struct call_step *s = &r->plan->step[i];
		if (r->copied[i] && copy_from(word_of(r, s->addr_at), r->bytes + s->to,
					      r->copied[i], addr, buf, len))
			return true;
	}
	return false;
}

static bool read_memory(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	const struct call_memory *m = self;

	if (m->record && (read_stack(m->record, addr, buf, len) ||
			  read_copies(m->record, addr, buf, len)))
		return true;
	if (is_constant(m, addr, len))
		return target_read(m->file, addr, buf, len, err);
	return err_set(err, ERR_FAULT, "the probe did not copy it");
}

static void close_memory(void *self)
{
	xfree(self);
}

static const struct target_ops memory_ops = {
	.name = "call",
	.read = read_memory,
	.close = close_memory,
};

static void find_relocated(struct call_memory *m)
{
	struct image_segment s;

	for (size_t i = 0; image_segment(m->img, i, &s); i++)
		if (s.type == PT_GNU_RELRO)
			m->relocated[0] = (struct image_range){ s.addr, s.size };
	if (!image_section(m->img, ".data.rel.ro", &m->relocated[1]))
		m->relocated[1].size = 0;
}

struct target *call_memory_new(struct target *file, const struct image *img)
{
	struct call_memory *m = xcalloc(1, sizeof(*m));
	struct target_mapping *all = xcalloc(1, sizeof(*all));

	m->file = file;
	m->img = img;
	find_relocated(m);
	struct target *t = target_new(&memory_ops, m, 0, target_arch(file));
	*all = (struct target_mapping){ .start = LOWEST,
					.end = HIGHEST,
					.readable = true,
					.writable = true,
					.path = xstrdup("") };
	target_set_mappings(t, all, 1);
	return t;
}

void call_memory_opened(struct target *t, struct runtime *rt)
{
	const struct call_memory *m = target_self(t, &memory_ops);

	for (size_t i = 0; i < ARRAY_SIZE(m->relocated); i++)
		if (m->relocated[i].size)
			(void)modules_bytes(rt->modules, m->relocated[i].addr);
}

void call_memory_set(struct target *t, const struct call_record *record)
{
	struct call_memory *m = target_self(t, &memory_ops);

	m->record = record;
}

uint64_t call_memory_word(struct target *t, size_t at)
{
	const struct call_memory *m = target_self(t, &memory_ops);

	return word_of(m->record, at);
}
