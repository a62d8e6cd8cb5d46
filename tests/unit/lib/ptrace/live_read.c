/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/ptrace/target_live.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/ptrace/live_priv.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

enum { PAGE = 4096 };

static void holds_memory(struct subject_shared *shared)
{
	uint8_t *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 8 * PAGE; i++)
		p[i] = (uint8_t)(i / PAGE + 1);
	munmap(p + 3 * PAGE, PAGE);
	mprotect(p + 5 * PAGE, PAGE, PROT_NONE);
	shared->address = (uintptr_t)p;
	subject_ready();
	for (;;)
		pause();
}

static void test_read(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(holds_memory, &shared);
	uint64_t base = shared->address;
	uint8_t buf[8 * PAGE];
	struct err err;
	(void)state;
	AUTO(target_close) struct target *t = target_live_open(pid, &err);
	assert_true(target_read(t, base + 10, buf, 2 * PAGE, &err));
	assert_int_equal(buf[0], 1);
	assert_int_equal(buf[2 * PAGE - 1], 3);
	char where[64];
	snprintf(where, sizeof(where), "0x%llx", (unsigned long long)base + 3 * PAGE);
	assert_false(target_read(t, base + 10, buf, 4 * PAGE, &err));
	assert_int_equal(err.code, ERR_FAULT);
	assert_non_null(strstr(err.text, where));
	assert_false(target_read(t, UINT64_MAX - 3, buf, 8, &err));
	assert_false(target_read(t, 0xffff800000000000, buf, 8, &err));
	assert_int_equal(err.code, ERR_FAULT);
	/* One bad page costs its own span and no other. */
	struct target_span spans[8 * 400];
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++)
		spans[i] = (struct target_span){ base + i % 8 * PAGE + i, &buf[i % 8], 1,
						 false };
	target_read_many(t, spans, ARRAY_SIZE(spans));
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++) {
		bool bad = i % 8 == 3 || i % 8 == 5;
		assert_int_equal(spans[i].done, !bad);
		if (!bad)
			assert_int_equal(buf[i % 8], i % 8 + 1);
	}
	subject_end(pid, shared);
}

/* Only a new look for a thread can find that of another process, which is put in its place. */
static void test_read_dead(void **state)
{
	struct subject_shared *shared, *other_shared;
	pid_t pid = subject_start(holds_memory, &shared);
	pid_t other = subject_start(holds_memory, &other_shared);
	uint64_t base = other_shared->address;
	char path[32];
	siginfo_t info;
	struct err err;
	uint8_t byte;
	(void)state;
	AUTO(target_close) struct target *t = target_live_open(pid, &err);
	struct live *l = target_self(t, &live_ops);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_true(target_live_gone(t));
	assert_int_equal(l->dead_until, 0);
	assert_false(target_read(t, base, &byte, 1, &err));
	assert_int_equal(err.code, ERR_GONE);
	assert_int_not_equal(l->dead_until, 0);
	snprintf(path, sizeof(path), "/proc/%d", other);
	int fd = open(path, O_PATH | O_DIRECTORY);
	assert_int_equal(dup2(fd, l->proc_fd), l->proc_fd);
	close(fd);
	l->dead_until = UINT64_MAX;
	assert_false(target_read(t, base, &byte, 1, &err));
	assert_int_equal(err.code, ERR_GONE);
	l->dead_until = 1;
	assert_true(target_read(t, base, &byte, 1, &err));
	assert_int_equal(byte, 1);
	subject_end(pid, shared);
	subject_end(other, other_shared);
}

static void maps_oddly_named(struct subject_shared *shared)
{
	int fd = memfd_create("two\nlines and spaces", 0);

	if (ftruncate(fd, PAGE))
		_exit(1);
	shared->address = (uintptr_t)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	subject_ready();
	for (;;)
		pause();
}

static void test_mappings(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(maps_oddly_named, &shared);
	struct err err;
	size_t n;
	(void)state;
	AUTO(target_close) struct target *t = target_live_open(pid, &err);
	const struct target_mapping *m = target_mapping_at(t, shared->address + 5);
	assert_non_null(m);
	assert_string_equal(m->path, "/memfd:two\nlines and spaces (deleted)");
	assert_true(m->readable && !m->writable && !m->executable && m->shared);
	assert_int_equal(m->end - m->start, PAGE);
	m = target_mapping_at(t, (uintptr_t)&test_mappings);
	assert_true(m && m->executable && !m->shared && m->inode);
	assert_null(target_mapping_at(t, 0));
	const struct target_mapping *all = target_mappings(t, &n);
	for (size_t i = 1; i < n; i++)
		assert_true(all[i - 1].end <= all[i].start);
	subject_end(pid, shared);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_dead),
		cmocka_unit_test(test_mappings),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
