/* SPDX-License-Identifier: Apache-2.0 */
/* Debugging information: expressions, lists, types and names. The input is the lengths of its
 * sections and the sections. */
#include <assert.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/dwarf/dwarf_expression.h"
#include "lib/dwarf/dwarf_names.h"
#include "lib/dwarf/dwarf_scopes.h"
#include "lib/dwarf/dwarf_types.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/lib/target_bytes.h"

/* The order of the input; tests/fuzz/pack writes it. */
static const char *const names[] = {
	".debug_info", ".debug_abbrev",	     ".debug_str",    ".debug_line_str",
	".debug_loc",  ".debug_loclists",    ".debug_ranges", ".debug_rnglists",
	".debug_addr", ".debug_str_offsets",
};

enum {
	SECTIONS = ARRAY_SIZE(names),
	HEAD = 2 * SECTIONS,
	NAMES_MAX = 256,
	CODE = 0x1000, /* the functions of the corpus are there */
	CODE_SIZE = 0x1200,
	STEP = 8,
	TYPES_MAX = 256,
	FIELDS_MAX = 64,
	RETURNS = 8, /* and so are their calls */
	MEMORY = 0x7000,
	FRAMES = 4,
};

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr sections[SECTIONS + 2]; /* none, these, their names */
	char names[NAMES_MAX];
};

static void describe(struct file *f, const uint8_t *data, size_t size)
{
	size_t at = HEAD, name_at = 1;

	for (size_t i = 0; i < SECTIONS; i++) {
		size_t len = data[2 * i] | (size_t)data[2 * i + 1] << 8;
		if (len > size - at)
			len = size - at;
		Elf64_Shdr *s = &f->sections[1 + i];
		s->sh_name = (Elf64_Word)name_at;
		s->sh_type = SHT_PROGBITS;
		s->sh_offset = sizeof(*f) + at - HEAD;
		s->sh_size = len;
		s->sh_addralign = 1;
		name_at += (size_t)snprintf(f->names + name_at, NAMES_MAX - name_at, "%s",
					    names[i]) +
			   1;
		at += len;
	}
	Elf64_Shdr *last = &f->sections[SECTIONS + 1];
	last->sh_type = SHT_STRTAB;
	last->sh_offset = offsetof(struct file, names);
	last->sh_size = NAMES_MAX;
}

/* An ELF file of these sections; its descriptor. */
static int write_file(const uint8_t *data, size_t size)
{
	struct file f = { .head = { .e_type = ET_DYN,
				    .e_machine = EM_X86_64,
				    .e_version = EV_CURRENT,
				    .e_phoff = offsetof(struct file, load),
				    .e_phentsize = sizeof(Elf64_Phdr),
				    .e_phnum = 1,
				    .e_shoff = offsetof(struct file, sections),
				    .e_ehsize = sizeof(Elf64_Ehdr),
				    .e_shentsize = sizeof(Elf64_Shdr),
				    .e_shnum = SECTIONS + 2,
				    .e_shstrndx = SECTIONS + 1 },
			  .load = { .p_type = PT_LOAD,
				    .p_flags = PF_R | PF_X,
				    .p_filesz = sizeof(f),
				    .p_memsz = sizeof(f) } };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	memcpy(f.head.e_ident, ELFMAG, SELFMAG);
	f.head.e_ident[EI_CLASS] = ELFCLASS64;
	f.head.e_ident[EI_DATA] = ELFDATA2LSB;
	f.head.e_ident[EI_VERSION] = EV_CURRENT;
	describe(&f, data, size);
	bool written = fd >= 0 && write(fd, &f, sizeof(f)) == sizeof(f) &&
		       write(fd, data + HEAD, size - HEAD) == (ssize_t)(size - HEAD);
	assert(written);
	return fd;
}

struct looking {
	struct dwarf *dwarf;
	struct target *target;
	uint64_t pc;
	uint64_t refs[TYPES_MAX]; /* to be looked at */
	size_t count, fields;
};

static void want(struct looking *l, uint64_t ref)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->refs[i] == ref)
			return;
	if (l->count < TYPES_MAX)
		l->refs[l->count++] = ref;
}

static bool look_at_field(void *arg, const struct dwarf_field *field)
{
	struct looking *l = arg;

	assert(!field->name || strlen(field->name) < SIZE_MAX);
	want(l, field->of);
	return ++l->fields % FIELDS_MAX;
}

static bool look_at_enumerator(void *arg, const struct dwarf_enumerator *e)
{
	struct looking *l = arg;

	assert(!e->name || strlen(e->name) < SIZE_MAX);
	return ++l->fields % FIELDS_MAX;
}

static void look_at_types(struct looking *l)
{
	struct dwarf_type type;
	struct err err;

	for (size_t i = 0; i < l->count; i++) {
		if (!dwarf_type_read(l->dwarf, l->refs[i], &type, &err))
			continue;
		assert(!type.name || strlen(type.name) < SIZE_MAX);
		assert(type.dimension_count <= DWARF_DIMENSIONS);
		want(l, type.of);
		want(l, type.go_key);
		want(l, type.go_elem);
		dwarf_type_each_field(l->dwarf, type.ref, look_at_field, l);
		dwarf_type_each_enumerator(l->dwarf, type.ref, look_at_enumerator, l);
	}
}

/* A stack whose frames return to one call after the other. */
static bool frame(void *arg, size_t i, struct dwarf_frame *ret)
{
	static const struct regs regs = { .value = { [3] = MEMORY, [12] = 0x2000 },
					  .valid = 1 << 3 | 1 << 7 | 1 << 12 };
	const struct looking *l = arg;
	const uint64_t call = l->pc / STEP + i;

	*ret = (struct dwarf_frame){ .dwarf = l->dwarf,
				     .pc = i ? CODE + 16 * (1 + call % RETURNS) : l->pc,
				     .at_instruction = !i,
				     .cfa = MEMORY + 16 * i,
				     .regs = &regs };
	return i < FRAMES;
}

static bool tls(void *arg, size_t i, uint64_t *ret, struct err *err)
{
	const struct looking *l = arg;

	*ret = MEMORY + 16 * i;
	return l->pc % 2 || err_set(err, ERR_NOT_FOUND, "this thread has none");
}

static void compute(struct looking *l, const struct dwarf_piece *piece)
{
	const struct dwarf_stack stack = { l->target, frame, tls, l };
	struct dwarf_result result;
	struct err err;

	if (!dwarf_piece_compute(&stack, 0, piece, &result, &err))
		assert(err.text[0]);
}

/* depth: of pointers to what has no address. */
static void look_at_variable(struct looking *l, const struct dwarf_variable *v, int depth)
{
	assert(!v->name || strlen(v->name) < SIZE_MAX);
	assert(v->piece_count >= 1 && v->piece_count <= DWARF_PIECES);
	for (size_t i = 0; i < v->piece_count; i++) {
		const struct dwarf_piece *piece = &v->pieces[i];
		struct dwarf_variable target;
		assert(piece->where <= DWARF_PIECE_UNKNOWN);
		if (piece->where == DWARF_PIECE_EXPRESSION)
			compute(l, piece);
		if (piece->where == DWARF_PIECE_IMPLICIT && depth < FRAMES &&
		    dwarf_described(l->dwarf, l->pc, true, (uint64_t)piece->at,
				    &target)) {
			look_at_variable(l, &target, depth + 1);
			xfree(target.pieces);
		}
	}
	want(l, v->type);
}

static void look_at_scopes(struct looking *l, uint64_t pc, bool at_instruction)
{
	struct err err;

	l->pc = pc;
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *scopes = dwarf_scopes_at(l->dwarf, pc, at_instruction, &err);

	for (size_t i = 0; scopes && i < scopes->count; i++)
		for (size_t k = 0; k < scopes->list[i].variable_count; k++)
			look_at_variable(l, &scopes->list[i].variables[k], 0);
}

static void look(struct dwarf *d, size_t size)
{
	static const uint8_t memory[256] = { 1, 2, 3 };
	const struct target_bytes_part part = { .addr = MEMORY,
						.bytes = memory,
						.len = sizeof(memory) };
	AUTO(target_close) struct target *target = target_bytes_new(&part, 1);
	struct looking l = { .dwarf = d, .target = target };
	struct dwarf_variable parameter;
	uint64_t ref, addr, number;
	struct err err;
	int64_t value;

	for (uint64_t pc = CODE; pc < CODE + CODE_SIZE; pc += STEP)
		look_at_scopes(&l, pc, pc / STEP % 2);
	if (dwarf_named_type(d, "node", &ref) || dwarf_named_type(d, "int", &ref))
		want(&l, ref);
	if (dwarf_named_variable(d, "global", &ref, &addr))
		want(&l, ref);
	if (dwarf_type_with(d, 0x40, &ref))
		want(&l, ref);
	if (!dwarf_check(d, &err))
		assert(err.text[0]);
	if (dwarf_inlined_parameter(d, CODE, "inlined", &parameter))
		want(&l, parameter.type);
	dwarf_has_go(d);
	dwarf_member(d, "unit", "node", "next.next", &addr, &number);
	dwarf_constant_value(d, "unit", "seven", &value);
	want(&l, size / 2);
	look_at_types(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err;
	char path[32];

	if (size < HEAD)
		return 0;
	int fd = write_file(data, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	AUTO(images_close) struct images *images = images_open_file(path, &err);
	assert(images);
	AUTO(dwarf_close)
	struct dwarf *d = dwarf_open(images_get(images, 0), &err);
	if (d)
		look(d, size);
	close(fd);
	return 0;
}
