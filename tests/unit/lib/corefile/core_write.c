/* SPDX-License-Identifier: Apache-2.0 */
/* What core_write() writes, target_core_open() reads: the same process. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/corefile/core_process.h"
#include "lib/corefile/core_write.h"
#include "lib/corefile/target_core.h"
#include "tests/unit/lib/target_bytes.h"
#include "tests/unit/unit.h"

enum { CODE = 0x400000, DATA = 0x600000, PAGE = 4096, MASKED = 3 /* rbx */ };

static const uint8_t page[PAGE];

static struct target *make_process(void)
{
	const struct target_bytes_part parts[] = {
		{ CODE, page, PAGE, "/srv/shop", true },
		{ DATA, page, PAGE, NULL, false },
	};
	const uint64_t auxv[] = { AT_PHDR, CODE + 64, AT_ENTRY, CODE + 128 };
	struct target *t = target_bytes_new(parts, ARRAY_SIZE(parts));
	struct target_thread *threads = xcalloc(3, sizeof(*threads));

	for (int i = 0; i < 3; i++) {
		threads[i] = (struct target_thread){ .tid = 4711 + i,
						     .tid_inside = 7 + i,
						     .stopped = i != 2 };
		for (unsigned n = 0; n < arch_amd64.reg_count; n++)
			reg_set(&threads[i].regs, n, 100 * (unsigned)i + n);
		strcpy(threads[i].name, i ? "worker" : "shop");
	}
	threads[1].has_siginfo = true;
	threads[1].siginfo = (siginfo_t){ .si_signo = SIGSEGV };
	target_set_threads(t, threads, 3);
	target_set_auxv(t, auxv, 2);
	return t;
}

static uint64_t reg_value(void *arg, unsigned n, uint64_t value)
{
	(void)arg;
	return n == MASKED ? UINT64_MAX : value;
}

/* Each byte of memory is the lowest of its address. */
static void read_part(void *arg, uint64_t addr, void *buf, size_t len)
{
	(void)arg;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)buf)[i] = (uint8_t)(addr + i);
}

static const char *path_of(void *arg, const struct target_mapping *m)
{
	(void)arg;
	return m->path;
}

static void write_out(void *arg, const void *bytes, size_t len)
{
	assert_int_equal(write(*(const int *)arg, bytes, len), (ssize_t)len);
}

static struct target *write_and_open(const struct target *t)
{
	const struct core_part parts[] = {
		{ DATA + 8, 16, true, true, false },
		{ DATA + 64, 1000, true, true, false },
	};
	char comm[] = "shop", exe[] = "/srv/shop";
	const struct process process = { .pid = 4711,
					 .ns_pid = 7,
					 .ppid = 1,
					 .uid = 5,
					 .gid = 6,
					 .comm = comm,
					 .exe = exe };
	int fd = memfd_create("core", MFD_CLOEXEC);
	const struct core_contents contents = {
		.arch = &arch_amd64,
		.target = t,
		.process = &process,
		.arguments = "shop -v",
		.first_thread = 1,
		.realtime_ns = 12345,
		.monotonic_ns = 67890,
		.reg = reg_value,
		.path = path_of,
		.parts = parts,
		.part_count = ARRAY_SIZE(parts),
		.read = read_part,
		.write = write_out,
		.arg = &fd,
	};
	struct err err;

	core_write(&contents);
	struct target *core = target_core_open(fd, "core", &err);
	if (!core)
		fail_msg("%s", err.text);
	return core;
}

static void has_threads(void **state)
{
	AUTO(target_close) struct target *t = make_process();
	AUTO(target_close) struct target *core = write_and_open(t);
	size_t n;
	const struct target_thread *threads = target_threads(core, &n);
	(void)state;

	assert_int_equal(n, 2); /* one was not stopped */
	assert_int_equal(threads[0].tid, 8);
	assert_string_equal(threads[0].name, "worker");
	assert_true(threads[0].has_siginfo);
	assert_int_equal(threads[1].tid, 7);
	assert_string_equal(threads[1].name, "shop");
	assert_false(threads[1].has_siginfo);
	for (unsigned i = 0; i < arch_amd64.reg_count; i++) {
		assert_true(reg_known(&threads[0].regs, i));
		assert_true(threads[0].regs.value[i] ==
			    (i == MASKED ? UINT64_MAX : 100 + i));
	}
}

static void has_facts(void **state)
{
	AUTO(target_close) struct target *t = make_process();
	AUTO(target_close) struct target *core = write_and_open(t);
	const struct core_facts *facts = target_core_facts(core);
	uint64_t entry;
	(void)state;

	assert_int_equal(facts->pid, 7);
	assert_int_equal(facts->ppid, 1);
	assert_int_equal(facts->uid, 5);
	assert_string_equal(facts->name, "shop");
	assert_string_equal(facts->arguments, "shop -v");
	assert_true(facts->has_signal);
	assert_int_equal(facts->signal.si_signo, SIGSEGV);
	assert_int_equal(facts->realtime_ns, 12345);
	assert_int_equal(facts->monotonic_ns, 67890);
	assert_int_equal(facts->cut, 0);
	assert_true(target_auxv(core, AT_ENTRY, &entry));
	assert_int_equal(entry, CODE + 128);
}

static void has_mappings(void **state)
{
	AUTO(target_close) struct target *t = make_process();
	AUTO(target_close) struct target *core = write_and_open(t);
	size_t n, wanted;
	const struct target_mapping *m = target_mappings(core, &n),
				    *want = target_mappings(t, &wanted);
	(void)state;

	assert_int_equal(n, wanted);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(m[i].start, want[i].start);
		assert_int_equal(m[i].end, want[i].end);
		assert_int_equal(m[i].executable, want[i].executable);
		assert_int_equal(m[i].writable, want[i].writable);
		assert_string_equal(m[i].path, want[i].path);
	}
}

static void has_memory(void **state)
{
	AUTO(target_close) struct target *t = make_process();
	AUTO(target_close) struct target *core = write_and_open(t);
	uint8_t bytes[1000];
	struct err err;
	(void)state;

	assert_true(target_read(core, DATA + 8, bytes, 16, &err));
	assert_int_equal(bytes[15], 8 + 15);
	assert_true(target_read(core, DATA + 64, bytes, sizeof(bytes), &err));
	assert_int_equal(bytes[999], (64 + 999) % 256);
	/* There was memory, and there was none. */
	assert_false(target_read(core, DATA + 24, bytes, 1, &err));
	assert_true(err_is(&err, ERR_ABSENT));
	assert_false(target_read(core, DATA + PAGE, bytes, 1, &err));
	assert_true(err_is(&err, ERR_FAULT));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_threads),
		cmocka_unit_test(has_facts),
		cmocka_unit_test(has_mappings),
		cmocka_unit_test(has_memory),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
