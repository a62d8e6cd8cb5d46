/* SPDX-License-Identifier: Apache-2.0 */
/* arch.h - processor differences, as tables. Every host can read every table. */
#ifndef GOSNAP_ARCH_H
#define GOSNAP_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of an address, and of Go's int and uintptr: all tables are of 64 bits. */
enum { WORD = 8 };

enum {
	ARCH_REGS_MAX = 40,
	ARCH_VECTORS_MAX = 32,
};

/* Numbered by the architecture's DWARF ABI (amd64: 0 rax .. 16 the return address, which
 * is rip); from dwarf_count on, registers without a DWARF number. */
struct regs {
	uint64_t value[ARCH_REGS_MAX];
	uint64_t valid; /* bit n: value[n] is known */
};

struct vector_regs {
	uint8_t value[ARCH_VECTORS_MAX][16]; /* little endian */
	unsigned count;			     /* 0: unknown */
	uint32_t control;		     /* amd64: mxcsr */
};

enum { GO_ARGUMENTS = 5 };

struct arch {
	const char *name; /* Go's spelling: "amd64" */
	int elf_machine;
	const char *const *reg_names; /* names from the manual, lower case */
	unsigned reg_count;	      /* total */
	unsigned dwarf_count;	      /* with DWARF numbers, pc last */
	const uint8_t *encoded;	      /* general registers as numbered in instructions */
	unsigned pc, sp, fp;
	unsigned
		call_pushes; /* bytes: the return address, at sp; 0: it is in a register */
	/* Of the first integer arguments in Go's ABIInternal (cmd/compile/abi-internal.md). */
	uint8_t go_arguments[GO_ARGUMENTS];
	uint8_t go_context; /* of the closure that is called */
	int tls;	    /* register that holds the thread pointer */
	/* System call convention: number and arguments as registers, result. */
	unsigned syscall_number, syscall_args[6], syscall_result;
	const char *vector_prefix; /* "xmm" */
	/* Offsets in the registers of NT_PRFPREG: the control word, and the vectors. */
	uint16_t vector_control, vectors;
	unsigned vector_count;
	/* Offset of register n in struct user_regs_struct / elf_gregset_t, in bytes; -1:
	 * absent. In the order of reg_names. */
	const int16_t *prstatus;
	/* Offset of register n in the ucontext (its mcontext), in bytes; -1: absent. */
	const int16_t *ucontext;
	size_t ucontext_size; /* bytes that must be readable */
	size_t siginfo; /* in a signal's frame, in bytes from the ucontext; 0: not known */
};

extern const struct arch arch_amd64;

/* NULL: no table for this ELF e_machine. */
const struct arch *arch_find(int elf_machine);

static inline bool reg_known(const struct regs *regs, unsigned n)
{
	return regs->valid >> n & 1;
}

static inline void reg_set(struct regs *regs, unsigned n, uint64_t value)
{
	regs->value[n] = value;
	regs->valid |= UINT64_C(1) << n;
}

/* From the registers of NT_PRFPREG, or of NT_X86_XSTATE, which begins with them. Too few bytes:
 * none. */
void arch_vectors_from(const struct arch *arch, const void *bytes, size_t len,
		       struct vector_regs *ret);
/* Fills regs from a prstatus register area or from a ucontext. */
void arch_regs_from(const int16_t *offsets, const struct arch *arch, const void *bytes,
		    size_t len, struct regs *ret);

#endif
