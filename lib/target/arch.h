/* SPDX-License-Identifier: Apache-2.0 */
/* arch.h - what differs between processors, as tables. Any host reads any table. */
#ifndef GOSNAP_ARCH_H
#define GOSNAP_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ARCH_REGS_MAX = 40,
	ARCH_VECTORS_MAX = 32,
};

/* Registers numbered as the architecture's DWARF ABI does (amd64: 0 rax .. 16 the return
 * address, which is rip), then, past dwarf_count, those that DWARF has no use for. */
struct regs {
	uint64_t value[ARCH_REGS_MAX];
	uint64_t valid; /* bit n: value[n] is known */
};

struct vector_regs {
	uint8_t value[ARCH_VECTORS_MAX][16]; /* little endian */
	unsigned count;			     /* 0: not known */
	uint32_t control;		     /* amd64: mxcsr */
};

struct arch {
	const char *name; /* as Go spells it: "amd64" */
	int elf_machine;
	const char *const *reg_names; /* manual's names, lower case */
	unsigned reg_count;	      /* all */
	unsigned dwarf_count;	      /* those with DWARF numbers, pc last */
	const uint8_t *encoded;	      /* general registers as instructions number them */
	unsigned pc, sp, fp;
	int tls; /* register that holds the thread pointer */
	/* System call convention: number and arguments as registers, result. */
	unsigned syscall_number, syscall_args[6], syscall_result;
	const char *vector_prefix; /* "xmm" */
	/* Where struct user_regs_struct / elf_gregset_t keeps register n, in bytes; -1: it
	 * does not. Order of reg_names. */
	const int16_t *prstatus;
	/* Where mcontext keeps register n, in bytes from the ucontext; -1: it does not. */
	const int16_t *ucontext;
	size_t ucontext_size; /* bytes that must be readable to use it */
};

extern const struct arch arch_amd64;

/* NULL when there is no table for this ELF e_machine. */
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

/* Fills regs from a prstatus register area or from a ucontext. */
void arch_regs_from(const int16_t *offsets, const struct arch *arch, const void *bytes,
		    size_t len, struct regs *ret);

#endif
