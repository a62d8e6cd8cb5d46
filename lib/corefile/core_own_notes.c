/* SPDX-License-Identifier: Apache-2.0 */
/* core_own_notes.c - the notes of cores that gosnap wrote: hostile like all others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/corefile/core_priv.h"

enum { MAPPING_WORDS = 5 };

void core_take_mappings(struct core_notes *notes, struct bytes content)
{
	const uint64_t n = bytes_u64(&content);
	struct bytes paths = bytes_at(
		content, n > LIMIT_MAPPINGS ? UINT64_MAX : n * MAPPING_WORDS * WORD);

	if (paths.bad || notes->mappings)
		return;
	notes->mappings = xcalloc(n + 1, sizeof(*notes->mappings));
	for (uint64_t i = 0, end_before = 0; i < n; i++) {
		struct target_mapping *m = &notes->mappings[notes->mapping_count];
		m->start = bytes_u64(&content);
		m->end = bytes_u64(&content);
		m->offset = bytes_u64(&content);
		m->inode = bytes_u64(&content);
		const uint64_t flags = bytes_u64(&content);
		m->readable = flags & CORE_MAPPING_READ;
		m->writable = flags & CORE_MAPPING_WRITE;
		m->executable = flags & CORE_MAPPING_EXECUTE;
		m->shared = flags & CORE_MAPPING_SHARED;
		m->path = bytes_string(&paths);
		/* As the kernel lists them: sorted, without overlaps. */
		if (!m->path || m->start >= m->end || m->start < end_before)
			break;
		end_before = m->end;
		notes->mapping_count++;
	}
}

void core_take_capture(struct core_notes *notes, struct bytes content)
{
	notes->facts.realtime_ns = bytes_u64(&content);
	notes->facts.monotonic_ns = bytes_u64(&content);
	const uint64_t n = bytes_u64(&content);
	struct bytes names = bytes_at(content, n > LIMIT_THREADS ? UINT64_MAX : n * WORD);

	if (names.bad || notes->names)
		return;
	notes->names = xcalloc(n + 1, sizeof(*notes->names));
	for (uint64_t i = 0; i < n; i++) {
		const pid_t tid = (pid_t)bytes_u64(&content);
		const char *name = bytes_string(&names);
		if (!name)
			return;
		notes->names[notes->name_count++] =
			(struct core_thread_name){ tid, name };
	}
}

static int by_tid(const void *a, const void *b)
{
	const struct core_thread_name *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

void core_name_threads(struct core_notes *notes)
{
	if (notes->name_count)
		qsort(notes->names, notes->name_count, sizeof(*notes->names), by_tid);
	for (size_t i = 0; i < notes->thread_count; i++) {
		struct target_thread *t = &notes->threads[i];
		const struct core_thread_name key = { .tid = t->tid };
		const struct core_thread_name *found =
			notes->name_count ? bsearch(&key, notes->names, notes->name_count,
						    sizeof(key), by_tid)
					  : NULL;
		if (found)
			snprintf(t->name, sizeof(t->name), "%s", found->name);
	}
}
