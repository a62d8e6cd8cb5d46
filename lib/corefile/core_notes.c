/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: struct elf_prstatus and elf_prpsinfo of sys/procfs.h, which are the same on all 64-bit
 * processors up to the registers; the lists of NT_FILE of fs/binfmt_elf.c, fill_files_note(). */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/base/table.h"
#include "lib/corefile/core_priv.h"
#include "lib/elf/notes.h"

enum {
	PRSTATUS_TID = 32, /* offsets in the notes */
	PRSTATUS_REGISTERS = 112,
	PSINFO_UID = 16,
	PSINFO_PID = 24,
	PSINFO_NAME = 40,
	PSINFO_ARGUMENTS = 56,
};

static struct target_thread *last_thread(struct core_notes *notes)
{
	return notes->thread_count ? &notes->threads[notes->thread_count - 1] : NULL;
}

static void take_status(struct core_notes *notes, const struct arch *arch,
			struct bytes content)
{
	struct bytes at = bytes_at(content, PRSTATUS_TID);
	const struct bytes registers = bytes_at(content, PRSTATUS_REGISTERS);
	const pid_t tid = (pid_t)bytes_u32(&at);

	if (registers.bad || notes->thread_count == LIMIT_THREADS)
		return;
	GROW(notes->threads, notes->thread_count, notes->thread_cap);
	struct target_thread *t = &notes->threads[notes->thread_count++];
	*t = (struct target_thread){ .tid = tid, .tid_inside = tid, .stopped = true };
	arch_regs_from(arch->prstatus, arch, registers.at,
		       (size_t)(registers.end - registers.at), &t->regs);
	if (!reg_known(&t->regs, arch->syscall_number) ||
	    (int64_t)t->regs.value[arch->syscall_number] < 0)
		return;
	t->in_syscall = true;
	t->syscall_number = (int64_t)t->regs.value[arch->syscall_number];
	for (size_t i = 0; i < ARRAY_SIZE(t->syscall_args); i++)
		t->syscall_args[i] = t->regs.value[arch->syscall_args[i]];
}

static void take_vectors(struct core_notes *notes, const struct arch *arch,
			 struct bytes content)
{
	struct target_thread *t = last_thread(notes);

	if (t && !t->vectors.count)
		arch_vectors_from(arch, content.at, (size_t)(content.end - content.at),
				  &t->vectors);
}

static void take_signal(struct core_notes *notes, struct bytes content)
{
	struct target_thread *t = last_thread(notes);
	siginfo_t info;

	bytes_take(&content, &info, sizeof(info));
	if (content.bad)
		return;
	if (!notes->facts.has_signal) {
		notes->facts.has_signal = true;
		notes->facts.signal = info;
	}
	if (t && !t->has_siginfo && info.si_signo) {
		t->has_siginfo = true;
		t->siginfo = info;
	}
}

static void take_words(struct bytes at, char *ret, size_t size)
{
	bytes_take(&at, ret, size - 1);
	ret[size - 1] = '\0';
}

static void take_process(struct core_notes *notes, struct bytes content)
{
	struct core_facts *facts = &notes->facts;
	struct bytes ids = bytes_at(content, PSINFO_UID),
		     pids = bytes_at(content, PSINFO_PID);

	facts->uid = bytes_u32(&ids);
	facts->gid = bytes_u32(&ids);
	facts->pid = (pid_t)bytes_u32(&pids);
	facts->ppid = (pid_t)bytes_u32(&pids);
	facts->has_process = !ids.bad && !pids.bad;
	take_words(bytes_at(content, PSINFO_NAME), facts->name, sizeof(facts->name));
	take_words(bytes_at(content, PSINFO_ARGUMENTS), facts->arguments,
		   sizeof(facts->arguments));
}

static void take_auxv(struct core_notes *notes, struct bytes content)
{
	while (notes->auxv_count < CORE_AUXV_MAX) {
		uint64_t *pair = notes->auxv[notes->auxv_count];
		pair[0] = bytes_u64(&content);
		pair[1] = bytes_u64(&content);
		if (content.bad || pair[0] == AT_NULL)
			return;
		notes->auxv_count++;
	}
}

/* Of a path that has no end in the note, nothing is taken. */
static const char *take_path(struct bytes *names)
{
	const char *path = (const char *)names->at;
	const uint8_t *end =
		names->bad ? NULL
			   : memchr(names->at, 0, (size_t)(names->end - names->at));

	if (!end)
		return NULL;
	names->at = end + 1;
	return path;
}

static void take_files(struct core_notes *notes, struct bytes content)
{
	uint64_t n = bytes_u64(&content), page = bytes_u64(&content);
	struct bytes names =
		bytes_at(content, n > LIMIT_MAPPINGS ? UINT64_MAX : n * 3 * WORD);
	const char *path;

	notes->facts.has_files = !names.bad;
	for (; n > 0 && (path = take_path(&names)); n--) {
		struct core_mapped_file f = { .path = path };
		f.start = bytes_u64(&content);
		f.end = bytes_u64(&content);
		f.offset = bytes_u64(&content) * page;
		if (f.start >= f.end || notes->file_count == LIMIT_MAPPINGS)
			continue;
		GROW(notes->files, notes->file_count, notes->file_cap);
		notes->files[notes->file_count++] = f;
	}
}

static bool is_own(const struct elf_note *note)
{
	static const char owner[] = CORE_NOTE_OWNER;

	return (size_t)(note->name.end - note->name.at) == sizeof(owner) &&
	       memcmp(note->name.at, owner, sizeof(owner)) == 0;
}

/* Makers give them different names ("CORE", "LINUX", none), but the same types. */
static void take(struct core_notes *notes, const struct arch *arch,
		 const struct elf_note *note)
{
	switch (note->type) {
	case NT_PRSTATUS:
		take_status(notes, arch, note->content);
		break;
	case NT_FPREGSET:
	case NT_X86_XSTATE:
		take_vectors(notes, arch, note->content);
		break;
	case NT_SIGINFO:
		take_signal(notes, note->content);
		break;
	case NT_PRPSINFO:
		take_process(notes, note->content);
		break;
	case NT_AUXV:
		take_auxv(notes, note->content);
		break;
	case NT_FILE:
		take_files(notes, note->content);
		break;
	case CORE_NOTE_MAPPINGS:
		if (is_own(note))
			core_take_mappings(notes, note->content);
		break;
	case CORE_NOTE_CAPTURE:
		if (is_own(note))
			core_take_capture(notes, note->content);
		break;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct core_mapped_file *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool check_threads(const struct core_notes *notes, const char *name,
			  struct err *err)
{
	struct table ids = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < notes->thread_count; i++)
		ok = table_add(&ids, (uint32_t)notes->threads[i].tid, 0) ||
		     err_set(err, ERR_BAD_DATA,
			     "%.200s is damaged: two threads have the id %d", name,
			     (int)notes->threads[i].tid);
	table_free(&ids);
	return ok;
}

bool core_notes_read(const struct core_file *core, const struct arch *arch,
		     struct core_notes *ret, struct err *err)
{
	struct bytes b = bytes_over(core->notes, core->notes_len);
	struct elf_note note;

	*ret = (struct core_notes){ .facts = { .cut = core->cut, .no_memory = true } };
	for (size_t i = 0; i < core->segment_count; i++)
		if (core->segments[i].writable && core->segments[i].dumped)
			ret->facts.no_memory = false;
	while (elf_next_note(&b, &note))
		take(ret, arch, &note);
	core_name_threads(ret);
	ret->facts.thread = ret->thread_count ? 0 : -1;
	if (ret->file_count)
		qsort(ret->files, ret->file_count, sizeof(*ret->files), by_start);
	return check_threads(ret, core->name, err);
}

void core_notes_free(struct core_notes *notes)
{
	xfree(notes->threads);
	xfree(notes->files);
	xfree(notes->mappings);
	xfree(notes->names);
	*notes = (struct core_notes){ 0 };
}
