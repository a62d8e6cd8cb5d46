/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/corefile/target_core.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/corefile/core_priv.h"

struct core {
	struct core_file *file;
	struct core_notes notes;
	core_constant_fn *constant; /* NULL: no files */
	void *constant_arg;
};

static const struct core_mapped_file *file_at(const struct core_notes *notes,
					      uint64_t addr)
{
	size_t n = LOWER_BOUND(i, notes->file_count, notes->files[i].start <= addr);

	return n && addr < notes->files[n - 1].end ? &notes->files[n - 1] : NULL;
}

/* Address space that nobody can read: gcore calls it readable, too. */
static bool is_reserved(const struct core *c, const struct core_segment *s)
{
	return !s->dumped && !s->writable && !file_at(&c->notes, s->addr);
}

/* Was there memory that could be read? */
static bool was_readable(const struct core *c, const struct core_segment *s,
			 uint64_t addr)
{
	const struct core_notes *notes = &c->notes;
	const size_t n =
		LOWER_BOUND(i, notes->mapping_count, notes->mappings[i].start <= addr);

	if (notes->mappings)
		return n && addr < notes->mappings[n - 1].end &&
		       notes->mappings[n - 1].readable;
	return s ? !is_reserved(c, s) : file_at(notes, addr) != NULL;
}

/* From a file. Of its last page, what follows the file's bytes is zero for whoever asks. */
static size_t read_constant(const struct core *c, uint64_t addr, void *buf, size_t len)
{
	size_t n = c->constant ? c->constant(c->constant_arg, addr, buf, len) : 0;
	const size_t page = PAGE_BYTES - (addr + n) % PAGE_BYTES;

	if (n == 0 || n == len || page == PAGE_BYTES)
		return n;
	const size_t zeros = len - n < page ? len - n : page;
	memset((char *)buf + n, 0, zeros);
	return n + zeros;
}

static size_t read_dumped(const struct core *c, const struct core_segment *s,
			  uint64_t from, void *buf, size_t len)
{
	if (s->file_size - from < len)
		len = s->file_size - from;
	return core_segment_read(c->file, s, from, buf, len) ? len : 0;
}

/* From addr on, as much as is in one place, at most len. 0: err says why nothing is. */
static size_t read_part(const struct core *c, uint64_t addr, void *buf, size_t len,
			struct err *err)
{
	const struct core_segment *s = core_segment_at(c->file, addr);
	const uint64_t from = s ? addr - s->addr : 0;
	size_t n;

	if (s && from < s->file_size) {
		n = read_dumped(c, s, from, buf, len);
	} else {
		if (s && s->size - from < len)
			len = s->size - from;
		n = read_constant(c, addr, buf, len);
	}
	if (n)
		return n;
	if (!was_readable(c, s, addr))
		err_set(err, ERR_FAULT, "no readable memory at 0x%" PRIx64, addr);
	else
		err_set(err, ERR_ABSENT, "not in the core");
	return 0;
}

static bool read_core(void *self, uint64_t addr, void *buf, size_t len, struct err *err)
{
	for (size_t done = 0; done < len;) {
		size_t n =
			read_part(self, addr + done, (char *)buf + done, len - done, err);
		if (!n)
			return false;
		done += n;
	}
	return true;
}

static void close_core(void *self)
{
	struct core *c = self;

	core_notes_free(&c->notes);
	core_file_close(c->file);
	xfree(c);
}

static const struct target_ops core_ops = {
	.name = "core",
	.read = read_core,
	.close = close_core,
};

/* As /proc/PID/maps calls what is no file. */
static const char *special_name(const struct target *t, uint64_t start, uint64_t end)
{
	uint64_t at;

	if (target_auxv(t, AT_SYSINFO_EHDR, &at) && at == start)
		return "[vdso]";
	if (target_auxv(t, AT_RANDOM, &at) && at >= start && at < end)
		return "[stack]";
	return "";
}

static void name(const struct target *t, const struct core_mapped_file *f,
		 struct target_mapping *m)
{
	m->path = xstrdup(f ? f->path : special_name(t, m->start, m->end));
	m->inode = f != NULL; /* any number: the path is what identifies it */
	m->offset = f ? f->offset + (m->start - f->start) : 0;
}

/* A file that no segment has: it was left out, as code and constants are. */
static bool is_left_out(const struct core_file *core, const struct core_mapped_file *f)
{
	const size_t n = core_segment_from(core, f->start);

	return n == core->segment_count || core->segments[n].addr >= f->end;
}

/* Of a file that is only partly in segments, those have its code. */
static bool has_code(const struct target_mapping *all, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].executable && all[i].inode && strcmp(all[i].path, path) == 0)
			return true;
	return false;
}

/* Of a core that says what was mapped. */
static void copy_mappings(struct target *t, const struct core_notes *notes)
{
	const size_t n = notes->mapping_count;
	struct target_mapping *all = xcalloc(n + 1, sizeof(*all));

	for (size_t i = 0; i < n; i++) {
		all[i] = notes->mappings[i];
		all[i].path = xstrdup(all[i].path);
	}
	target_set_mappings(t, all, n);
}

static void set_mappings(struct target *t, const struct core *c)
{
	const struct core_file *core = c->file;
	const struct core_notes *notes = &c->notes;
	size_t n = 0, segments;
	struct target_mapping *all =
		xcalloc(core->segment_count + notes->file_count + 1, sizeof(*all));

	for (size_t i = 0; i < core->segment_count; i++) {
		const struct core_segment *s = &core->segments[i];
		all[n] = (struct target_mapping){
			.start = s->addr,
			.end = s->addr + s->size,
			.readable = s->readable && !is_reserved(c, s),
			.writable = s->writable,
			.executable = s->executable,
		};
		name(t, file_at(notes, s->addr), &all[n++]);
	}
	segments = n;
	for (size_t i = 0; i < notes->file_count; i++) {
		const struct core_mapped_file *f = &notes->files[i];
		if (!is_left_out(core, f))
			continue;
		all[n] = (struct target_mapping){ .start = f->start,
						  .end = f->end,
						  .readable = true,
						  .executable = !has_code(all, segments,
									  f->path) };
		name(t, f, &all[n++]);
	}
	target_set_mappings(t, all, n);
}

static struct target *make(struct core *c, const struct arch *arch)
{
	struct core_notes *notes = &c->notes;
	pid_t pid = notes->facts.has_process ? notes->facts.pid
		    : notes->thread_count    ? notes->threads[0].tid
					     : 0;
	struct target *t = target_new(&core_ops, c, pid, arch);

	target_set_auxv(t, &notes->auxv[0][0], notes->auxv_count);
	if (notes->mappings)
		copy_mappings(t, notes);
	else
		set_mappings(t, c);
	target_set_threads(t, TAKE(notes->threads), notes->thread_count);
	return t;
}

struct target *target_core_open(int fd, const char *path, struct err *err)
{
	return target_core_open_dying(fd, -1, path, err);
}

struct target *target_core_open_dying(int fd, int memory, const char *path,
				      struct err *err)
{
	AUTO(core_file_close)
	struct core_file *file = core_file_open(fd, memory, path, err);

	if (!file)
		return NULL;
	const struct arch *arch = arch_find(file->machine);
	if (!arch) {
		err_set(err, ERR_UNSUPPORTED,
			"%.200s is of a processor (ELF machine %d) that is not "
			"supported yet: only cores of amd64 are",
			path, file->machine);
		return NULL;
	}
	struct core *c = xcalloc(1, sizeof(*c));
	if (!core_notes_read(file, arch, &c->notes, err)) {
		core_notes_free(&c->notes);
		xfree(c);
		return NULL;
	}
	c->file = TAKE(file);
	return make(c, arch);
}

const struct core_facts *target_core_facts(const struct target *t)
{
	const struct core *c = target_self(t, &core_ops);

	return c ? &c->notes.facts : NULL;
}

bool target_core_find_dumped(const struct target *t, uint64_t addr, uint64_t end,
			     uint64_t *ret_from, uint64_t *ret_to)
{
	const struct core *c = target_self(t, &core_ops);
	const struct core_file *file = c->file;

	for (size_t i = core_segment_from(file, addr); i < file->segment_count; i++) {
		const struct core_segment *s = &file->segments[i];
		if (s->addr >= end)
			return false;
		if (s->addr + s->file_size <= addr)
			continue;
		*ret_from = s->addr > addr ? s->addr : addr;
		*ret_to = s->addr + s->file_size < end ? s->addr + s->file_size : end;
		return true;
	}
	return false;
}

void target_core_use_files(struct target *t, core_constant_fn *fn, void *arg)
{
	struct core *c = target_self(t, &core_ops);

	c->constant = fn;
	c->constant_arg = arg;
}
