/* SPDX-License-Identifier: Apache-2.0 */
/* target_core.h - a target for a process that has ended: an ELF core file, as the kernel, gcore
 * and debuggers write them. Maps nothing and copies only what is asked for. The main header of
 * lib/corefile.
 *
 * Cores differ by who made them. Notes are recognised by their type, whatever they are named; the
 * program headers may be anywhere; segments need no alignment. A core may be cut, by a full disk
 * or a limit: what is missing is absent (ERR_ABSENT), everything else is there. All of it is
 * untrusted. Knows the format of cores, nothing of Go, and of files only what it is given.
 * Sources: elf(5); fs/binfmt_elf.c of Linux 6.18. */
#ifndef GOSNAP_TARGET_CORE_H
#define GOSNAP_TARGET_CORE_H

#include "lib/target/target.h"

/* Opens a core for reading. path "-": standard input. What is compressed (zstd, xz, lz4, gzip), or
 * cannot be read twice, is written to an unlinked temporary file. -1: err says why; ERR_BAD_DATA:
 * nothing could be unpacked. The caller frees ret->damage in any case. */
struct core_origin {
	uint64_t
		written_ns; /* when the file, or else the copy, was last written to: CLOCK_REALTIME */
	char *damage; /* why it could only be unpacked in part, for a warning; NULL: it is whole */
};
int core_open(const char *path, struct core_origin *ret, struct err *err);

/* Copies what is left of from as it is, compressed or not, with holes where it is zero. Takes neither. */
MUST_CHECK bool core_copy(int from, int to, const char *name, struct err *err);

/* What a file begins as. Where it is read next stays the same. */
enum core_beginning {
	CORE_BEGINS_NOT,
	CORE_BEGINS,
	CORE_BEGINS_PACKED,  /* compressed: core_begins_packed() knows */
	CORE_BEGINS_ZSTD,    /* the same, but documents are compressed so, too */
	CORE_BEGINS_PROGRAM, /* another ELF file */
};
enum core_beginning core_begins(int fd);
/* Is there a core in a compressed file? Unpacks the beginning. */
bool core_begins_packed(int fd);
/* Is this file a core, uncompressed? */
bool core_is_one(const char *path);

/* Takes fd. NULL: ERR_CANNOT, no core; ERR_UNSUPPORTED, of another processor; ERR_BAD_DATA. */
struct target *target_core_open(int fd, const char *name, struct err *err);

/* The same for a process that the kernel dumps at this moment: fd has the core up to the end of its
 * notes, memory is /proc/PID/mem, which has the rest. Takes both; memory -1: fd has all of it. */
struct target *target_core_open_dying(int fd, int memory, const char *name,
				      struct err *err);

/* What the kernel knew of the process. */
struct core_facts {
	bool has_process; /* the next two lines */
	pid_t pid, ppid;
	uid_t uid;
	gid_t gid;
	char name[17];	    /* "": unknown */
	char arguments[81]; /* the beginning of its command line, separated by spaces */
	bool has_signal;
	siginfo_t signal; /* that ended it */
	int thread;	  /* index of the thread that the kernel listed first; -1: none */
	bool has_files;	  /* which files were mapped is known */
	uint64_t cut;	  /* bytes that are missing at the end of the file */
	/* The instant that it shows, if gosnap wrote it; 0: unknown. */
	uint64_t realtime_ns, monotonic_ns;
	bool no_memory; /* nothing that the process can have written was dumped */
};
/* Borrowed. NULL: t is not a core. */
const struct core_facts *target_core_facts(const struct target *t);

/* The first bytes in [addr, end) that are in the file: [*ret_from, *ret_to). False: none. */
bool target_core_find_dumped(const struct target *t, uint64_t addr, uint64_t end,
			     uint64_t *ret_from, uint64_t *ret_to);

/* Where to find bytes that are not in the core because they are in files: fn copies what is
 * there from addr on and never written by the process, at most len bytes, and says how many. */
typedef size_t core_constant_fn(void *arg, uint64_t addr, void *buf, size_t len);
void target_core_use_files(struct target *t, core_constant_fn *fn, void *arg);

#endif
