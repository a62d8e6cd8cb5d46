/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/pclntab.h"

#include "lib/base/limit.h"
#include "lib/base/util.h"

enum {
	ABSENT = -1,
	POINTER = 8,
	PCDATA_INLINE_INDEX = 2, /* internal/abi/symtab.go: unchanged in all releases */
	NEWEST = 1000,		 /* greater than any release */
};

/* What differs between releases, by magic number. Offsets are in bytes. */
struct pclntab_format {
	uint32_t magic;
	int release;   /* the newest with this format */
	bool relative; /* functab has 32-bit offsets from text, not addresses */
	size_t header_size;
	/* Where the header has the offsets of the tables. ABSENT: everything is relative
	 * to the header itself, and functab follows it. */
	int names_at, units_at, files_at, values_at, functions_at;
	/* Fields of _func. */
	int name, args, frame_size, file, line, value_count, unit, start_line, id, flags,
		data_count;
	size_t func_size;
	bool data_is_offset;  /* funcdata: u32 from moduledata.gofunc, not an address */
	unsigned inline_tree; /* FUNCDATA_InlTree */
	/* Fields of an inline tree record. */
	size_t inline_size, inline_id, inline_name, inline_parent_pc;
	int inline_start_line;
};

/* runtime/symtab.go and runtime/runtime2.go of each release. */
static const struct pclntab_format formats[] = {
#include "goruntime/symtab/pclntab_formats.inc"
};

static struct bytes field(struct bytes record, int at)
{
	return at == ABSENT ? (struct bytes){ .bad = true }
			    : bytes_at(record, (uint64_t)at);
}

static uint32_t u32_at(struct bytes record, int at)
{
	struct bytes b = field(record, at);
	return bytes_u32(&b);
}

static uint8_t u8_at(struct bytes record, int at)
{
	struct bytes b = field(record, at);
	return bytes_u8(&b);
}

static uint64_t u64_at(struct bytes record, int at)
{
	struct bytes b = field(record, at);
	return bytes_u64(&b);
}

/* Obfuscators change the magic number (garble does, from 1.20 on), and the runtime with
 * it. The rest of the header and the tables stay the same; they must prove what the magic
 * number does not. */
const struct pclntab_format *pclntab_probe(const uint8_t *bytes)
{
	uint32_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	if (bytes[4] != 0 || bytes[5] != 0 || (bytes[6] != 1 && bytes[6] != 4) ||
	    bytes[7] != POINTER)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i].magic == magic)
			return &formats[i];
	return &formats[ARRAY_SIZE(formats) - 1];
}

int pclntab_release(const struct pclntab_format *format)
{
	return format->release;
}

static struct bytes table_at(const struct pclntab *tab, int header_word,
			     uint64_t otherwise)
{
	if (header_word == ABSENT)
		return bytes_at(tab->all, otherwise);
	return bytes_at(tab->all, u64_at(tab->all, header_word));
}

static size_t functab_entry_size(const struct pclntab *tab)
{
	return tab->format->relative ? 8 : 16;
}

/* Entry i of functab: the pc at which function i begins, and the offset of its _func. i
 * == count: where the last function ends. */
static bool functab_entry(const struct pclntab *tab, uint64_t i, uint64_t *ret_pc,
			  uint64_t *ret_off)
{
	struct bytes b = bytes_at(tab->functab, i * functab_entry_size(tab));

	if (tab->format->relative) {
		*ret_pc = tab->text + bytes_u32(&b);
		*ret_off = bytes_u32(&b);
	} else {
		*ret_pc = bytes_u64(&b);
		*ret_off = bytes_u64(&b);
	}
	return !b.bad;
}

bool pclntab_init(struct pclntab *ret, const void *bytes, size_t len, uint64_t addr,
		  uint64_t text, struct err *err)
{
	const struct pclntab_format *f =
		len < PCLNTAB_PROBE_BYTES ? NULL : pclntab_probe(bytes);
	struct pclntab tab = { .format = f, .addr = addr, .text = text };

	if (!f)
		return err_set(err, ERR_BAD_DATA, "no pclntab header at %#lx", addr);
	tab.all = bytes_over(bytes, len);
	tab.count = u64_at(tab.all, 8);
	tab.names = table_at(&tab, f->names_at, 0);
	tab.units = table_at(&tab, f->units_at, 0);
	tab.values = table_at(&tab, f->values_at, 0);
	tab.functions = table_at(&tab, f->functions_at, 0);
	tab.functab = f->functions_at == ABSENT ? bytes_at(tab.all, f->header_size)
						: tab.functions;
	if (tab.count == 0 || tab.functab.bad ||
	    tab.count > (uint64_t)(tab.functab.end - tab.functab.at) /
				functab_entry_size(&tab))
		return err_set(err, ERR_BAD_DATA,
			       "the pclntab at %#lx claims %lu functions", addr,
			       tab.count);
	if (f->files_at != ABSENT) {
		tab.files = table_at(&tab, f->files_at, 0);
	} else { /* the offset of the file table follows functab's sentinel */
		uint64_t off = tab.count * functab_entry_size(&tab) + POINTER;
		struct bytes b = bytes_at(tab.functab, off);
		tab.files = bytes_at(tab.all, bytes_u32(&b));
	}
	if (tab.names.bad || tab.values.bad || tab.functions.bad || tab.files.bad)
		return err_set(err, ERR_BAD_DATA,
			       "the pclntab at %#lx has tables outside it", addr);
	*ret = tab;
	return true;
}

uint64_t pclntab_end(const struct pclntab *tab)
{
	struct bytes b = bytes_at(tab->functab, tab->count * functab_entry_size(tab));

	uint64_t pc = tab->format->relative ? tab->text + bytes_u32(&b) : bytes_u64(&b);
	return b.bad ? 0 : pc;
}

static bool load_func(const struct pclntab *tab, uint64_t i, struct pclntab_func *ret)
{
	const struct pclntab_format *f = tab->format;
	uint64_t off, next_off;

	if (!functab_entry(tab, i, &ret->entry, &off))
		return false;
	if (i + 1 == tab->count) /* the sentinel is only a pc */
		ret->end = pclntab_end(tab);
	else if (!functab_entry(tab, i + 1, &ret->end, &next_off))
		return false;
	ret->record = bytes_at(tab->functions, off);
	ret->id = u8_at(ret->record, f->id);
	ret->flags = u8_at(ret->record, f->flags);
	return !bytes_at(ret->record, f->func_size).bad;
}

bool pclntab_find(const struct pclntab *tab, uint64_t pc, struct pclntab_func *ret)
{
	uint64_t low = 0, high = tab->count, start, off;

	/* The first entry above pc; the one before it covers pc. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (!functab_entry(tab, middle, &start, &off))
			return false;
		if (start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && load_func(tab, low - 1, ret) && ret->entry <= pc &&
	       pc < ret->end;
}

static uint64_t steps_left(const struct pclntab *tab)
{
	return tab->steps ? LIMIT_PCLNTAB_STEPS - *tab->steps : UINT64_MAX;
}

/* Every walk along a table costs its length; a walk that exceeds the limit fails, and so
 * does every later one. */
static bool spend(const struct pclntab *tab, uint64_t n)
{
	if (!tab->steps)
		return true;
	if (n > steps_left(tab)) {
		*tab->steps = LIMIT_PCLNTAB_STEPS;
		return false;
	}
	*tab->steps += n;
	return true;
}

/* The NUL-terminated string at off in strings; NULL: none. */
static const char *string_at(const struct pclntab *tab, struct bytes strings,
			     uint64_t off)
{
	const uint64_t left = steps_left(tab);
	const uint64_t most = left < LIMIT_NAME_BYTES ? left : LIMIT_NAME_BYTES;
	struct bytes b = bytes_at(strings, off);

	if (!b.bad && (uint64_t)(b.end - b.at) > most)
		b.end = b.at + most;
	const char *s = bytes_string(&b);
	return spend(tab, s ? (uint64_t)(b.at - (const uint8_t *)s) : LIMIT_NAME_BYTES)
		       ? s
		       : NULL;
}

const char *pclntab_name(const struct pclntab *tab, const struct pclntab_func *func)
{
	return string_at(tab, tab->names, u32_at(func->record, tab->format->name));
}

/* A pc-value table: pairs of a zigzag value delta and a pc delta, terminated by a zero
 * value delta other than the first (runtime/symtab.go step, unchanged since Go 1.2). */
struct value_walk {
	struct bytes at;
	uint64_t pc; /* where the next value ends */
	int32_t value;
	bool first;
};

static struct value_walk value_walk(const struct pclntab *tab, uint32_t off,
				    uint64_t entry)
{
	struct value_walk w = {
		.at = bytes_at(tab->values, off), .pc = entry, .value = -1, .first = true
	};
	if (off == 0)
		w.at.bad = true;
	return w;
}

static bool value_next(const struct pclntab *tab, struct value_walk *w)
{
	if (!spend(tab, 1))
		return false;
	uint32_t delta = (uint32_t)bytes_uvarint(&w->at);
	if (w->at.bad || (delta == 0 && !w->first))
		return false;
	w->first = false;
	w->value =
		(int32_t)((uint32_t)w->value + (delta & 1 ? ~(delta >> 1) : delta >> 1));
	w->pc += bytes_uvarint(&w->at) *
		 tab->all.at[6]; /* in units of the instruction size */
	return !w->at.bad;
}

static int32_t value_at(const struct pclntab *tab, const struct pclntab_func *func,
			uint32_t off, uint64_t pc)
{
	struct value_walk w = value_walk(tab, off, func->entry);

	while (value_next(tab, &w))
		if (pc < w.pc)
			return w.value;
	return -1;
}

static uint32_t pcdata_offset(const struct pclntab *tab, const struct pclntab_func *func,
			      uint32_t index)
{
	const struct pclntab_format *f = tab->format;

	if (index >= u32_at(func->record, f->value_count))
		return 0;
	return u32_at(func->record, (int)(f->func_size + index * 4));
}

uint32_t pclntab_args(const struct pclntab *tab, const struct pclntab_func *func)
{
	return u32_at(func->record, tab->format->args);
}

/* It follows the size of the arguments in each release (runtime2.go). */
uint32_t pclntab_deferreturn(const struct pclntab *tab, const struct pclntab_func *func)
{
	return u32_at(func->record, tab->format->args + (int)sizeof(uint32_t));
}

int32_t pclntab_pcdata(const struct pclntab *tab, const struct pclntab_func *func,
		       uint32_t index, uint64_t pc)
{
	return value_at(tab, func, pcdata_offset(tab, func, index), pc);
}

bool pclntab_pcdata_begins(const struct pclntab *tab, const struct pclntab_func *func,
			   uint32_t index, uint64_t *ret_pc)
{
	struct value_walk w =
		value_walk(tab, pcdata_offset(tab, func, index), func->entry);

	*ret_pc = func->entry;
	while (value_next(tab, &w)) {
		if (w.value != -1)
			return true;
		*ret_pc = w.pc;
	}
	return false;
}

bool pclntab_has_frame_size(const struct pclntab *tab, const struct pclntab_func *func)
{
	return u32_at(func->record, tab->format->frame_size) != 0;
}

int64_t pclntab_frame_size(const struct pclntab *tab, const struct pclntab_func *func,
			   uint64_t pc)
{
	return value_at(tab, func, u32_at(func->record, tab->format->frame_size), pc);
}

static const char *file_name(const struct pclntab *tab, const struct pclntab_func *func,
			     int32_t number)
{
	if (number < 0)
		return NULL;
	if (tab->format->unit == ABSENT) {
		struct bytes offset = bytes_at(tab->files, (uint64_t)number * 4);
		uint32_t at = bytes_u32(&offset);
		return offset.bad ? NULL : string_at(tab, tab->all, at);
	}
	uint64_t unit = u32_at(func->record, tab->format->unit);
	struct bytes slot = bytes_at(tab->units, (unit + (uint64_t)number) * 4);
	uint32_t off = bytes_u32(&slot);
	return slot.bad || off == UINT32_MAX ? NULL : string_at(tab, tab->files, off);
}

static void set_name(struct pclntab_call *call, const char *name)
{
	call->named = name != NULL;
	call->name = name ? name : "?";
}

struct pclntab_call pclntab_outer_call(const struct pclntab *tab,
				       const struct pclntab_func *func, uint64_t pc)
{
	const struct pclntab_format *f = tab->format;
	int32_t line = value_at(tab, func, u32_at(func->record, f->line), pc);
	int32_t file = value_at(tab, func, u32_at(func->record, f->file), pc);

	struct pclntab_call call = {
		.file = file_name(tab, func, file),
		.line = line > 0 ? (uint32_t)line : 0,
		.start_line = u32_at(func->record, f->start_line),
		.id = func->id,
		.pc = pc,
	};
	set_name(&call, pclntab_name(tab, func));
	return call;
}

struct bytes pclntab_funcdata(const struct pclntab *tab, const struct pclntab_func *func,
			      uint32_t index, pclntab_bytes_fn *funcdata_bytes, void *arg)
{
	const struct pclntab_format *f = tab->format;
	const struct bytes none = { .bad = true };
	size_t at = f->func_size + (size_t)u32_at(func->record, f->value_count) * 4;

	if (index >= u8_at(func->record, f->data_count))
		return none;
	if (f->data_is_offset) {
		uint32_t off = u32_at(func->record, (int)(at + index * 4));
		return off == UINT32_MAX ? none : bytes_at(tab->gofunc, off);
	}
	/* An array of pointers, aligned by address: runtime/symtab.go funcdata (1.15). */
	uint64_t record_addr = tab->addr + (uint64_t)(func->record.at - tab->all.at);
	at += (record_addr + at) % POINTER;
	uint64_t addr = u64_at(func->record, (int)(at + index * POINTER));
	return addr == 0 ? none : funcdata_bytes(arg, addr);
}

size_t pclntab_calls(const struct pclntab *tab, const struct pclntab_func *func,
		     uint64_t pc, pclntab_bytes_fn *funcdata_bytes, void *arg,
		     struct pclntab_call *ret, size_t max)
{
	const struct pclntab_format *f = tab->format;
	uint32_t indexes = pcdata_offset(tab, func, PCDATA_INLINE_INDEX);
	/* The tree has no length; records are bounded by the bytes it lies in. */
	struct bytes tree =
		pclntab_funcdata(tab, func, f->inline_tree, funcdata_bytes, arg);
	size_t n = 0;

	/* runtime/symtabinl.go inlineUnwinder: an index gives the innermost inlined call,
	 * and its parent pc is a pc of the same function one level further out. */
	while (!tree.bad && indexes != 0 && n + 1 < max) {
		int32_t index = value_at(tab, func, indexes, pc);
		if (index < 0)
			break;
		struct bytes record = bytes_at(tree, (uint64_t)index * f->inline_size);
		if (bytes_at(record, f->inline_size).bad)
			break;
		ret[n] = pclntab_outer_call(tab, func, pc);
		set_name(&ret[n],
			 string_at(tab, tab->names, u32_at(record, (int)f->inline_name)));
		ret[n].id = u8_at(record, (int)f->inline_id);
		ret[n].start_line = u32_at(record, f->inline_start_line);
		ret[n].inlined = true;
		n++;
		pc = func->entry + u32_at(record, (int)f->inline_parent_pc);
	}
	ret[n] = pclntab_outer_call(tab, func, pc);
	return n + 1;
}

void pclntab_each(const struct pclntab *tab, pclntab_func_fn *fn, void *arg)
{
	struct pclntab_func func;

	for (uint64_t i = 0; i < tab->count && steps_left(tab); i++) {
		const char *name =
			load_func(tab, i, &func) ? pclntab_name(tab, &func) : NULL;
		if (name && !fn(arg, name, func.entry, func.end))
			return;
	}
}

/* internal/abi/funcid.go: runtime.abort; up to 1.16 runtime.main. */
bool pclntab_has_runtime(const struct pclntab *tab)
{
	enum { FIRST_ID = 1 };
	struct pclntab_func func;

	for (uint64_t i = 0; i < tab->count; i++)
		if (load_func(tab, i, &func) && func.id == FIRST_ID)
			return true;
	return false;
}
