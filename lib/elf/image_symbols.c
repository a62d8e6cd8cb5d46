/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/elf/image_priv.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/limit.h"
#include "lib/base/search.h"

enum { TOLD_APART = 256 }; /* bytes of names compared for the sort order */

static bool spend(struct image_symbols *s, uint64_t steps)
{
	if (steps > LIMIT_SYMBOL_STEPS - s->steps) {
		s->steps = LIMIT_SYMBOL_STEPS;
		return false;
	}
	s->steps += steps;
	return true;
}

/* The first symbol of a name wins. In a hostile file, names may collide or overlap; past
 * the limit, the remaining symbols cannot be found by name. */
static void insert_name(struct image_symbols *s, uint32_t i)
{
	const char *name = s->all[i].name;
	uint64_t other, alike = 0;

	if (s->steps == LIMIT_SYMBOL_STEPS) /* even the length of a name costs time */
		return;
	const size_t len = strlen(name);
	if (!spend(s, len))
		return;
	const uint32_t hash = hash_name(name, len);
	for (; (other = table_get(&s->by_name, hash, alike)); alike++)
		if (!spend(s, 1 + len) || !strcmp(s->all[other - 1].name, name))
			return;
	table_set(&s->by_name, hash, alike, i + 1);
}

static bool is_function(const struct image_symbol *s)
{
	return s->in_code &&
	       (s->type == STT_FUNC || s->type == STT_GNU_IFUNC || s->type == STT_NOTYPE);
}

/* Prefers, among names of one address, the familiar one: typed, without leading
 * underscores, global. */
static int rank(const struct image_symbol *s)
{
	return (s->type == STT_NOTYPE ? 8 : 0) + (*s->name == '_' ? 4 : 0) +
	       (s->bind == STB_GLOBAL ? 0
		: s->bind == STB_WEAK ? 1
				      : 2);
}

static int by_value(const void *a, const void *b)
{
	const struct image_symbol *x = *(const struct image_symbol *const *)a;
	const struct image_symbol *y = *(const struct image_symbol *const *)b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	return strncmp(x->name, y->name, TOLD_APART);
}

static void index_functions(struct image_symbols *s)
{
	s->functions = xcalloc(s->count, sizeof(*s->functions));
	for (size_t i = 0; i < s->count; i++)
		if (is_function(&s->all[i]))
			s->functions[s->function_count++] = &s->all[i];
	if (s->function_count)
		qsort(s->functions, s->function_count, sizeof(*s->functions), by_value);
	size_t kept = 0;
	for (size_t i = 0; i < s->function_count; i++)
		if (!kept || s->functions[kept - 1]->value != s->functions[i]->value)
			s->functions[kept++] = s->functions[i];
	s->function_count = kept;
}

static bool in_code(const struct image *img, uint64_t value)
{
	for (size_t i = 0; i < img->segment_count; i++) {
		const struct image_segment *p = &img->segments[i];
		if (p->type == PT_LOAD && p->executable && value + img->bias >= p->addr &&
		    value + img->bias - p->addr < p->size)
			return true;
	}
	return false;
}

static void read_table(const struct image *img, const struct image *from,
		       struct image_symbols *s, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	struct image_names names = image_names(from, sh->sh_link);
	size_t n = data && sh->sh_entsize ? data->d_size / sizeof(Elf64_Sym) : 0;

	if (n == 0 || n > UINT32_MAX / 4)
		return;
	s->all = xreallocarray(s->all, s->count + n, sizeof(*s->all));
	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;
		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		const char *name = image_name(names, sym.st_name);
		uint8_t type = GELF_ST_TYPE(sym.st_info);
		if (!name || !*name || type == STT_SECTION || type == STT_FILE)
			continue;
		s->all[s->count++] = (struct image_symbol){
			.name = name,
			.value = sym.st_value,
			.size = sym.st_size,
			.type = type,
			.bind = GELF_ST_BIND(sym.st_info),
			.absolute = sym.st_shndx == SHN_ABS || type == STT_TLS,
			.in_code = in_code(img, sym.st_value),
		};
	}
}

/* There is at most one of each type. from: img, or the file that its table was moved
 * to. */
static bool load_table(const struct image *img, const struct image *from,
		       struct image_symbols *s, uint32_t type)
{
	for (size_t i = 0; i < from->section_count; i++) {
		Elf_Scn *scn = elf_getscn(from->elf, from->sections[i].index);
		GElf_Shdr sh;
		if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		if (image_may_read(from, sh.sh_size))
			read_table(img, from, s, scn, &sh);
		break;
	}
	return s->count;
}

/* Few images need symbols: load them on first use. */
static const struct image_symbols *symbols_of(const struct image *const_img)
{
	struct image *img =
		(struct image *)const_img; /* a cache changes, not the image */
	struct image_symbols *s = &img->symbols;

	if (s->loaded)
		return s;
	s->loaded = true;
	if (!img->elf)
		return s;
	const struct image *apart;
	s->exported_only = !load_table(img, img, s, SHT_SYMTAB) &&
			   !((apart = separate_debug_file(img)) &&
			     load_table(img, apart, s, SHT_SYMTAB));
	if (s->exported_only && !load_table(img, img, s, SHT_DYNSYM))
		return s;
	for (size_t i = 0; i < s->count; i++)
		insert_name(s, (uint32_t)i);
	index_functions(s);
	return s;
}

void image_symbols_free(struct image_symbols *s)
{
	xfree(s->all);
	table_free(&s->by_name);
	xfree(s->functions);
}

bool image_symbol(const struct image *img, const char *name, struct image_range *ret)
{
	const struct image_symbols *s = symbols_of(img);
	const uint32_t hash = hash_name(name, strlen(name));
	uint64_t found;

	for (uint64_t alike = 0; (found = table_get(&s->by_name, hash, alike)); alike++) {
		const struct image_symbol *sym = &s->all[found - 1];
		if (strcmp(sym->name, name))
			continue;
		ret->addr = sym->absolute ? sym->value : sym->value + img->bias;
		ret->size = sym->size;
		return true;
	}
	return false;
}

bool image_function_at(const struct image *img, uint64_t addr, const char **ret_name,
		       uint64_t *ret_entry)
{
	const struct image_symbols *s = symbols_of(img);
	uint64_t value = addr - img->bias;
	size_t low = LOWER_BOUND(i, s->function_count, s->functions[i]->value <= value);

	if (!low || !in_code(img, value))
		return false;
	const struct image_symbol *f = s->functions[low - 1];
	/* Assembler labels have no size: they extend to the next symbol, if all are
	 * known. */
	uint64_t size = f->size ? f->size : s->exported_only ? 1 : UINT64_MAX;
	if (value - f->value >= size)
		return false;
	*ret_name = f->name;
	*ret_entry = f->value + img->bias;
	return true;
}
