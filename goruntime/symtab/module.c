/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/module.h"

#include <elf.h>
#include <string.h>

#include "goruntime/symtab/module_shape.h"
#include "lib/base/limit.h"

enum {
	SCAN_CHUNK = 1 << 20,
	HEAD_BYTES = MODULE_HEAD_WORDS * WORD,
	CODE_BYTES = 1 << 13,  /* to search in a function */
	NEWER_THAN_ANY = 1000, /* release */
};

/* A segment's bytes, read from the process and kept until modules_close(). */
struct held {
	uint64_t addr;
	size_t len;
	uint8_t *bytes;
};

struct modules {
	struct target *target; /* NULL once sealed */
	const struct images *images;
	const struct layout *layout; /* or guess, set by guess_layout() */
	struct layout guess;
	struct module *list;
	size_t count, cap;
	const char *how; /* how the first was found */
	struct held *held;
	size_t held_count, held_cap;
	uint64_t held_bytes;
	unsigned heads_tried;
	uint64_t scanned, most_scanned; /* bytes of an image */
	uint64_t steps;			/* in the tables of all modules */
};

static struct bytes have(struct modules *m, uint64_t addr)
{
	const struct image *img = images_at(m->images, addr);
	size_t len;
	const void *p = img ? image_bytes_from(img, addr, &len) : NULL;

	if (p)
		return bytes_over(p, len);
	for (size_t i = 0; i < m->held_count; i++) {
		const struct held *h = &m->held[i];
		if (addr >= h->addr && addr - h->addr < h->len)
			return bytes_over(h->bytes + (addr - h->addr),
					  h->len - (addr - h->addr));
	}
	return (struct bytes){ .bad = true };
}

/* The file's part of the segment around addr: relocated read-only data may span mappings,
 * since the loader protects whole pages only. */
static bool segment_around(const struct modules *m, uint64_t addr,
			   struct image_segment *ret)
{
	const struct image *img = images_at(m->images, addr);

	for (size_t i = 0; img && image_segment(img, i, ret); i++)
		if (ret->type == PT_LOAD && addr >= ret->addr &&
		    addr - ret->addr < ret->file_size)
			return true;
	return false;
}

struct bytes modules_bytes(struct modules *m, uint64_t addr)
{
	struct bytes b = have(m, addr);
	struct image_segment seg;
	struct err ignored;

	if (!b.bad || !m->target || !segment_around(m, addr, &seg) ||
	    seg.file_size > LIMIT_PCLNTAB_BYTES - m->held_bytes)
		return b;
	AUTO(xfree) uint8_t *bytes = xmalloc(seg.file_size);
	if (!target_search(m->target, seg.addr, bytes, seg.file_size, &ignored))
		return b;
	m->held_bytes += seg.file_size;
	GROW(m->held, m->held_count, m->held_cap);
	m->held[m->held_count++] = (struct held){ seg.addr, seg.file_size, TAKE(bytes) };
	return have(m, addr);
}

bool modules_code(struct modules *m, uint64_t addr, void *ret, size_t len)
{
	const struct image *img = images_at(m->images, addr);
	const void *file = img ? image_bytes(img, addr, len) : NULL;
	struct err ignored;

	if (!file)
		return m->target && target_read(m->target, addr, ret, len, &ignored);
	memcpy(ret, file, len);
	return true;
}

static uint64_t md_field(const struct modules *m, enum layout_slot slot,
			 const uint8_t *md, size_t len)
{
	return layout_get(m->layout, slot, md, len);
}

/* The pointer and length of a Go string or slice. */
static bool md_list(const struct modules *m, enum layout_slot field, const uint8_t *md,
		    size_t size, uint64_t ret[2])
{
	struct slot slot = m->layout->slot[field];

	if (slot.off < 0 || (size_t)slot.off + 2 * WORD > size)
		return false;
	memcpy(ret, md + slot.off, 2 * WORD);
	return true;
}

static char *read_plugin_path(struct modules *m, const uint8_t *md, size_t size)
{
	uint64_t header[2];
	struct err ignored;

	if (!md_list(m, L_md_pluginpath, md, size, header))
		return NULL;
	if (header[1] == 0 || header[1] > LIMIT_TEXT_BYTES)
		return NULL;
	AUTO(xfree) char *path = xcalloc(1, header[1] + 1);
	return target_read(m->target, header[0], path, header[1], &ignored) ? TAKE(path)
									    : NULL;
}

static bool has_table(struct modules *m, struct module *md, uint64_t header,
		      struct err *err)
{
	struct bytes table = md->minpc < md->maxpc && md->minpc >= md->text
				     ? modules_bytes(m, header)
				     : (struct bytes){ .bad = true };
	struct pclntab_func first;

	if (table.bad ||
	    !pclntab_init(&md->tab, table.at, (size_t)(table.end - table.at), header,
			  md->text, err) ||
	    !pclntab_find(&md->tab, md->minpc, &first) || first.entry != md->minpc ||
	    pclntab_end(&md->tab) != md->maxpc) {
		md->tab = (struct pclntab){ .gofunc.bad = true };
		return err_set(err, ERR_BAD_DATA, "no moduledata at %#lx", md->addr);
	}
	md->tab.steps = &m->steps;
	return true;
}

/* Could a table be read from addr on, if there is one? */
static bool is_missing(struct modules *m, uint64_t addr)
{
	struct err err;
	uint64_t word;

	return !target_read_uint(m->target, addr, WORD, &word, &err) &&
	       err_is(&err, ERR_ABSENT);
}

/* What opening does not need. */
static void look_closer(struct modules *m, const uint8_t *md, size_t size,
			struct module *ret)
{
	uint64_t gofunc = md_field(m, L_md_gofunc, md, size), links[2] = { 0 };
	uint64_t has_main = md_field(m, L_md_hasmain, md, size);

	if (md_list(m, L_md_typelinks, md, size, links)) {
		ret->typelinks = links[0];
		ret->typelink_count = links[1];
	}
	if (gofunc)
		ret->tab.gofunc = modules_bytes(m, gofunc);
	else
		ret->tab.gofunc.bad = true;
	ret->plugin = read_plugin_path(m, md, size);
	ret->has_main = has_main == 1;
	ret->doubtful = has_main > 1;
	if (ret->unnamed)
		ret->doubtful |= !module_constants_fit(m->layout, ret->image, md, size);
	else
		ret->doubtful |= gofunc && ret->tab.gofunc.bad;
}

/* Is there a moduledata at addr? Its first word leads to a pclntab whose first function
 * is at minpc and whose end is maxpc; nothing else in a process looks like that. */
static bool load_module(struct modules *m, uint64_t addr, struct module *ret,
			uint64_t *ret_next, struct err *err)
{
	size_t size = (size_t)m->layout->slot[L_md_size].off;
	AUTO(xfree) uint8_t *md = xmalloc(size + 1);
	uint64_t header;

	if (size < WORD)
		return err_set(err, ERR_BAD_DATA, "invalid moduledata: %zu bytes", size);
	if (!target_read(m->target, addr, md, size, err))
		return false;
	memcpy(&header, md, WORD);
	*ret = (struct module){
		.addr = addr,
		.minpc = md_field(m, L_md_minpc, md, size),
		.maxpc = md_field(m, L_md_maxpc, md, size),
		.text = md_field(m, L_md_text, md, size),
		.edata = md_field(m, L_md_edata, md, size),
		.bss = md_field(m, L_md_bss, md, size),
		.ebss = md_field(m, L_md_ebss, md, size),
		.noptrbss = md_field(m, L_md_noptrbss, md, size),
		.enoptrbss = md_field(m, L_md_enoptrbss, md, size),
		.types = md_field(m, L_md_types, md, size),
		.etypes = md_field(m, L_md_etypes, md, size),
		.rodata = md_field(m, L_md_rodata, md, size),
		.type_bytes = md_field(m, L_md_typedesclen, md, size),
		.image = images_at(m->images, addr),
	};
	ret->unnamed = is_missing(m, header) &&
		       module_has_shape(m->layout, ret->image, md, size);
	if (!ret->unnamed && !has_table(m, ret, header, err))
		return false;
	look_closer(m, md, size, ret);
	*ret_next = md_field(m, L_md_next, md, size);
	return true;
}

static bool known(const struct modules *m, uint64_t addr)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->list[i].addr == addr)
			return true;
	return false;
}

/* Follows the chain of modules from addr. */
static bool add_chain(struct modules *m, uint64_t addr, struct err *err)
{
	size_t before = m->count;
	uint64_t next = 0;

	for (; addr && m->count < LIMIT_MODULES && !known(m, addr); addr = next) {
		struct module module;
		if (!load_module(m, addr, &module, &next, err))
			break;
		GROW(m->list, m->count, m->cap);
		m->list[m->count++] = module;
	}
	return m->count > before;
}

static void forget_chain(struct modules *m)
{
	for (size_t i = 0; i < m->count; i++)
		xfree(m->list[i].plugin);
	m->count = 0;
}

/* All releases with this table format have the fields that opening needs at the same
 * offsets. */
static bool guess_layout(struct modules *m, uint64_t addr)
{
	const char *arch = target_arch(m->target)->name;
	uint8_t head[PCLNTAB_PROBE_BYTES];
	struct err ignored;
	uint64_t header;

	if (!target_read_uint(m->target, addr, WORD, &header, &ignored) ||
	    !target_read(m->target, header, head, sizeof(head), &ignored))
		return false;
	const struct pclntab_format *format = pclntab_probe(head);
	m->layout = &m->guess;
	return format && layout_from_table(pclntab_release(format), arch, 0, &m->guess);
}

/* Without a table: the newest release whose moduledata could be this one. The memory of goroutines
 * will confirm it. */
static bool guess_release(struct modules *m, uint64_t addr)
{
	const char *arch = target_arch(m->target)->name;
	struct err ignored;

	m->layout = &m->guess;
	for (unsigned rank = 0; layout_from_table(NEWER_THAN_ANY, arch, rank, &m->guess);
	     rank++) {
		if (add_chain(m, addr, &ignored) && !m->list[0].doubtful)
			return true;
		forget_chain(m);
	}
	return false;
}

static bool add_found(struct modules *m, uint64_t addr)
{
	struct err ignored;

	if (m->layout && m->layout != &m->guess)
		return add_chain(m, addr, &ignored);
	return guess_layout(m, addr) ? add_chain(m, addr, &ignored)
				     : guess_release(m, addr);
}

/* Calls fn with each 8-aligned chunk of a segment's file part until it returns true.
 * Chunks overlap, so that one of them has HEAD_BYTES after each word, if the segment is
 * long enough. */
typedef bool chunk_fn(struct modules *m, uint64_t addr, const uint8_t *bytes, size_t len,
		      const uint64_t *arg);

static bool scan_segment(struct modules *m, const struct image_segment *seg, chunk_fn *fn,
			 const uint64_t *arg)
{
	AUTO(xfree) uint8_t *buf = xmalloc(SCAN_CHUNK);
	struct err ignored;
	uint64_t end = target_scan_end(seg->addr, seg->addr + seg->file_size);

	for (uint64_t at = seg->addr + -seg->addr % WORD;
	     at + WORD <= end && m->scanned < m->most_scanned;
	     at += SCAN_CHUNK - HEAD_BYTES) {
		size_t len = end - at < SCAN_CHUNK ? (size_t)(end - at) : SCAN_CHUNK;
		m->scanned += len;
		if (target_search(m->target, at, buf, len, &ignored) &&
		    fn(m, at, buf, len, arg))
			return true;
	}
	return false;
}

/* moduledata is always in writable memory, nearly always near the start of it. */
static bool scan_image(struct modules *m, const struct image *img, chunk_fn *fn,
		       const uint64_t *arg)
{
	struct image_segment seg;

	m->scanned = 0;
	for (size_t i = 0; image_segment(img, i, &seg); i++)
		if (seg.type == PT_LOAD && seg.writable && scan_segment(m, &seg, fn, arg))
			return true;
	return false;
}

/* moduledata starts with the pointer to the table's header. */
static bool find_pointer(struct modules *m, uint64_t addr, const uint8_t *bytes,
			 size_t len, const uint64_t *header)
{
	uint64_t word;

	for (size_t i = 0; i + WORD <= len; i += WORD) {
		memcpy(&word, bytes + i, WORD);
		if (word == *header && add_found(m, addr + i))
			return true;
	}
	return false;
}

static bool find_head(struct modules *m, uint64_t addr, const uint8_t *bytes, size_t len,
		      const uint64_t *unused)
{
	uint64_t w[MODULE_HEAD_WORDS];

	(void)unused;
	for (size_t i = 0; i + HEAD_BYTES <= len; i += WORD) {
		memcpy(w, bytes + i, HEAD_BYTES);
		if (module_is_head(w) && m->heads_tried++ < LIMIT_MODULE_HEADS &&
		    add_found(m, addr + i))
			return true;
	}
	return false;
}

static const char *const table_sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

static const char *add_image(struct modules *m, const struct image *img)
{
	struct image_range at;

	if (image_symbol(img, "runtime.firstmoduledata", &at) && add_found(m, at.addr))
		return "symbol";
	if (image_section(img, ".go.module", &at) && add_found(m, at.addr))
		return "section";
	for (size_t i = 0; i < ARRAY_SIZE(table_sections); i++)
		if (image_section(img, table_sections[i], &at) &&
		    scan_image(m, img, find_pointer, &at.addr))
			return "section";
	return scan_image(m, img, find_head, NULL) ? "scan" : NULL;
}

bool modules_have_section(const struct image *img)
{
	struct image_range at;
	bool found = image_section(img, ".go.module", &at);

	for (size_t i = 0; !found && i < ARRAY_SIZE(table_sections); i++)
		found = image_section(img, table_sections[i], &at);
	return found;
}

static struct modules *modules_new(struct target *t, const struct images *images,
				   const struct layout *layout)
{
	struct modules *m = xcalloc(1, sizeof(*m));

	m->target = t;
	m->images = images;
	m->layout = layout;
	return m;
}

struct modules *modules_open_at(struct target *t, const struct images *images,
				const struct layout *layout, uint64_t addr,
				struct err *err)
{
	AUTO(modules_close) struct modules *m = modules_new(t, images, layout);

	return add_chain(m, addr, err) ? TAKE(m) : NULL;
}

struct modules *modules_open(struct target *t, const struct images *images,
			     const struct image *img, const struct layout *layout,
			     struct err *err)
{
	AUTO(modules_close) struct modules *m = modules_new(t, images, layout);

	/* An image that may not be Go at all is not searched completely. */
	m->most_scanned = layout || modules_have_section(img) ? LIMIT_SCAN_BYTES
							      : LIMIT_MODULE_SCAN_BYTES;
	m->how = add_image(m, img);
	if (m->count == 0) {
		err_set(err, ERR_NOT_FOUND, "no Go module data found");
		return NULL;
	}
	return TAKE(m);
}

void modules_close(struct modules *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->held_count; i++)
		xfree(m->held[i].bytes);
	forget_chain(m);
	xfree(m->held);
	xfree(m->list);
	xfree(m);
}

void modules_seal(struct modules *m)
{
	m->target = NULL;
}

void modules_unseal(struct modules *m, struct target *t)
{
	m->target = t;
}

const char *modules_how(const struct modules *m)
{
	return m->how;
}

int modules_release(const struct modules *m)
{
	return m->layout->minor;
}

size_t modules_count(const struct modules *m)
{
	return m->count;
}

const struct module *modules_get(const struct modules *m, size_t i)
{
	return &m->list[i];
}

bool modules_agree(const struct modules *m)
{
	bool has_main = false;

	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i].doubtful)
			return false;
		has_main |= m->list[i].has_main;
	}
	return has_main;
}

bool modules_unnamed(const struct modules *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->list[i].unnamed)
			return true;
	return false;
}

const struct module *modules_at(const struct modules *m, uint64_t pc)
{
	for (size_t i = 0; i < m->count; i++)
		if (pc >= m->list[i].minpc && pc < m->list[i].maxpc)
			return &m->list[i];
	return NULL;
}

bool modules_is_unnamed(const struct modules *m, uint64_t pc)
{
	const struct module *module = modules_at(m, pc);

	return module && module->unnamed;
}

struct wanted {
	const char *name;
	uint64_t entry, end;
};

static bool is_wanted(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	struct wanted *w = arg;

	if (strcmp(name, w->name) != 0)
		return true;
	w->entry = entry;
	w->end = end;
	return false;
}

uint64_t modules_function(const struct modules *m, const char *name, uint64_t *ret_end)
{
	struct wanted w = { .name = name };

	for (size_t i = 0; i < m->count && !w.entry; i++)
		pclntab_each(&m->list[i].tab, is_wanted, &w);
	*ret_end = w.end;
	return w.entry;
}

void modules_each_function(const struct modules *m, pclntab_func_fn *fn, void *arg)
{
	pclntab_each(&m->list[0].tab, fn, arg);
}

/* Of the immediate operand after the displacement; most opcodes have none. */
static unsigned immediate_bytes(uint8_t opcode)
{
	switch (opcode) {
	case 0x80: /* and other byte operations */
	case 0x83: /* cmpq $0, length(RIP) */
	case 0xc6:
		return 1;
	case 0x81:
	case 0xc7:
		return 4;
	default:
		return 0;
	}
}

/* REX.W if wide, any one-byte opcode, and a ModRM with mod 0, rm 5. A false match does no
 * harm. */
static size_t references(struct modules *m, const char *name, bool wide, uint64_t *ret,
			 size_t max)
{
	const size_t opcode = wide, len_of = opcode + 2 + sizeof(int32_t);
	uint64_t end, entry = modules_function(m, name, &end);
	uint8_t code[CODE_BYTES];
	size_t n = 0;
	int32_t disp;

	if (!entry || end <= entry)
		return 0;
	size_t len = end - entry < sizeof(code) ? (size_t)(end - entry) : sizeof(code);
	if (!modules_code(m, entry, code, len))
		return 0;
	for (size_t i = 0; i + len_of <= len && n < max; i++) {
		if ((wide && (code[i] & 0xf8) != 0x48) ||
		    (code[i + opcode + 1] & 0xc7) != 0x05)
			continue;
		memcpy(&disp, code + i + opcode + 2, sizeof(disp));
		ret[n++] = entry + i + len_of + immediate_bytes(code[i + opcode]) +
			   (uint64_t)(int64_t)disp;
	}
	return n;
}

size_t modules_references(struct modules *m, const char *name, uint64_t *ret, size_t max)
{
	return references(m, name, true, ret, max);
}

size_t modules_narrow_references(struct modules *m, const char *name, uint64_t *ret,
				 size_t max)
{
	return references(m, name, false, ret, max);
}
