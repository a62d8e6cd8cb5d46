/* SPDX-License-Identifier: Apache-2.0 */
/* core_priv.h - internals shared in lib/corefile. */
#ifndef GOSNAP_CORE_PRIV_H
#define GOSNAP_CORE_PRIV_H

#include "lib/base/bytes.h"
#include "lib/corefile/target_core.h"

/* A PT_LOAD. What lies behind file_size was not dumped, or the file ends before it. */
struct core_segment {
	uint64_t addr, size;	    /* in the process */
	uint64_t offset, file_size; /* file_size <= size */
	bool readable, writable, executable;
	bool dumped; /* some of it */
};

/* core_file.c: the headers. */
struct core_file {
	int fd;
	int memory; /* of the process itself, instead of what follows the notes; -1: none */
	char *name;
	uint64_t size;
	int machine;
	struct core_segment *segments; /* sorted, without overlaps */
	size_t segment_count;
	uint64_t cut;	/* bytes that the headers promise past the end of the file */
	uint8_t *notes; /* of all PT_NOTEs */
	size_t notes_len;
};

/* Takes both descriptors. NULL: err says why it is no core that can be read. */
struct core_file *core_file_open(int fd, int memory, const char *name, struct err *err);
void core_file_close(struct core_file *core);
DEFINE_AUTO(struct core_file, core_file_close)
/* The segment that contains addr; NULL: none. */
const struct core_segment *core_segment_at(const struct core_file *core, uint64_t addr);
/* The first segment that ends behind addr. */
size_t core_segment_from(const struct core_file *core, uint64_t addr);
/* Exactly len bytes of the file. */
bool core_file_read(const struct core_file *core, uint64_t offset, void *buf, size_t len);
/* Of a segment, from there on; what was not dumped is not asked for. */
bool core_segment_read(const struct core_file *core, const struct core_segment *segment,
		       uint64_t from, void *buf, size_t len);

/* Notes that core_write.c adds to those of the kernel. CORE_NOTE_MAPPINGS: a count; start, end,
 * offset, inode and flags of each mapping; their paths. CORE_NOTE_CAPTURE: CLOCK_REALTIME and
 * CLOCK_MONOTONIC of the instant, a count, the ids of the threads, their names. Words of 8 bytes,
 * strings end with a zero byte. */
#define CORE_NOTE_OWNER "gosnap"
enum { CORE_NOTE_MAPPINGS = 0x676f0001, CORE_NOTE_CAPTURE = 0x676f0002 };
enum {
	CORE_MAPPING_READ = 1,
	CORE_MAPPING_WRITE = 2,
	CORE_MAPPING_EXECUTE = 4,
	CORE_MAPPING_SHARED = 8,
};

/* core_own_notes.c: reads these. Lists that are already there are kept. */
struct core_notes;
void core_take_mappings(struct core_notes *notes, struct bytes content);
void core_take_capture(struct core_notes *notes, struct bytes content);
/* Once all notes are read. */
void core_name_threads(struct core_notes *notes);

/* core_notes.c: what the notes say. */
struct core_mapped_file {
	uint64_t start, end, offset;
	const char *path; /* in the notes */
};

enum { CORE_AUXV_MAX = 64, CORE_NAME_MAX = 17, CORE_ARGUMENTS_MAX = 81 };

struct core_notes {
	struct target_thread *threads;
	size_t thread_count, thread_cap;
	struct core_mapped_file *files; /* sorted by start */
	size_t file_count, file_cap;
	/* What was mapped; the path is in the notes. NULL: only the segments tell. */
	struct target_mapping *mappings;
	size_t mapping_count;
	struct core_thread_name {
		pid_t tid;
		const char *name; /* in the notes */
	} * names;
	size_t name_count;
	uint64_t auxv[CORE_AUXV_MAX][2];
	size_t auxv_count;
	struct core_facts facts;
};

/* False: they contradict themselves. */
MUST_CHECK bool core_notes_read(const struct core_file *core, const struct arch *arch,
				struct core_notes *ret, struct err *err);
void core_notes_free(struct core_notes *notes);

#endif
