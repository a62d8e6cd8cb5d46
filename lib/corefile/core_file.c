/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/corefile/core_priv.h"

static bool read_at(int fd, uint64_t offset, void *buf, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pread(fd, (uint8_t *)buf + done, len - done,
				  (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

bool core_file_read(const struct core_file *core, uint64_t offset, void *buf, size_t len)
{
	return read_at(core->fd, offset, buf, len);
}

bool core_segment_read(const struct core_file *core, const struct core_segment *segment,
		       uint64_t from, void *buf, size_t len)
{
	if (core->memory >= 0)
		return read_at(core->memory, segment->addr + from, buf, len);
	return read_at(core->fd, segment->offset + from, buf, len);
}

static bool refuse(const struct core_file *core, const char *why, struct err *err)
{
	return err_set(err, ERR_CANNOT, "%.200s %s", core->name, why);
}

static bool check_header(const struct core_file *core, const Elf64_Ehdr *header,
			 struct err *err)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(core, "is not a core file", err);
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return refuse(core, "is of a 32-bit process, which is not supported",
			      err);
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return refuse(core,
			      "is of a big-endian processor, which is not supported",
			      err);
	if (header->e_type != ET_CORE)
		return refuse(core, "is a program or library, not a core file", err);
	if (header->e_phentsize != sizeof(Elf64_Phdr))
		return refuse(core, "is damaged: its program headers have another size",
			      err);
	return true;
}

/* elf(5): if there are too many for e_phnum, section 0 has their number. */
static uint64_t segments_of(const struct core_file *core, const Elf64_Ehdr *header)
{
	Elf64_Shdr first;

	if (header->e_phnum != PN_XNUM)
		return header->e_phnum;
	return core_file_read(core, header->e_shoff, &first, sizeof(first))
		       ? first.sh_info
		       : 0;
}

static void add_segment(struct core_file *core, const Elf64_Phdr *p)
{
	const uint64_t left = p->p_offset < core->size ? core->size - p->p_offset : 0;
	uint64_t there = p->p_filesz < p->p_memsz ? p->p_filesz : p->p_memsz;

	if (!p->p_memsz || p->p_vaddr + p->p_memsz < p->p_vaddr)
		return;
	if (core->memory < 0 && there > left) {
		core->cut += there - left;
		there = left;
	}
	core->segments[core->segment_count++] = (struct core_segment){
		.addr = p->p_vaddr,
		.size = p->p_memsz,
		.offset = p->p_offset,
		.file_size = there,
		.readable = p->p_flags & PF_R,
		.writable = p->p_flags & PF_W,
		.executable = p->p_flags & PF_X,
		.dumped = p->p_filesz > 0,
	};
}

static void add_notes(struct core_file *core, const Elf64_Phdr *p)
{
	const uint64_t left = p->p_offset < core->size ? core->size - p->p_offset : 0;
	const uint64_t len = p->p_filesz < left ? p->p_filesz : left;

	core->cut += p->p_filesz - len;
	if (len > LIMIT_NOTE_BYTES - core->notes_len)
		return;
	core->notes = xreallocarray(core->notes, core->notes_len + len, 1);
	if (core_file_read(core, p->p_offset, core->notes + core->notes_len, len))
		core->notes_len += len;
}

static bool read_segments(struct core_file *core, const Elf64_Ehdr *header,
			  struct err *err)
{
	const uint64_t n = segments_of(core, header);
	const uint64_t bytes = n * sizeof(Elf64_Phdr);

	if (n > LIMIT_MAPPINGS)
		return refuse(core, "has too many segments", err);
	AUTO(xfree) Elf64_Phdr *all = xcalloc(n + 1, sizeof(*all));
	if (n == 0 || !core_file_read(core, header->e_phoff, all, bytes))
		return refuse(core, "ends before its program headers", err);
	core->segments = xcalloc(n, sizeof(*core->segments));
	for (uint64_t i = 0; i < n; i++) {
		if (all[i].p_type == PT_LOAD)
			add_segment(core, &all[i]);
		else if (all[i].p_type == PT_NOTE)
			add_notes(core, &all[i]);
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct core_segment *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Of two that overlap, the lower one counts. */
static void drop_overlaps(struct core_file *core)
{
	size_t n = 0;

	qsort(core->segments, core->segment_count, sizeof(*core->segments), by_address);
	for (size_t i = 0; i < core->segment_count; i++) {
		const struct core_segment *s = &core->segments[i],
					  *last = n ? &core->segments[n - 1] : NULL;
		if (!last || last->addr + last->size <= s->addr)
			core->segments[n++] = *s;
	}
	core->segment_count = n;
}

static bool load(struct core_file *core, struct err *err)
{
	Elf64_Ehdr header;
	struct stat st;

	if (fstat(core->fd, &st) < 0)
		return err_sys(err, "cannot read %.200s", core->name);
	core->size = (uint64_t)st.st_size;
	if (core->size == 0)
		return refuse(core, "is empty", err);
	memset(&header, 0, sizeof(header));
	if (!core_file_read(core, 0, &header, sizeof(header)) &&
	    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
		return refuse(core, "ends within its first header", err);
	core->machine = header.e_machine;
	if (!check_header(core, &header, err) || !read_segments(core, &header, err))
		return false;
	drop_overlaps(core);
	return true;
}

struct core_file *core_file_open(int fd, int memory, const char *name, struct err *err)
{
	AUTO(core_file_close) struct core_file *core = xcalloc(1, sizeof(*core));

	core->fd = fd;
	core->memory = memory;
	core->name = xstrdup(name);
	return load(core, err) ? TAKE(core) : NULL;
}

void core_file_close(struct core_file *core)
{
	if (!core)
		return;
	close(core->fd);
	if (core->memory >= 0)
		close(core->memory);
	xfree(core->name);
	xfree(core->segments);
	xfree(core->notes);
	xfree(core);
}

size_t core_segment_from(const struct core_file *core, uint64_t addr)
{
	const struct core_segment *s = core->segments;

	return LOWER_BOUND(i, core->segment_count, s[i].addr + (s[i].size - 1) < addr);
}

const struct core_segment *core_segment_at(const struct core_file *core, uint64_t addr)
{
	size_t n = LOWER_BOUND(i, core->segment_count, core->segments[i].addr <= addr);

	if (!n || addr - core->segments[n - 1].addr >= core->segments[n - 1].size)
		return NULL;
	return &core->segments[n - 1];
}
