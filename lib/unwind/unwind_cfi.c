/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unwind/unwind.h"

#include <elf.h>
#include <inttypes.h>
#include <libunwind.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/limit.h"
#include "lib/unwind/unwind_priv.h"

/* Exported by libunwind, but not declared in its public headers. */
#define search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
int search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
			unw_proc_info_t *pi, int need_unwind_info, void *arg);

enum {
	HEADER_LEN = 12, /* version, three encodings, pointer and count of 4 bytes */
	ENTRY_LEN = 8,
	ENC_UDATA4 = 0x03,
	ENC_PCREL_SDATA4 = 0x1b,
	ENC_DATAREL_SDATA4 = 0x3b,
};

/* Fake addresses of tables that we built, 4 GB apart: in the kernel's half of the address
 * space, where no process has memory. */
#define MADE_FIRST UINT64_C(0xffff000000000000)
#define MADE_APART (UINT64_C(1) << 32)

/* The search table of .eh_frame_hdr. */
struct table {
	const struct image *image;
	bool usable;
	const char *why; /* if not usable */
	uint64_t header; /* entries are relative to it */
	uint64_t entries, count;
	uint64_t start, end;	   /* range of the code covered */
	struct unwind_entry *made; /* built by us: entries is not a process address */
};

struct unwind {
	struct target *target; /* borrowed */
	const struct images *images;
	unw_addr_space_t space;
	struct table *tables; /* one per image looked up */
	size_t table_count, table_cap;
	/* For the current step: */
	struct regs *regs;
	uint64_t pc; /* as shown to libunwind */
	bool missed; /* no information: libunwind's result would be a guess */
	bool no_memory;
	struct err why_missed, why_memory;
};

static bool read_bytes(struct unwind *u, uint64_t addr, void *ret, size_t len)
{
	const struct image *img = images_at(u->images, addr);
	const void *p = img ? image_bytes(img, addr, len) : NULL;

	if (!p)
		return target_read(u->target, addr, ret, len, &u->why_memory);
	/* Bounds the work for hostile unwind information. */
	if (!target_spend(u->target, 1, &u->why_memory))
		return false;
	memcpy(ret, p, len);
	return true;
}

static const char *read_header(struct unwind *u, const struct image_segment *s,
			       struct table *t)
{
	uint8_t raw[HEADER_LEN];

	if (s->size < HEADER_LEN || !read_bytes(u, s->addr, raw, HEADER_LEN))
		return "its .eh_frame_hdr cannot be read";
	struct bytes b = bytes_over(raw, HEADER_LEN);
	uint8_t version = bytes_u8(&b), frame_enc = bytes_u8(&b);
	uint8_t count_enc = bytes_u8(&b), table_enc = bytes_u8(&b);
	bytes_u32(&b); /* address of .eh_frame: not needed with the table */
	if (version != 1 || frame_enc != ENC_PCREL_SDATA4 || count_enc != ENC_UDATA4 ||
	    table_enc != ENC_DATAREL_SDATA4)
		return "its .eh_frame_hdr has an unsupported encoding";
	t->header = s->addr;
	t->entries = s->addr + HEADER_LEN;
	t->count = bytes_u32(&b);
	if (t->count == 0 || t->count > (s->size - HEADER_LEN) / ENTRY_LEN)
		return "its .eh_frame_hdr has no table";
	return NULL;
}

/* gcc -static does not request an .eh_frame_hdr. */
static bool make_table(struct unwind *u, struct table *t)
{
	struct image_range section;
	const void *bytes;

	if (!image_section(t->image, ".eh_frame", &section) ||
	    section.size > LIMIT_EH_FRAME_BYTES ||
	    !(bytes = image_bytes(t->image, section.addr, section.size)))
		return false;
	t->header = section.addr;
	t->made = unwind_table_make(bytes, section.size, section.addr, &t->count);
	t->entries = MADE_FIRST + (u->table_count - 1) * MADE_APART;
	return t->made;
}

/* NULL: addr is not in a table that we built. */
static const void *made_bytes(const struct unwind *u, uint64_t addr, size_t len)
{
	uint64_t off = (addr - MADE_FIRST) % MADE_APART,
		 i = (addr - MADE_FIRST) / MADE_APART;

	if (addr < MADE_FIRST || i >= u->table_count || !u->tables[i].made ||
	    off + len > u->tables[i].count * sizeof(*u->tables[i].made))
		return NULL;
	return (const uint8_t *)u->tables[i].made + off;
}

static void read_table(struct unwind *u, struct table *t)
{
	struct image_segment s;

	t->why = "it has no .eh_frame_hdr";
	t->start = UINT64_MAX;
	for (size_t i = 0; image_segment(t->image, i, &s); i++) {
		if (s.type == PT_LOAD && s.executable) {
			t->start = s.addr < t->start ? s.addr : t->start;
			t->end = s.addr + s.size > t->end ? s.addr + s.size : t->end;
		}
		if (s.type == PT_GNU_EH_FRAME)
			t->why = read_header(u, &s, t);
	}
	if (t->why && make_table(u, t))
		t->why = NULL;
	t->usable = !t->why;
}

static const struct table *table_of(struct unwind *u, const struct image *img)
{
	for (size_t i = 0; i < u->table_count; i++)
		if (u->tables[i].image == img)
			return &u->tables[i];
	GROW(u->tables, u->table_count, u->table_cap);
	struct table *t = &u->tables[u->table_count++];
	*t = (struct table){ .image = img };
	read_table(u, t);
	return t;
}

static int miss(struct unwind *u, const struct image *img, const char *why)
{
	u->missed = true;
	if (!img && !target_may_name(u->target, u->pc))
		err_set(&u->why_missed, ERR_NOT_FOUND, "invalid return address");
	else if (!img)
		err_set(&u->why_missed, ERR_NOT_FOUND,
			"0x%" PRIx64 " is not in any program or library", u->pc);
	else if (u->no_memory)
		u->why_missed = u->why_memory;
	else
		err_set(&u->why_missed, ERR_NOT_FOUND,
			"no call frame information for 0x%" PRIx64 " in %s%s%s", u->pc,
			image_path(img), why ? ": " : "", why ? why : "");
	return -UNW_ENOINFO;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi,
			  int need_unwind_info, void *arg)
{
	struct unwind *u = arg;
	const struct image *img = images_at(u->images, ip);

	if (!img)
		return miss(u, NULL, NULL);
	if (image_unreadable(img))
		return miss(u, img, image_unreadable(img));
	const struct table *t = table_of(u, img);
	if (!t->usable)
		return miss(u, img, t->why);
	if (ip < t->start || ip >= t->end)
		return miss(u, img, "no code at this address");
	unw_dyn_info_t di = {
		.start_ip = t->start,
		.end_ip = t->end,
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
		.u.rti.segbase = t->header,
		.u.rti.table_data = t->entries,
		.u.rti.table_len = t->count * ENTRY_LEN / sizeof(unw_word_t),
	};
	int r = search_unwind_table(as, ip, &di, pi, need_unwind_info, arg);
	return r < 0 ? miss(u, img, NULL) : r;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as, (void)pi, (void)arg; /* from libunwind's own pool */
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *ret, void *arg)
{
	(void)as, (void)ret, (void)arg;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write,
		      void *arg)
{
	struct unwind *u = arg;

	(void)as;
	const void *made = made_bytes(u, addr, sizeof(*value));
	if (made && !write) {
		memcpy(value, made, sizeof(*value));
		return 0;
	}
	if (write || !read_bytes(u, addr, value, sizeof(*value))) {
		u->no_memory = true;
		return -UNW_EINVAL;
	}
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t n, unw_word_t *value, int write,
		      void *arg)
{
	const struct unwind *u = arg;
	const struct arch *arch = target_arch(u->target);

	(void)as;
	if (write || n < 0 || (unsigned)n >= arch->dwarf_count ||
	    !reg_known(u->regs, (unsigned)n))
		return -UNW_EBADREG;
	*value = (unsigned)n == arch->pc ? u->pc : u->regs->value[n];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t n, unw_fpreg_t *value,
			int write, void *arg)
{
	(void)as, (void)n, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t ip, char *buf, size_t len,
			 unw_word_t *off, void *arg)
{
	(void)as, (void)ip, (void)buf, (void)len, (void)off, (void)arg;
	return -UNW_ENOINFO;
}

struct unwind *unwind_new(struct target *t, const struct images *images)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
	struct unwind *u = xcalloc(1, sizeof(*u));

	u->target = t;
	u->images = images;
	u->space = unw_create_addr_space(&accessors, 0);
	if (!u->space)
		out_of_memory();
	unw_set_caching_policy(u->space, UNW_CACHE_GLOBAL);
	return u;
}

void unwind_free(struct unwind *u)
{
	if (!u)
		return;
	unw_destroy_addr_space(u->space);
	for (size_t i = 0; i < u->table_count; i++)
		xfree(u->tables[i].made);
	xfree(u->tables);
	xfree(u);
}

/* Callee-saved registers by the System V psABI. Without a rule, libunwind reports the
 * others as unchanged too, although any call may have clobbered them. */
static bool is_preserved(unsigned n)
{
	switch (n) {
	case UNW_X86_64_RBX:
	case UNW_X86_64_RBP:
	case UNW_X86_64_R12:
	case UNW_X86_64_R13:
	case UNW_X86_64_R14:
	case UNW_X86_64_R15:
		return true;
	}
	return false;
}

static bool take_registers(struct unwind *u, unw_cursor_t *cursor, bool signal)
{
	const struct arch *arch = target_arch(u->target);
	struct regs ret = { .valid = 0 };

	for (unsigned n = 0; n < arch->dwarf_count; n++) {
		unw_word_t value;
		bool frame = n == arch->pc || n == arch->sp;
		/* A signal frame saves all of them. */
		if ((frame || signal || is_preserved(n)) &&
		    unw_get_reg(cursor, (int)n, &value) == 0)
			reg_set(&ret, n, value);
	}
	if (arch->tls >= 0 && reg_known(u->regs, (unsigned)arch->tls))
		reg_set(&ret, (unsigned)arch->tls, u->regs->value[arch->tls]);
	if (!reg_known(&ret, arch->pc) || !reg_known(&ret, arch->sp))
		return false;
	*u->regs = ret;
	return true;
}

static enum unwind_result lost(const struct unwind *u, struct err *err, int code)
{
	if (u->missed)
		*err = u->why_missed;
	else if (u->no_memory)
		*err = u->why_memory;
	else if (code == -UNW_EBADREG)
		err_set(err, ERR_NOT_FOUND,
			"the call frame information for 0x%" PRIx64
			" needs a register with an unknown value",
			u->pc);
	else
		err_set(err, ERR_BAD_DATA,
			"the call frame information for 0x%" PRIx64
			" cannot be evaluated (%s)",
			u->pc, unw_strerror(code));
	return UNWIND_LOST;
}

/* libunwind returns 0 both for "no return address" and for one that is zero. */
static enum unwind_result outermost(unw_cursor_t *cursor, const struct unwind *u,
				    struct err *err)
{
	unw_save_loc_t where;

	if (unw_get_save_loc(cursor, UNW_X86_64_RIP, &where) ||
	    where.type != UNW_SLT_MEMORY)
		return UNWIND_END;
	err_set(err, ERR_BAD_DATA,
		"the return address of the frame at 0x%" PRIx64 " is 0", u->pc);
	return UNWIND_LOST;
}

/* The C library's clone and clone3 have no information from their system call on, as two
 * threads return from it. rax distinguishes them: the parent's return address is on top
 * of its stack; the child has no caller. */
static bool after_clone(struct unwind *u, enum unwind_result *ret)
{
	/* syscall; test %rax,%rax */
	static const uint8_t code[] = { 0x0f, 0x05, 0x48, 0x85, 0xc0 };
	const struct arch *arch = target_arch(u->target);
	uint8_t found[sizeof(code)];
	uint64_t pc, sp = u->regs->value[arch->sp];

	if (!reg_known(u->regs, UNW_X86_64_RAX) ||
	    !read_bytes(u, u->pc - 2, found, sizeof(found)) ||
	    memcmp(found, code, sizeof(code)) != 0)
		return false;
	*ret = UNWIND_END;
	if (u->regs->value[UNW_X86_64_RAX] == 0)
		return true;
	if (!read_bytes(u, sp, &pc, sizeof(pc)))
		return false;
	reg_set(u->regs, arch->pc, pc);
	reg_set(u->regs, arch->sp, sp + sizeof(pc));
	*ret = UNWIND_CALLER;
	return true;
}

enum unwind_result unwind_step(struct unwind *u, struct regs *regs, bool *at_instruction,
			       struct err *err)
{
	const struct arch *arch = target_arch(u->target);
	uint64_t sp = regs->value[arch->sp];
	unw_cursor_t cursor;

	if (!reg_known(regs, arch->pc) || !reg_known(regs, arch->sp)) {
		err_set(err, ERR_NOT_FOUND, "unknown stack pointer or program counter");
		return UNWIND_LOST;
	}
	u->regs = regs;
	/* A return address may be the start of the next function: look up the call before
	 * it. */
	u->pc = regs->value[arch->pc] - (*at_instruction ? 0 : 1);
	u->missed = u->no_memory = false;
	int r = unw_init_remote(&cursor, u->space, u);
	if (r == 0)
		r = unw_step(&cursor);
	if (r < 0 || u->missed) {
		enum unwind_result ret = lost(u, err, r);
		if (*at_instruction && u->missed && after_clone(u, &ret))
			*at_instruction = false;
		return ret;
	}
	if (r == 0)
		return outermost(&cursor, u, err);
	bool signal = unw_is_signal_frame(&cursor) > 0;
	if (!take_registers(u, &cursor, signal))
		return lost(u, err, -UNW_EBADREG);
	/* A handler may run on another stack, above or below. */
	if (!signal && regs->value[arch->sp] <= sp) {
		err_set(err, ERR_BAD_DATA,
			"the caller's stack pointer 0x%" PRIx64
			" is not above 0x%" PRIx64,
			regs->value[arch->sp], sp);
		return UNWIND_LOST;
	}
	*at_instruction = signal;
	return UNWIND_CALLER;
}
