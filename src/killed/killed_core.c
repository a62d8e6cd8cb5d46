/* SPDX-License-Identifier: Apache-2.0 */
#include "src/killed/killed_core.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"
#include "lib/corefile/core_write.h"
#include "lib/procfs/process.h"
#include "lib/target/target.h"

enum {
	PARTS_MAX = PN_XNUM - 2,
	HEAD_BYTES = 2 * PAGE_BYTES, /* of a file: its build-id is there */
};
/* What is around a piece is mapped, too: Go's heap comes in arenas. */
#define HEAP_BEGIN UINT64_C(0xc000000000)
#define HEAP_END (HEAP_BEGIN + (UINT64_C(1) << 40))
#define ARENA_BYTES (UINT64_C(64) << 20)

struct piece {
	uint64_t addr, len;
	const uint8_t *bytes;
};

/* Being made. */
struct making {
	const struct killed_core *of;
	const uint8_t *bytes; /* the file of pieces */
	size_t len;
	struct piece *pieces; /* sorted, without overlaps */
	size_t piece_count, piece_cap;
	struct target_thread *threads;
	size_t thread_count, thread_cap;
	struct target_mapping *mappings;
	size_t mapping_count, mapping_cap;
	struct core_part *parts;
	size_t part_count;
	FILE *out;
	uint8_t head[HEAD_BYTES];
};

static uint64_t down(uint64_t addr, uint64_t unit)
{
	return addr - addr % unit;
}

static uint64_t up(uint64_t addr, uint64_t unit)
{
	return down(addr + unit - 1, unit);
}

static void add_thread(struct making *m, const struct kill_thread *from)
{
	struct user_regs_struct registers = { .fs_base = from->fs_base };

	_Static_assert(sizeof(from->registers) ==
			       offsetof(struct user_regs_struct, fs_base),
		       "the kernel's registers are the beginning of these");
	if (m->thread_count == LIMIT_THREADS)
		return;
	memcpy(&registers, from->registers, sizeof(from->registers));
	GROW(m->threads, m->thread_count, m->thread_cap);
	struct target_thread *t = &m->threads[m->thread_count++];
	*t = (struct target_thread){ .tid = (pid_t)from->tid,
				     .tid_inside = (pid_t)from->tid_inside,
				     .stopped = true };
	snprintf(t->name, sizeof(t->name), "%.*s", KILL_NAME, from->name);
	arch_regs_from(arch_amd64.prstatus, &arch_amd64, &registers, sizeof(registers),
		       &t->regs);
}

static void add_piece(struct making *m, const struct kill_memory *from, size_t len)
{
	if (from->addr + len < from->addr || len == 0)
		return;
	GROW(m->pieces, m->piece_count, m->piece_cap);
	m->pieces[m->piece_count++] =
		(struct piece){ from->addr, len, (const uint8_t *)(from + 1) };
}

static int by_address(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	return (x->len < y->len) - (x->len > y->len);
}

/* Where two overlap, both have the same bytes, since nothing ran any more: the rest of the second stays. */
static void sort_pieces(struct making *m)
{
	uint64_t end = 0;
	size_t n = 0;

	if (m->piece_count)
		qsort(m->pieces, m->piece_count, sizeof(*m->pieces), by_address);
	for (size_t i = 0; i < m->piece_count; i++) {
		struct piece p = m->pieces[i];
		const uint64_t cut = end > p.addr ? end - p.addr : 0;
		if (cut >= p.len)
			continue;
		p = (struct piece){ p.addr + cut, p.len - cut, p.bytes + cut };
		end = p.addr + p.len;
		m->pieces[n++] = p;
	}
	m->piece_count = n;
}

/* The process had it, too, if not in pages that the kernel could copy: this is the file that it ran. */
static void take_head(struct making *m)
{
	const struct goroutine_list *program = m->of->program;
	const ssize_t n = pread(m->of->file, m->head, HEAD_BYTES, 0);

	for (size_t i = 0; n > 0 && i < program->segment_count; i++) {
		const struct loaded_segment *s = &program->segments[i];
		if (s->offset || s->writable)
			continue;
		const uint64_t addr = s->addr + m->of->killed->end.bias;
		const uint64_t len =
			(uint64_t)n < s->file_size ? (uint64_t)n : s->file_size;
		if (addr > UINT64_MAX - HEAD_BYTES)
			return;
		GROW(m->pieces, m->piece_count, m->piece_cap);
		m->pieces[m->piece_count++] = (struct piece){ addr, len, m->head };
		return;
	}
}

static void take_records(struct making *m)
{
	uint64_t len;

	for (size_t at = 0; at + sizeof(len) <= m->len; at += up(len, WORD)) {
		memcpy(&len, m->bytes + at, sizeof(len));
		at += sizeof(len);
		if (len > m->len - at)
			break;
		const struct kill_record *record = (const void *)(m->bytes + at);
		if (record->kind == KILL_THREAD)
			add_thread(m, (const void *)record);
		else if (record->kind == KILL_MEMORY)
			add_piece(m, (const void *)record,
				  len - sizeof(struct kill_memory));
	}
	take_head(m);
	sort_pieces(m);
}

static void make_parts(struct making *m, uint64_t *ret_left_out)
{
	m->parts = xcalloc(m->piece_count + 1, sizeof(*m->parts));
	for (size_t i = 0; i < m->piece_count; i++) {
		const struct piece *p = &m->pieces[i];
		struct core_part *last =
			m->part_count ? &m->parts[m->part_count - 1] : NULL;
		if (last && last->addr + last->size == p->addr)
			last->size += p->len;
		else if (m->part_count < PARTS_MAX)
			m->parts[m->part_count++] =
				(struct core_part){ p->addr, p->len, .readable = true,
						    .writable = true };
		else
			++*ret_left_out;
	}
}

static struct target_mapping *add_mapping(struct making *m, uint64_t start, uint64_t end)
{
	GROW(m->mappings, m->mapping_count, m->mapping_cap);
	m->mappings[m->mapping_count] = (struct target_mapping){
		.start = start, .end = end, .readable = true, .path = xstrdup("")
	};
	return &m->mappings[m->mapping_count++];
}

static void map_segment(struct making *m, const struct loaded_segment *s)
{
	const uint64_t start = down(s->addr + m->of->killed->end.bias, PAGE_BYTES);
	const uint64_t addr = s->addr + m->of->killed->end.bias;
	const uint64_t filled =
		s->file_size ? up(addr + s->file_size, PAGE_BYTES) : start;
	const uint64_t end = up(addr + s->size, PAGE_BYTES);

	if (filled > start) {
		struct target_mapping *file = add_mapping(m, start, filled);
		file->offset = down(s->offset, PAGE_BYTES);
		file->inode = 1;
		file->writable = s->writable;
		file->executable = s->executable;
		xfree((char *)file->path);
		file->path = xstrdup(m->of->path);
	}
	if (end > filled)
		add_mapping(m, filled, end)->writable = s->writable;
}

/* Around [start, end), which the process had; not where its file is. */
static void map_around(struct making *m, uint64_t start, uint64_t end)
{
	const bool in_heap = start >= HEAP_BEGIN && end <= HEAP_END;
	const uint64_t unit = in_heap ? ARENA_BYTES : PAGE_BYTES;

	if (end > start && end <= UINT64_MAX - unit)
		add_mapping(m, down(start, unit), up(end, unit))->writable = true;
}

static int by_start(const void *a, const void *b)
{
	const struct target_mapping *x = a, *y = b;

	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	return (y->inode > x->inode) - (y->inode < x->inode);
}

/* Sorted, without overlaps: what touches is joined. */
static void join_mappings(struct making *m)
{
	size_t n = 0;

	qsort(m->mappings, m->mapping_count, sizeof(*m->mappings), by_start);
	for (size_t i = 0; i < m->mapping_count; i++) {
		struct target_mapping now = m->mappings[i],
				      *last = n ? &m->mappings[n - 1] : NULL;
		const bool joins = last && !last->inode && !now.inode && last->writable &&
				   now.writable && now.start <= last->end;
		if (joins && now.end > last->end)
			last->end = now.end;
		else if (last && now.start < last->end)
			now.start = last->end;
		if (joins || now.start >= now.end)
			xfree((char *)now.path);
		else
			m->mappings[n++] = now;
	}
	m->mapping_count = n;
}

static void make_mappings(struct making *m)
{
	const struct kill_end *end = &m->of->killed->end;

	for (size_t i = 0; i < m->of->program->segment_count; i++)
		map_segment(m, &m->of->program->segments[i]);
	for (size_t i = 0; i < m->part_count; i++)
		map_around(m, m->parts[i].addr, m->parts[i].addr + m->parts[i].size);
	if (end->array_bytes <= LIMIT_GOROUTINES * 4 * WORD)
		map_around(m, end->array, end->array + end->array_bytes);
	join_mappings(m);
}

static uint64_t same_reg(void *arg, unsigned n, uint64_t value)
{
	(void)arg, (void)n;
	return value;
}

static const char *same_path(void *arg, const struct target_mapping *mapping)
{
	(void)arg;
	return mapping->path;
}

/* A part is pieces that follow each other. */
static void read_part(void *arg, uint64_t addr, void *buf, size_t len)
{
	const struct making *m = arg;
	const struct piece *all = m->pieces;
	size_t at = LOWER_BOUND(i, m->piece_count, all[i].addr + all[i].len <= addr);

	for (size_t done = 0; done < len && at < m->piece_count; at++) {
		const uint64_t from = addr + done - all[at].addr;
		const uint64_t left = all[at].len - from;
		const size_t n = left < len - done ? left : len - done;
		memcpy((uint8_t *)buf + done, all[at].bytes + from, n);
		done += n;
	}
}

static void write_out(void *arg, const void *bytes, size_t len)
{
	struct making *m = arg;

	fwrite(bytes, len, 1, m->out);
}

static bool read_nothing(void *self, uint64_t addr, void *buf, size_t len,
			 struct err *err)
{
	(void)self, (void)buf, (void)len;
	return err_set(err, ERR_FAULT, "nothing is at 0x%llx", (unsigned long long)addr);
}

static void close_nothing(void *self)
{
	(void)self;
}

static const struct target_ops lists_only = { .name = "killed",
					      .read = read_nothing,
					      .close = close_nothing };

static siginfo_t signal_of(const struct kill_end *end)
{
	siginfo_t info = { .si_signo = SIGKILL,
			   .si_code = end->by_kernel ? SI_KERNEL : SI_USER };

	if (!end->by_kernel) {
		info.si_pid = (pid_t)end->sender;
		info.si_uid = end->sender_uid;
	}
	return info;
}

static size_t auxv_pairs(const struct kill_end *end)
{
	size_t n = 0;

	while (n < KILL_AUXV / 2 && end->auxv[2 * n] != AT_NULL)
		n++;
	return n;
}

static void write_core(struct making *m)
{
	const struct kill_end *end = &m->of->killed->end;
	const siginfo_t signal = signal_of(end);
	char name[KILL_NAME + 1] = "";
	struct process process = { .pid = (pid_t)end->record.pid,
				   .ns_pid = (pid_t)end->pid_inside,
				   .ppid = (pid_t)end->parent,
				   .uid = end->uid,
				   .gid = end->gid,
				   .comm = name };
	AUTO(target_close)
	struct target *lists = target_new(&lists_only, NULL, process.pid, &arch_amd64);
	const uint64_t now = monotonic_ns();

	memcpy(name, end->name, KILL_NAME);
	target_set_threads(lists, m->threads, m->thread_count);
	target_set_mappings(lists, m->mappings, m->mapping_count);
	uint64_t auxv[KILL_AUXV];
	memcpy(auxv, end->auxv, sizeof(auxv));
	target_set_auxv(lists, auxv, auxv_pairs(end));
	core_write(&(struct core_contents){
		.arch = &arch_amd64,
		.target = lists,
		.process = &process,
		.arguments = name,
		.signal = &signal,
		.realtime_ns = realtime_ns() - (now - end->at_ns),
		.monotonic_ns = end->at_ns,
		.reg = same_reg,
		.path = same_path,
		.parts = m->parts,
		.part_count = m->part_count,
		.read = read_part,
		.write = write_out,
		.arg = m,
	});
}

static int make(struct making *m, uint64_t *ret_left_out, struct err *err)
{
	const int file = memfd_create("gosnap-core", MFD_CLOEXEC);

	m->out = file < 0 ? NULL : fdopen(dup(file), "w");
	if (!m->out) {
		err_sys(err, "cannot allocate memory");
		return -1;
	}
	take_records(m);
	make_parts(m, ret_left_out);
	make_mappings(m);
	write_core(m);
	xfree(m->pieces);
	xfree(m->parts);
	if (fclose(m->out) == 0)
		return file;
	err_sys(err, "cannot allocate memory");
	close(file);
	return -1;
}

int killed_core_write(const struct killed_core *core, uint64_t *ret_left_out,
		      struct err *err)
{
	struct making m = { .of = core };
	struct stat st;

	*ret_left_out = core->killed->left_out;
	if (fstat(core->killed->pieces, &st) != 0 || st.st_size == 0) {
		err_set(err, ERR_NOT_FOUND, "nothing of it could be copied");
		return -1;
	}
	m.len = (size_t)st.st_size;
	void *bytes = mmap(NULL, m.len, PROT_READ, MAP_PRIVATE, core->killed->pieces, 0);
	if (bytes == MAP_FAILED) {
		err_sys(err, "cannot allocate memory");
		return -1;
	}
	m.bytes = bytes;
	const int file = make(&m, ret_left_out, err);
	munmap(bytes, m.len);
	return file;
}
