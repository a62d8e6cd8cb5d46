/* SPDX-License-Identifier: Apache-2.0 */
/* core_write.h - writes an ELF core file: notes as the kernel writes them, and of the memory the
 * parts that the caller chose. Two notes more, of type CORE_NOTE_MAPPINGS and CORE_NOTE_CAPTURE,
 * say what was mapped, which the parts no longer tell, and when. Reads no memory itself and knows
 * no secrets: the caller passes bytes as they are to be. Sources: elf(5); fs/binfmt_elf.c of Linux
 * 6.18. */
#ifndef GOSNAP_CORE_WRITE_H
#define GOSNAP_CORE_WRITE_H

#include "lib/procfs/process.h"
#include "lib/target/target.h"

struct core_part {
	uint64_t addr, size;
	bool readable, writable, executable;
};

/* Strings are borrowed. */
struct core_contents {
	const struct arch *arch;
	const struct target *target; /* its threads, mappings and auxiliary vector */
	const struct process *process;
	const char *arguments;	 /* the beginning of its command line */
	const siginfo_t *signal; /* that ended it; NULL: none */
	size_t first_thread;	 /* that debuggers show first */
	uint64_t realtime_ns, monotonic_ns;
	/* The value of a register as it is to be written. */
	uint64_t (*reg)(void *arg, unsigned n, uint64_t value);
	/* What a mapping is of, as it is to be written: borrowed until the next call. */
	const char *(*path)(void *arg, const struct target_mapping *m);
	/* Sorted, without overlaps, fewer than PN_XNUM - 1. */
	const struct core_part *parts;
	size_t part_count;
	/* len bytes of a part, as they are to be written. */
	void (*read)(void *arg, uint64_t addr, void *buf, size_t len);
	void (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
};
void core_write(const struct core_contents *contents);

#endif
