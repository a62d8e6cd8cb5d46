/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/goruntime/pseudo.h"

#include <assert.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/session/runtimes.h"
#include "lib/base/limit.h"

enum { PROLOGUE = 4, EPILOGUE = 0xf0, IMAGE_SIZE = 0x20000, TABLE_AT = 0x1000 };

struct piece {
	uint64_t addr;
	uint8_t *bytes;
	size_t len;
	const char *path;
};

struct memory {
	struct piece list[8];
	size_t count;
	uint64_t k, reads;
};

static uint8_t *memory_at(struct memory *m, uint64_t addr, size_t len)
{
	for (size_t i = 0; i < m->count; i++)
		if (addr >= m->list[i].addr && len <= m->list[i].len &&
		    addr - m->list[i].addr <= m->list[i].len - len)
			return m->list[i].bytes + (addr - m->list[i].addr);
	return NULL;
}

static bool memory_read(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	struct memory *m = self;
	const uint8_t *p = memory_at(m, addr, len);

	if (++m->reads % (m->k ? m->k : UINT64_MAX) == 0)
		return err_set(err, ERR_FAULT, "0x%" PRIx64 " was made to fail", addr);
	if (!p)
		return err_set(err, ERR_FAULT, "0x%" PRIx64 " is nowhere", addr);
	memcpy(buf, p, len);
	return true;
}

static const struct target_ops memory_ops = {
	.name = "pseudo",
	.read = memory_read,
	.close = xfree,
};

static void map(struct pseudo *p, uint64_t addr, void *bytes, size_t len,
		const char *path)
{
	struct memory *m = target_self(p->target, &memory_ops);

	assert(m->count < ARRAY_SIZE(m->list));
	m->list[m->count++] = (struct piece){ addr, bytes, len, path };
	struct target_mapping *maps = xcalloc(m->count, sizeof(*maps));
	for (size_t i = 0; i < m->count; i++)
		maps[i] = (struct target_mapping){
			.start = m->list[i].addr,
			.end = m->list[i].addr + m->list[i].len,
			.readable = true,
			.writable = !*m->list[i].path,
			.executable = *m->list[i].path != 0,
			.path = xstrdup(m->list[i].path),
		};
	target_set_mappings(p->target, maps, m->count);
}

void pseudo_map(struct pseudo *p, uint64_t addr, void *bytes, size_t len)
{
	map(p, addr, bytes, len, "");
}

void pseudo_map_code(struct pseudo *p, uint64_t addr, void *bytes, size_t len)
{
	map(p, addr, bytes, len, "/code");
}

void pseudo_faults(struct pseudo *p, uint64_t k)
{
	struct memory *m = target_self(p->target, &memory_ops);

	m->k = k;
	m->reads = 0;
}

static uint8_t *writable_at(struct pseudo *p, uint64_t addr, size_t len)
{
	uint8_t *at = memory_at(target_self(p->target, &memory_ops), addr, len);

	assert(at);
	return at;
}

static enum table_format format_of(int minor)
{
	return minor <= 15   ? TABLE_1_2
	       : minor <= 17 ? TABLE_1_16
	       : minor <= 19 ? TABLE_1_18
			     : TABLE_1_20;
}

static struct table write_table(int minor, const struct pseudo_func *funcs, size_t n)
{
	static const char *const files[] = { "/src/main.go" };
	struct table_func *list = xcalloc(n, sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		list[i] = (struct table_func){ .name = funcs[i].name,
					       .size = PSEUDO_FUNC_SIZE,
					       .flags = funcs[i].flags };
		list[i].file[0] = (struct table_value){ PSEUDO_FUNC_SIZE, 1 };
		for (int j = 0; j < 2; j++) /* line 10 up to 0x80, then 20 */
			list[i].line[j] = (struct table_value){ 0x80 << j, 10 * (j + 1) };
		if (funcs[i].frame < 0)
			continue;
		const struct table_value with[] = { { PROLOGUE, 0 },
						    { EPILOGUE, funcs[i].frame },
						    { PSEUDO_FUNC_SIZE, 0 } };
		if (funcs[i].frame == 0) /* neighbours differ in a real table */
			list[i].sp[0] = with[2];
		else
			memcpy(list[i].sp, with, sizeof(with));
	}
	struct table t = table_write(format_of(minor), PSEUDO_IMAGE + TABLE_AT,
				     PSEUDO_TEXT, list, n, files, 1);
	xfree(list);
	return t;
}

static void write_elf(uint8_t *image)
{
	Elf64_Ehdr eh = { .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = 1,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1,
			  .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr ph = { .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_filesz = IMAGE_SIZE,
			  .p_memsz = IMAGE_SIZE,
			  .p_align = 4096 };

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(image, &eh, sizeof(eh));
	memcpy(image + sizeof(eh), &ph, sizeof(ph));
}

static void write_module(struct pseudo *p, const struct table *table)
{
	pseudo_put(p, PSEUDO_MODULE, PSEUDO_IMAGE + TABLE_AT);
	pseudo_field(p, PSEUDO_MODULE, L_md_minpc, PSEUDO_TEXT);
	pseudo_field(p, PSEUDO_MODULE, L_md_text, PSEUDO_TEXT);
	pseudo_field(p, PSEUDO_MODULE, L_md_maxpc, table->end_pc);
	pseudo_field(p, PSEUDO_MODULE, L_md_gofunc,
		     PSEUDO_IMAGE + TABLE_AT + table->gofunc);
	pseudo_field(p, PSEUDO_MODULE, L_md_types, PSEUDO_TYPES);
	pseudo_field(p, PSEUDO_MODULE, L_md_etypes, PSEUDO_DATA + PSEUDO_DATA_SIZE);
	pseudo_field(p, PSEUDO_MODULE, L_md_edata, PSEUDO_DATA + PSEUDO_DATA_SIZE);
	pseudo_field(p, PSEUDO_MODULE, L_md_bss, PSEUDO_DATA);
	pseudo_field(p, PSEUDO_MODULE, L_md_ebss, PSEUDO_DATA + PSEUDO_DATA_SIZE);
}

static void open_runtime(struct pseudo *p)
{
	struct runtimes *all = p->all;
	struct runtime *rt = p->rt;
	struct err err;
	uint64_t end;

	all->target = rt->target = p->target;
	all->images = rt->images = p->images;
	all->warnings = rt->warnings = p->warnings;
	all->stacks = stacks_new();
	all->reasons = reasons_new();
	all->scratch = xcalloc(LIMIT_FRAMES, sizeof(*all->scratch));
	all->cfi = unwind_new(p->target, p->images);
	GROW(all->list, all->count, all->cap);
	all->list[all->count++] = rt;
	rt->shared = all;
	rt->image = images_get(p->images, 1);
	rt->machines = xcalloc(1, sizeof(*rt->machines));
	rt->modules =
		modules_open_at(p->target, p->images, &rt->layout, PSEUDO_MODULE, &err);
	assert(rt->modules);
	rt->code = code_table_new(rt->modules, &rt->layout);
	rt->stack_barrier = modules_function(rt->modules, "runtime.stackBarrier", &end);
	rt->landing_pad =
		modules_function(rt->modules, "runtime.asmcgocall_landingpad", &end) != 0;
}

struct pseudo *pseudo_new(int minor, const struct pseudo_func *funcs, size_t n)
{
	struct pseudo *p = xcalloc(1, sizeof(*p));
	struct table table = write_table(minor, funcs, n);

	p->funcs = funcs;
	p->func_count = n;
	p->image = xcalloc(1, IMAGE_SIZE);
	p->data = xcalloc(1, PSEUDO_DATA_SIZE);
	p->stack = xcalloc(1, PSEUDO_STACK_SIZE);
	p->g0 = xcalloc(1, PSEUDO_STACK_SIZE);
	p->signal = xcalloc(1, PSEUDO_STACK_SIZE);
	write_elf(p->image);
	assert(TABLE_AT + table.len < IMAGE_SIZE);
	memcpy(p->image + TABLE_AT, table.bytes, table.len);
	p->target = target_new(&memory_ops, xcalloc(1, sizeof(struct memory)), getpid(),
			       &arch_amd64);
	map(p, PSEUDO_IMAGE, p->image, IMAGE_SIZE, "[vdso]");
	pseudo_map(p, PSEUDO_DATA, p->data, PSEUDO_DATA_SIZE);
	pseudo_map(p, PSEUDO_STACK, p->stack, PSEUDO_STACK_SIZE);
	pseudo_map(p, PSEUDO_G0, p->g0, PSEUDO_STACK_SIZE);
	pseudo_map(p, PSEUDO_SIGNAL, p->signal, PSEUDO_STACK_SIZE);
	p->images = images_open(p->target);
	p->warnings = warnings_new();
	p->all = xcalloc(1, sizeof(*p->all));
	p->rt = xcalloc(1, sizeof(*p->rt));
	assert(layout_from_table(minor, "amd64", 0, &p->rt->layout));
	write_module(p, &table);
	free(table.bytes);
	open_runtime(p);
	p->machine = p->rt->machines;
	*p->machine = (struct go_m){
		.m = PSEUDO_FREE, /* not zero */
		.g0 = PSEUDO_FREE,
		.g0_stack = { PSEUDO_G0, PSEUDO_G0 + PSEUDO_STACK_SIZE },
		.signal_stack = { PSEUDO_SIGNAL, PSEUDO_SIGNAL + PSEUDO_STACK_SIZE },
		.curg_stack = { PSEUDO_STACK, PSEUDO_STACK + PSEUDO_STACK_SIZE },
	};
	return p;
}

void pseudo_free(struct pseudo *p)
{
	if (!p)
		return;
	runtimes_close(p->all);
	images_close(p->images);
	warnings_free(p->warnings);
	target_close(p->target);
	xfree(p->image);
	xfree(p->data);
	xfree(p->stack);
	xfree(p->g0);
	xfree(p->signal);
	xfree(p);
}

static size_t index_of(const struct pseudo *p, const char *name)
{
	for (size_t i = 0; i < p->func_count; i++)
		if (strcmp(p->funcs[i].name, name) == 0)
			return i;
	assert(!"a function of that name");
	return 0;
}

uint64_t pseudo_pc(const struct pseudo *p, const char *name, uint64_t off)
{
	return PSEUDO_TEXT + index_of(p, name) * PSEUDO_FUNC_SIZE + off;
}

int32_t pseudo_frame(const struct pseudo *p, const char *name)
{
	return p->funcs[index_of(p, name)].frame;
}

void pseudo_put(struct pseudo *p, uint64_t addr, uint64_t value)
{
	memcpy(writable_at(p, addr, sizeof(value)), &value, sizeof(value));
}

void pseudo_field(struct pseudo *p, uint64_t addr, enum layout_slot slot, uint64_t value)
{
	struct slot s = p->rt->layout.slot[slot];

	if (s.off >= 0)
		memcpy(writable_at(p, addr + (uint64_t)s.off, s.size), &value, s.size);
}
