/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/variables/stack_map.h"

enum {
	/* internal/abi/symtab.go (1.27): unchanged in all releases. */
	FUNCDATA_ARGUMENTS = 0,
	FUNCDATA_LOCALS = 1,
	PCDATA_STACK_MAP = 1,
	/* in 1.15 these are 3 and 5, later 2 and 4 */
	OBJECTS_BEFORE_DEFERS = 2,
	WORDS_MAX = 1 << 16, /* in one frame */
	WORDS_OF_STEP = 64,  /* charged to the work budget */
};

struct reading {
	struct runtime *rt;
	const struct pclntab *tab;
	const struct module *module;
	struct pclntab_func func;
};

static struct bytes funcdata_bytes(void *arg, uint64_t addr)
{
	return modules_bytes(arg, addr);
}

static struct bytes funcdata(const struct reading *r, uint32_t i)
{
	return pclntab_funcdata(r->tab, &r->func, i, funcdata_bytes, r->rt->modules);
}

/* struct stackmap { n, nbit int32; bytedata [1]byte }: runtime/symtab.go (1.27). */
static struct bytes read_bits(const struct reading *r, uint32_t which, int32_t index,
			      uint32_t *ret_count)
{
	struct bytes b = funcdata(r, which);
	uint32_t n = bytes_u32(&b), count = bytes_u32(&b);

	*ret_count = 0;
	if (b.bad || index < 0 || (uint32_t)index >= n || count > WORDS_MAX)
		return (struct bytes){ .bad = true };
	struct bytes bits = bytes_at(b, (uint64_t)index * ((count + 7) / 8));
	struct bytes end = bytes_at(bits, (count + 7) / 8);
	if (end.bad)
		return end;
	*ret_count = count;
	return bits;
}

/* How many bytes have pointers, and where their bitmap is. A negative number: a GC
 * program makes the bits, for large arrays only. */
static void read_pointers(const struct reading *r, struct bytes *b,
			  struct stack_object *ret)
{
	const bool by_address = r->tab->gofunc.bad;
	const int32_t len = (int32_t)bytes_u32(b);
	uint64_t at;

	if (by_address) {
		bytes_u32(b);
		at = bytes_u64(b);
	} else {
		at = r->module->rodata + bytes_u32(b);
	}
	ret->pointers = modules_bytes(r->rt->modules, at);
	if (len > 0 && (uint64_t)len <= ret->size && (by_address || r->module->rodata))
		ret->pointer_words = (uint64_t)len / WORD;
}

/* runtime/stack.go stackObjectRecord: (off, *type) up to 1.16; (off, size, ptrdata,
 * *gcdata) in 1.17; (off, size, ptrdata, offset of gcdata) later. The number of records
 * precedes them. */
static bool read_object(const struct reading *r, struct bytes *b,
			struct stack_object *ret)
{
	const bool by_size = layout_has(&r->rt->layout, L_funcdata_arg_info);
	struct err ignored;

	*ret = (struct stack_object){ .off = 0 };
	if (!by_size) {
		ret->off = (int64_t)bytes_u64(b);
		ret->type = bytes_u64(b);
		/* No frame is larger. */
		return !b->bad && ret->off == (int32_t)ret->off &&
		       target_read(r->rt->target, ret->type, &ret->size, WORD, &ignored);
	}
	ret->off = (int32_t)bytes_u32(b);
	ret->size = bytes_u32(b);
	read_pointers(r, b, ret);
	return !b->bad;
}

static void read_objects(const struct reading *r, int64_t varp, struct stack_map *ret)
{
	struct slot defers = r->rt->layout.slot[L_funcdata_open_defers];
	struct stack_object object;

	if (defers.off < OBJECTS_BEFORE_DEFERS)
		return;
	struct bytes b = funcdata(r, (uint32_t)defers.off - OBJECTS_BEFORE_DEFERS);
	uint64_t n = bytes_u64(&b);
	if (b.bad || n > STACK_OBJECTS)
		return;
	ret->objects = xcalloc(n, sizeof(*ret->objects));
	for (uint64_t i = 0; i < n && read_object(r, &b, &object); i++) {
		object.off += object.off < 0 ? varp : 0; /* varp fits into 32 bits */
		ret->objects[ret->object_count++] = object;
	}
}

/* amd64: the return address is right below the CFA, and below that the caller's frame
 * pointer, if the frame size is not zero (runtime/traceback.go next, 1.21). */
static int64_t varp_of(const struct code *c)
{
	return c->frame_size > 0 ? -2 * WORD : -WORD;
}

void stack_map_read(struct runtime *rt, const struct code *c, struct stack_map *ret)
{
	struct reading r = { .rt = rt, .tab = &c->module->tab, .module = c->module };

	*ret = (struct stack_map){ .known = false };
	if (c->no_pcsp || c->frame_size < 0 || !pclntab_find(r.tab, c->entry, &r.func))
		return;
	read_objects(&r, varp_of(c), ret);
	if (c->at_instruction || c->pc <= c->entry)
		return;
	int32_t index = pclntab_pcdata(r.tab, &r.func, PCDATA_STACK_MAP, c->pc - 1);
	if (index < 0)
		return;
	ret->known = true;
	ret->local_bits = read_bits(&r, FUNCDATA_LOCALS, index, &ret->local_count);
	ret->argument_bits =
		read_bits(&r, FUNCDATA_ARGUMENTS, index, &ret->argument_count);
	ret->locals = varp_of(c) - (int64_t)ret->local_count * WORD;
}

void stack_map_deinit(struct stack_map *map)
{
	xfree(map->objects);
}

static bool is_set(struct bytes bits, uint64_t i)
{
	struct bytes b = bytes_at(bits, i / 8);

	return bytes_u8(&b) >> i % 8 & 1;
}

bool stack_object_has(const struct stack_object *object, int64_t off)
{
	return off >= object->off && (uint64_t)off - (uint64_t)object->off < object->size;
}

static bool in_object(const struct stack_map *map, int64_t off)
{
	for (size_t i = 0; i < map->object_count; i++)
		if (stack_object_has(&map->objects[i], off))
			return true;
	return false;
}

/* False: the map does not cover that word. */
static bool find(const struct stack_map *map, int64_t off, bool *ret_set)
{
	const bool local = off < 0;
	const int64_t from = local ? map->locals : map->arguments;
	const uint32_t count = local ? map->local_count : map->argument_count;

	if (!map->known || off % WORD || off < from || in_object(map, off))
		return false;
	uint64_t i = (uint64_t)(off - from) / WORD;
	*ret_set = i < count && is_set(local ? map->local_bits : map->argument_bits, i);
	return i < count;
}

bool stack_map_is_dead(const struct stack_map *map, int64_t off)
{
	bool set;

	return find(map, off, &set) && !set;
}

bool stack_map_is_needed(const struct stack_map *map, int64_t off)
{
	bool set;

	return find(map, off, &set) && set;
}

static bool each(struct target *t, int64_t from, uint64_t count, struct bytes bits,
		 stack_slot_fn *fn, void *arg, struct err *err)
{
	if (!target_spend(t, 1 + count / WORDS_OF_STEP, err))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (is_set(bits, i) && !fn(arg, from + (int64_t)(i * WORD)))
			break;
	return true;
}

bool stack_map_each(struct target *t, const struct stack_map *map, stack_slot_fn *fn,
		    void *arg, struct err *err)
{
	return each(t, map->locals, map->local_count, map->local_bits, fn, arg, err) &&
	       each(t, map->arguments, map->argument_count, map->argument_bits, fn, arg,
		    err);
}

bool stack_object_each(struct target *t, const struct stack_object *object,
		       stack_slot_fn *fn, void *arg, struct err *err)
{
	return each(t, object->off, object->pointer_words, object->pointers, fn, arg,
		    err);
}
