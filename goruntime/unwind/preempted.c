/* SPDX-License-Identifier: Apache-2.0 */
/* Follows runtime/preempt_amd64.s, Go 1.14 to 1.27: it pushes rbp and the flags, makes
 * room and stores the general registers there. Up to 1.25 the vector registers come next;
 * later they are in the goroutine. Each store is checked: if one is not as expected, no
 * register is known. */
#include "goruntime/unwind/preempted.h"

#include <string.h>

#include "goruntime/runtime/runtime_priv.h"

enum {
	PUSHED = 2 * WORD, /* rbp, flags */
	VECTOR_BYTES = 16,
	CALL_BYTES = 5,
	CODE_MAX = 2048, /* 650 in 1.27 with AVX-512 */
	FRAME_MAX = 1024,
	OFFSET_MAX = 4096,
	REGISTERS = 16, /* of each kind */
};

/* As numbered in instructions. */
enum { RAX = 0, RSP = 4, RBP = 5 };

struct stores {
	uint32_t general[REGISTERS], vectors[REGISTERS]; /* offsets */
	bool has_vectors, vectors_on_stack;
};

/* mov %reg,off(%base), or movups. */
static bool read_store(struct bytes *b, bool vector, unsigned base, unsigned *ret_reg,
		       uint32_t *ret_off)
{
	struct bytes at = *b;
	unsigned op = bytes_u8(&at), rex = 0;

	if ((op & 0xf0) == 0x40) {
		rex = op;
		op = bytes_u8(&at);
	}
	bool expected = vector ? (rex & ~4U) == (rex ? 0x40 : 0) && op == 0x0f &&
					 bytes_u8(&at) == 0x11
			       : (rex & ~4U) == 0x48 && op == 0x89;
	unsigned modrm = bytes_u8(&at), mod = modrm >> 6;
	if (!expected || (modrm & 7) != base || mod == 3 ||
	    (base == RSP && bytes_u8(&at) != 0x24))
		return false;
	*ret_reg = (modrm >> 3 & 7) | (rex & 4) << 1;
	*ret_off = mod == 0 ? 0 : mod == 1 ? bytes_u8(&at) : bytes_u32(&at);
	if (at.bad || *ret_off > (mod == 1 ? INT8_MAX : OFFSET_MAX))
		return false;
	*b = at;
	return true;
}

/* A sequence of stores. */
struct row {
	bool vector;
	unsigned base;
	uint16_t wanted; /* each register once */
	bool dense;	 /* consecutive, from off on */
	uint32_t off;
};

static bool read_row(struct bytes *b, const struct row *row, uint32_t *ret)
{
	uint16_t wanted = row->wanted;
	uint32_t next = row->off, off;
	struct bytes at = *b;

	while (wanted) {
		unsigned reg;
		if (!read_store(&at, row->vector, row->base, &reg, &off) ||
		    !(wanted >> reg & 1) || (row->dense && off != next))
			return false;
		next += row->vector ? VECTOR_BYTES : WORD;
		wanted &= (uint16_t) ~(1U << reg);
		ret[reg] = off;
	}
	*b = at;
	return true;
}

/* push %rbp; mov %rsp,%rbp; pushf; sub $room,%rsp */
static bool read_beginning(struct bytes *b, uint32_t room)
{
	static const uint8_t pushes[] = { 0x55, 0x48, 0x89, 0xe5, 0x9c };
	uint8_t start[sizeof(pushes)];

	bytes_take(b, start, sizeof(start));
	if (memcmp(start, pushes, sizeof(start)) != 0 || bytes_u8(b) != 0x48)
		return false;
	const bool wide = bytes_u8(b) == 0x81;
	if (!wide && b->at[-1] != 0x83)
		return false;
	return bytes_u8(b) == 0xec && (wide ? bytes_u32(b) : bytes_u8(b)) == room &&
	       !b->bad;
}

/* Reads the code up to the call. The stores must fill the room. */
static bool read_code(struct bytes b, uint32_t room, struct stores *ret)
{
	enum { ALL = 0xffff, GENERAL = ALL & ~(1 << RSP | 1 << RBP), GENERALS = 14 };
	const struct row generals = { false, RSP, GENERAL, true, 0 };
	const struct row vectors = { true, RSP, ALL, true, GENERALS * WORD };
	const struct row elsewhere = { true, RAX, ALL, false, 0 };

	*ret = (struct stores){ .has_vectors = false };
	if (!read_beginning(&b, room) || !read_row(&b, &generals, ret->general))
		return false;
	ret->vectors_on_stack = read_row(&b, &vectors, ret->vectors);
	ret->has_vectors = ret->vectors_on_stack;
	if (ret->vectors_on_stack)
		return b.at == b.end &&
		       room == GENERALS * WORD + REGISTERS * VECTOR_BYTES;
	for (; !ret->has_vectors && b.at < b.end; b.at++) {
		struct bytes at = b;
		ret->has_vectors = read_row(&at, &elsewhere, ret->vectors);
	}
	return room == GENERALS * WORD;
}

static bool find_stores(struct runtime *rt, const struct code *preempt, uint32_t room,
			struct stores *ret)
{
	const uint64_t len = preempt->pc - preempt->entry;
	uint8_t text[CODE_MAX];

	if (preempt->at_instruction || len < CALL_BYTES || len > sizeof(text) ||
	    !modules_code(rt->modules, preempt->entry, text, len) ||
	    text[len - CALL_BYTES] != 0xe8)
		return false;
	return read_code(bytes_over(text, len - CALL_BYTES), room, ret);
}

/* runtime/preempt_xreg.go (1.26): asyncPreempt2 moves them from the P to the goroutine,
 * and back. */
static bool read_vectors(struct runtime *rt, const struct goroutine *g,
			 const struct stores *stores, struct vector_regs *ret)
{
	struct err ignored;
	uint64_t at;

	if (!stores->has_vectors || !layout_has(&rt->layout, L_g_xregs) ||
	    !layout_load(&rt->layout, rt->target, g->addr, L_g_xregs, &at, &ignored) ||
	    !at)
		return false;
	for (unsigned i = 0; i < REGISTERS; i++)
		if (!target_read(rt->target, at + stores->vectors[i], ret->value[i],
				 VECTOR_BYTES, &ignored))
			return false;
	return true;
}

static uint64_t word_at(const uint8_t *frame, uint32_t off)
{
	uint64_t v;

	memcpy(&v, frame + off, sizeof(v));
	return v;
}

bool preempted_registers(struct runtime *rt, const struct goroutine *g,
			 const struct code *preempt, uint64_t cfa,
			 struct kept_registers *ret)
{
	const struct arch *arch = target_arch(rt->target);
	const uint32_t size = (uint32_t)preempt->frame_size, room = size - PUSHED;
	uint8_t frame[FRAME_MAX + WORD];
	struct stores stores;
	struct err ignored;

	*ret = (struct kept_registers){ .vectors.count = 0 };
	if (arch != &arch_amd64 || preempt->frame_size < PUSHED || size > FRAME_MAX ||
	    !find_stores(rt, preempt, room, &stores) ||
	    !target_read(rt->target, cfa - WORD - size, frame, size + WORD, &ignored))
		return false;
	for (unsigned i = 0; i < REGISTERS; i++)
		reg_set(&ret->regs, arch->encoded[i], word_at(frame, stores.general[i]));
	reg_set(&ret->regs, arch->fp, word_at(frame, size - WORD));
	reg_set(&ret->regs, arch->pc, word_at(frame, size));
	reg_set(&ret->regs, arch->sp, cfa);
	for (unsigned i = 0; stores.vectors_on_stack && i < REGISTERS; i++)
		memcpy(ret->vectors.value[i], frame + stores.vectors[i], VECTOR_BYTES);
	if (stores.vectors_on_stack || read_vectors(rt, g, &stores, &ret->vectors))
		ret->vectors.count = REGISTERS;
	return true;
}
