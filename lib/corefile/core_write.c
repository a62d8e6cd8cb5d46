/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: struct elf_prstatus and elf_prpsinfo of sys/procfs.h; NT_FILE as fill_files_note() of
 * fs/binfmt_elf.c makes it. */
#include "lib/corefile/core_write.h"

#include <elf.h>
#include <string.h>
#include <sys/procfs.h>

#include "lib/corefile/core_priv.h"

enum { CHUNK = 1 << 20 }; /* bytes of memory read at once */

/* Notes, one after the other. */
struct note_buffer {
	uint8_t *bytes;
	size_t len, cap;
};

static void append(struct note_buffer *to, const void *bytes, size_t len)
{
	if (to->len + len > to->cap) {
		to->cap = 2 * (to->len + len);
		to->bytes = xreallocarray(to->bytes, to->cap, 1);
	}
	if (len)
		memcpy(to->bytes + to->len, bytes, len);
	to->len += len;
}

static void append_u64(struct note_buffer *to, uint64_t value)
{
	append(to, &value, sizeof(value));
}

static void append_string(struct note_buffer *to, const char *s)
{
	append(to, s, strlen(s) + 1);
}

static void pad(struct note_buffer *to)
{
	static const uint8_t zeros[4];

	append(to, zeros, -to->len & 3);
}

static void add_note(struct note_buffer *to, const char *name, uint32_t type,
		     const void *content, size_t len)
{
	const uint32_t header[] = { (uint32_t)strlen(name) + 1, (uint32_t)len, type };

	append(to, header, sizeof(header));
	append_string(to, name);
	pad(to);
	append(to, content, len);
	pad(to);
}

/* The id that the process itself uses, as the kernel's cores have it. */
static pid_t tid_of(const struct target_thread *t)
{
	return t->tid_inside ? t->tid_inside : t->tid;
}

static void take_reg(const struct core_contents *c, const struct regs *regs, unsigned n,
		     uint8_t *registers)
{
	const int16_t offset = c->arch->prstatus[n];

	if (!reg_known(regs, n) || offset < 0)
		return;
	const uint64_t value = c->reg(c->arg, n, regs->value[n]);
	memcpy(registers + offset, &value, sizeof(value));
}

static void add_status(struct note_buffer *to, const struct core_contents *c,
		       const struct target_thread *t)
{
	struct elf_prstatus status = { .pr_pid = tid_of(t), .pr_ppid = c->process->ppid };

	if (c->signal) {
		status.pr_info.si_signo = c->signal->si_signo;
		status.pr_cursig = (short)c->signal->si_signo;
	}
	for (unsigned n = 0; n < c->arch->reg_count; n++)
		take_reg(c, &t->regs, n, (uint8_t *)&status.pr_reg);
	add_note(to, "CORE", NT_PRSTATUS, &status, sizeof(status));
}

static void add_process(struct note_buffer *to, const struct core_contents *c)
{
	const struct process *p = c->process;
	struct elf_prpsinfo info = { .pr_sname = 'R',
				     .pr_uid = p->uid,
				     .pr_gid = p->gid,
				     .pr_pid = p->ns_pid ? p->ns_pid : p->pid,
				     .pr_ppid = p->ppid < 0 ? 0 : p->ppid };

	if (p->comm)
		memcpy(info.pr_fname, p->comm,
		       strnlen(p->comm, sizeof(info.pr_fname) - 1));
	memcpy(info.pr_psargs, c->arguments,
	       strnlen(c->arguments, sizeof(info.pr_psargs) - 1));
	add_note(to, "CORE", NT_PRPSINFO, &info, sizeof(info));
}

static void add_auxv(struct note_buffer *to, const struct core_contents *c)
{
	struct note_buffer content = { .len = 0 };
	size_t n;
	const uint64_t *pairs = target_auxv_pairs(c->target, &n);

	if (!n)
		return;
	append(&content, pairs, n * 2 * sizeof(*pairs));
	append_u64(&content, AT_NULL);
	append_u64(&content, 0);
	add_note(to, "CORE", NT_AUXV, content.bytes, content.len);
	xfree(content.bytes);
}

static bool is_file(const struct target_mapping *m)
{
	return m->inode && m->path[0] == '/';
}

static void add_files(struct note_buffer *to, const struct core_contents *c)
{
	struct note_buffer content = { .len = 0 };
	size_t n, count = 0;
	const struct target_mapping *all = target_mappings(c->target, &n);

	for (size_t i = 0; i < n; i++)
		count += is_file(&all[i]);
	append_u64(&content, count);
	append_u64(&content, PAGE_BYTES);
	for (size_t i = 0; i < n; i++) {
		if (!is_file(&all[i]))
			continue;
		append_u64(&content, all[i].start);
		append_u64(&content, all[i].end);
		append_u64(&content, all[i].offset / PAGE_BYTES);
	}
	for (size_t i = 0; i < n; i++)
		if (is_file(&all[i]))
			append_string(&content, c->path(c->arg, &all[i]));
	add_note(to, "CORE", NT_FILE, content.bytes, content.len);
	xfree(content.bytes);
}

static uint64_t flags_of(const struct target_mapping *m)
{
	return (m->readable ? CORE_MAPPING_READ : 0) |
	       (m->writable ? CORE_MAPPING_WRITE : 0) |
	       (m->executable ? CORE_MAPPING_EXECUTE : 0) |
	       (m->shared ? CORE_MAPPING_SHARED : 0);
}

static void add_mappings(struct note_buffer *to, const struct core_contents *c)
{
	struct note_buffer content = { .len = 0 };
	size_t n;
	const struct target_mapping *all = target_mappings(c->target, &n);

	append_u64(&content, n);
	for (size_t i = 0; i < n; i++) {
		append_u64(&content, all[i].start);
		append_u64(&content, all[i].end);
		append_u64(&content, all[i].offset);
		append_u64(&content, all[i].inode);
		append_u64(&content, flags_of(&all[i]));
	}
	for (size_t i = 0; i < n; i++)
		append_string(&content, c->path(c->arg, &all[i]));
	add_note(to, CORE_NOTE_OWNER, CORE_NOTE_MAPPINGS, content.bytes, content.len);
	xfree(content.bytes);
}

static void add_capture(struct note_buffer *to, const struct core_contents *c)
{
	struct note_buffer content = { .len = 0 };
	size_t n;
	const struct target_thread *threads = target_threads(c->target, &n);

	append_u64(&content, c->realtime_ns);
	append_u64(&content, c->monotonic_ns);
	append_u64(&content, n);
	for (size_t i = 0; i < n; i++)
		append_u64(&content, (uint64_t)tid_of(&threads[i]));
	for (size_t i = 0; i < n; i++)
		append_string(&content, threads[i].name);
	add_note(to, CORE_NOTE_OWNER, CORE_NOTE_CAPTURE, content.bytes, content.len);
	xfree(content.bytes);
}

/* What ended the process, if no thread has it. */
static const siginfo_t *signal_of_none(const struct core_contents *c)
{
	size_t n;
	const struct target_thread *threads = target_threads(c->target, &n);

	for (size_t i = 0; i < n; i++)
		if (threads[i].has_siginfo)
			return NULL;
	return c->signal;
}

/* In the kernel's order: gdb gives notes to the thread before them. */
static void add_thread(struct note_buffer *to, const struct core_contents *c,
		       const struct target_thread *t, bool first)
{
	const siginfo_t *info = t->has_siginfo ? &t->siginfo
				: first	       ? signal_of_none(c)
					       : NULL;

	if (!t->stopped)
		return;
	add_status(to, c, t);
	if (first)
		add_process(to, c);
	if (info)
		add_note(to, "CORE", NT_SIGINFO, info, sizeof(*info));
	if (!first)
		return;
	add_auxv(to, c);
	add_files(to, c);
	add_mappings(to, c);
	add_capture(to, c);
}

static struct note_buffer make_notes(const struct core_contents *c)
{
	struct note_buffer notes = { .len = 0 };
	size_t n;
	const struct target_thread *threads = target_threads(c->target, &n);

	if (c->first_thread < n)
		add_thread(&notes, c, &threads[c->first_thread], true);
	for (size_t i = 0; i < n; i++)
		if (i != c->first_thread)
			add_thread(&notes, c, &threads[i], false);
	return notes;
}

static void write_headers(const struct core_contents *c, size_t notes_len)
{
	const size_t count = c->part_count + 1;
	uint64_t offset = sizeof(Elf64_Ehdr) + count * sizeof(Elf64_Phdr);
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = (uint16_t)c->arch->elf_machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)count,
	};
	const Elf64_Phdr note = {
		.p_type = PT_NOTE, .p_offset = offset, .p_filesz = notes_len, .p_align = 4
	};

	c->write(c->arg, &header, sizeof(header));
	c->write(c->arg, &note, sizeof(note));
	offset += notes_len;
	for (size_t i = 0; i < c->part_count; i++) {
		const struct core_part *part = &c->parts[i];
		const Elf64_Phdr load = { .p_type = PT_LOAD,
					  .p_flags = (part->readable ? PF_R : 0U) |
						     (part->writable ? PF_W : 0U) |
						     (part->executable ? PF_X : 0U),
					  .p_offset = offset,
					  .p_vaddr = part->addr,
					  .p_filesz = part->size,
					  .p_memsz = part->size,
					  .p_align = 1 };
		c->write(c->arg, &load, sizeof(load));
		offset += part->size;
	}
}

void core_write(const struct core_contents *c)
{
	struct note_buffer notes = make_notes(c);
	AUTO(xfree) uint8_t *chunk = xmalloc(CHUNK);

	write_headers(c, notes.len);
	c->write(c->arg, notes.bytes, notes.len);
	xfree(notes.bytes);
	for (size_t i = 0; i < c->part_count; i++) {
		const struct core_part *part = &c->parts[i];
		for (uint64_t done = 0, n; done < part->size; done += n) {
			n = part->size - done < CHUNK ? part->size - done : CHUNK;
			c->read(c->arg, part->addr + done, chunk, n);
			c->write(c->arg, chunk, n);
		}
	}
}
