/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/corefile/core_process.h"
#include "lib/corefile/target_core.h"
#include "tests/unit/unit.h"

enum {
	PRSTATUS = 336, /* bytes of notes, on amd64 */
	PRPSINFO = 136,
	DATA = 0x1000, /* offset of what was dumped */
	PAGE = 4096,
};

/* A core that is being written. */
struct writing {
	Elf64_Ehdr header;
	Elf64_Phdr segments[8];
	uint8_t notes[4096];
	size_t notes_len, data_len;
};

static struct writing begin(void)
{
	struct writing w = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
						      ELFDATA2LSB, EV_CURRENT },
					 .e_type = ET_CORE,
					 .e_machine = EM_X86_64,
					 .e_version = EV_CURRENT,
					 .e_phoff = sizeof(Elf64_Ehdr),
					 .e_ehsize = sizeof(Elf64_Ehdr),
					 .e_phentsize = sizeof(Elf64_Phdr) } };
	return w;
}

static void add_note(struct writing *w, const char *name, uint32_t type,
		     const void *bytes, size_t len)
{
	const size_t name_len = *name ? strlen(name) + 1 : 0;
	Elf64_Nhdr head = { (uint32_t)name_len, (uint32_t)len, type };
	memcpy(w->notes + w->notes_len, &head, sizeof(head));
	w->notes_len += sizeof(head);
	memcpy(w->notes + w->notes_len, name, name_len);
	w->notes_len += (name_len + 3) & ~3UL;
	memcpy(w->notes + w->notes_len, bytes, len);
	w->notes_len += (len + 3) & ~3UL;
}

static void add_thread(struct writing *w, const char *name, pid_t tid, uint64_t sp)
{
	enum { TID = 32, RSP = 112 + 19 * 8 };
	uint8_t status[PRSTATUS] = { 0 };
	memcpy(status + TID, &tid, sizeof(tid));
	memcpy(status + RSP, &sp, sizeof(sp));
	add_note(w, name, NT_PRSTATUS, status, sizeof(status));
}

static void add_segment(struct writing *w, uint64_t addr, uint64_t size, uint64_t dumped,
			uint32_t flags)
{
	w->segments[w->header.e_phnum++] = (Elf64_Phdr){ .p_type = PT_LOAD,
							 .p_flags = flags,
							 .p_offset = DATA + w->data_len,
							 .p_vaddr = addr,
							 .p_filesz = dumped,
							 .p_memsz = size };
	w->data_len += dumped;
}

/* Dumped bytes have the number of their page in the file. */
static int finish(struct writing *w)
{
	static uint8_t file[64 << 10];
	int fd = memfd_create("core", MFD_CLOEXEC);
	const size_t notes_at = DATA + w->data_len;
	memset(file, 0, sizeof(file));
	w->segments[w->header.e_phnum++] = (Elf64_Phdr){ .p_type = PT_NOTE,
							 .p_offset = notes_at,
							 .p_filesz = w->notes_len };
	for (size_t at = 0; at < w->data_len; at++)
		file[DATA + at] = (uint8_t)(1 + at / PAGE);
	memcpy(file, &w->header, sizeof(w->header));
	memcpy(file + sizeof(w->header), w->segments, sizeof(w->segments));
	memcpy(file + notes_at, w->notes, w->notes_len);
	assert_int_equal(write(fd, file, notes_at + w->notes_len),
			 notes_at + w->notes_len);
	return fd;
}

static struct target *opened(struct writing *w)
{
	struct err err = { .code = ERR_NONE };
	struct target *t = target_core_open(finish(w), "core", &err);
	assert_string_equal(t ? "" : err.text, "");
	return t;
}

static void assert_refused(struct writing *w, const char *sentence)
{
	struct err err = { .code = ERR_NONE };
	assert_null(target_core_open(finish(w), "core", &err));
	assert_string_equal(err.text, sentence);
}

static void assert_page(struct target *t, uint64_t addr, int page)
{
	struct err err;
	uint64_t value;
	assert_true(target_read_uint(t, addr, 1, &value, &err));
	assert_int_equal(value, page);
}

static void assert_none(struct target *t, uint64_t addr, enum err_code code)
{
	struct err err;
	uint64_t value;
	assert_false(target_read_uint(t, addr, 1, &value, &err));
	assert_int_equal(err.code, code);
}

static void test_memory(void **state)
{
	struct writing w = begin();
	(void)state;
	/* Neither sorted nor aligned; one runs on in the next. */
	add_segment(&w, 0x20000, PAGE, PAGE, PF_R | PF_W);
	add_segment(&w, 0x10000, PAGE, PAGE, PF_R | PF_W);
	add_segment(&w, 0x11000, 2 * PAGE, PAGE, PF_R | PF_W);
	add_segment(&w, 0x30000, PAGE, 0, PF_R);
	w.segments[1].p_align = 0;
	AUTO(target_close) struct target *t = opened(&w);
	uint16_t both;
	struct err err;
	assert_page(t, 0x20000, 1);
	assert_page(t, 0x10000, 2);
	assert_true(target_read(t, 0x10fff, &both, sizeof(both), &err));
	assert_int_equal(both, 0x0302);
	assert_none(t, 0x12000, ERR_ABSENT);
	assert_none(t, 0x13000, ERR_FAULT);
	assert_none(t, 0x30000, ERR_FAULT); /* address space, not memory */
}

static size_t half_page(void *arg, uint64_t addr, void *buf, size_t len)
{
	const uint64_t left = 0x40000 + PAGE / 2 - addr;
	(void)arg;
	if (addr < 0x40000 || addr >= 0x40000 + PAGE / 2)
		return 0;
	len = left < len ? left : len;
	memset(buf, 9, len);
	return len;
}

static void test_files(void **state)
{
	struct writing w = begin();
	const uint64_t list[] = { 1, PAGE, 0x40000, 0x41000, 2 };
	char files[sizeof(list) + 8];
	(void)state;
	memcpy(files, list, sizeof(list));
	memcpy(files + sizeof(list), "/bin/x", 7);
	add_segment(&w, 0x10000, PAGE, PAGE, PF_R | PF_W);
	add_note(&w, "CORE", NT_FILE, files, sizeof(list) + 7);
	AUTO(target_close) struct target *t = opened(&w);
	const struct target_mapping *m = target_mapping_at(t, 0x40000);
	uint8_t page[PAGE];
	struct err err;
	assert_non_null(m);
	assert_string_equal(m->path, "/bin/x");
	assert_int_equal(m->offset, 2 * PAGE);
	assert_none(t, 0x40000, ERR_ABSENT);
	target_core_use_files(t, half_page, NULL);
	assert_true(target_read(t, 0x40000, page, sizeof(page), &err));
	assert_int_equal(page[PAGE / 2 - 1], 9);
	assert_int_equal(page[PAGE / 2], 0);
	assert_none(t, 0x50000, ERR_FAULT);
}

static void test_threads(void **state)
{
	struct writing w = begin();
	size_t n;
	(void)state;
	add_thread(&w, "CORE", 7, 0x1234);
	add_thread(&w, "", 8, 0x5678); /* as Delve names it */
	AUTO(target_close) struct target *t = opened(&w);
	const struct target_thread *threads = target_threads(t, &n);
	assert_int_equal(n, 2);
	assert_int_equal(threads[0].tid, 7);
	assert_int_equal(threads[1].tid_inside, 8);
	assert_int_equal(threads[1].regs.value[target_arch(t)->sp], 0x5678);
	assert_int_equal(target_pid(t), 7);
	add_thread(&w, "CORE", 7, 0);
	w.header.e_phnum = 0;
	assert_refused(&w, "core is damaged: two threads have the id 7");
}

static void test_process(void **state)
{
	enum { PID = 24, NAME = 40 };
	struct writing w = begin();
	uint8_t info[PRPSINFO] = { 0 };
	const pid_t ids[] = { 40, 30 };
	(void)state;
	memcpy(info + PID, ids, sizeof(ids));
	memcpy(info + NAME, "shop", 5);
	add_note(&w, "CORE", NT_PRPSINFO, info, sizeof(info));
	AUTO(target_close) struct target *t = opened(&w);
	AUTO(process_free) struct process *p = core_process(t);
	assert_int_equal(p->pid, 40);
	assert_int_equal(p->ppid, 30);
	assert_string_equal(p->comm, "shop");
	assert_int_equal(target_core_facts(t)->thread, -1);
}

static void test_refusals(void **state)
{
	struct writing w = begin();
	(void)state;
	w.header.e_machine = EM_AARCH64;
	assert_refused(&w,
		       "core is of a processor (ELF machine 183) that is not supported "
		       "yet: only cores of amd64 are");
	w = begin();
	w.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_refused(&w, "core is of a 32-bit process, which is not supported");
	w = begin();
	w.header.e_type = ET_EXEC;
	assert_refused(&w, "core is a program or library, not a core file");
	w = begin();
	w.header.e_phoff = 1 << 30;
	assert_refused(&w, "core ends before its program headers");
}

/* elf(5): more segments than e_phnum can count. */
static void test_many_segments(void **state)
{
	enum { MANY = PN_XNUM + 5 };
	const Elf64_Shdr first = { .sh_info = MANY };
	Elf64_Ehdr header = begin().header;
	Elf64_Phdr *all = xcalloc(MANY, sizeof(*all));
	struct err err = { .code = ERR_NONE };
	size_t n;
	(void)state;
	for (size_t i = 0; i < MANY; i++)
		all[i] = (Elf64_Phdr){ .p_type = PT_LOAD,
				       .p_flags = PF_R | PF_W,
				       .p_vaddr = (i + 1) * 2 * PAGE,
				       .p_memsz = PAGE };
	header.e_phnum = PN_XNUM;
	header.e_shoff = sizeof(header);
	header.e_phoff = sizeof(header) + sizeof(first);
	int fd = memfd_create("core", MFD_CLOEXEC);
	assert_true(write_fully(fd, &header, sizeof(header)) &&
		    write_fully(fd, &first, sizeof(first)) &&
		    write_fully(fd, all, MANY * sizeof(*all)));
	xfree(all);
	AUTO(target_close) struct target *t = target_core_open(fd, "core", &err);
	assert_non_null(t);
	target_mappings(t, &n);
	assert_int_equal(n, MANY);
}

static void test_overlaps(void **state)
{
	struct writing w = begin();
	size_t n;
	(void)state;
	add_segment(&w, 0x10000, 3 * PAGE, PAGE, PF_R | PF_W);
	add_segment(&w, 0x11000, PAGE, PAGE, PF_R | PF_W);
	add_segment(&w, UINT64_MAX - PAGE, 2 * PAGE, PAGE, PF_R | PF_W);
	AUTO(target_close) struct target *t = opened(&w);
	target_mappings(t, &n);
	assert_int_equal(n, 1);
	assert_none(t, 0x11000, ERR_ABSENT);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),	 cmocka_unit_test(test_files),
		cmocka_unit_test(test_threads),	 cmocka_unit_test(test_process),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_many_segments),
		cmocka_unit_test(test_overlaps),
	};
	return unit_run(argc, argv, tests, NULL, NULL);
}
