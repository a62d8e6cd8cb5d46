/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/procfs/conditions_priv.h"
#include "lib/procfs/proc_file.h"

enum {
	SMALL_FILE = 65536,
	/* 4 MB: enough pages to exceed the fixed cost of a fork, 30 to 50 us. */
	PRICE_PAGES = 1024,
	PRICE_ROUNDS = 3,
	PRICE_LEAST = 20, /* less is an error: 33 was measured for pages copied before */
};

static bool has_close_range(void)
{
	/* On the highest possible descriptor, which does not exist. */
	return syscall(SYS_close_range, ~0u, ~0u, 0) == 0 || errno != ENOSYS;
}

static bool has_process_vm_readv(void)
{
	char from = 0, to;
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

static void probe_pagemap(struct kernel_features *ret)
{
	uint64_t here = (uintptr_t)ret, entry;
	struct page page;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	ret->pagemap = pread(fd, &entry, sizeof(entry),
			     (off_t)(here / PAGE_BYTES * sizeof(entry))) == sizeof(entry);
	ret->pagemap_scan = page_scan(fd, here, (here | (PAGE_BYTES - 1)) + 1, &page);
	close(fd);
}

void kernel_features_probe(struct kernel_features *ret)
{
	struct utsname name;

	*ret = (struct kernel_features){ .close_range = has_close_range() };
	if (uname(&name) == 0)
		snprintf(ret->release, sizeof(ret->release), "%s", name.release);
	ret->process_vm_readv = has_process_vm_readv();
	probe_pagemap(ret);
}

bool in_first_user_namespace(const char *uid_map)
{
	unsigned inside, outside, count;

	return uid_map && sscanf(uid_map, "%u %u %u", &inside, &outside, &count) == 3 &&
	       inside == 0 && outside == 0 && count == UINT32_MAX;
}

void our_rights_read(struct our_rights *ret)
{
	AUTO(xfree) char *status = slurp("/proc/self/status", SMALL_FILE, NULL);
	AUTO(xfree) char *uid_map = slurp("/proc/self/uid_map", SMALL_FILE, NULL);
	struct rlimit priority = { 0, 0 };
	uint64_t set = proc_number(status, "CapEff", 16);
	bool first = in_first_user_namespace(uid_map);

	getrlimit(RLIMIT_RTPRIO, &priority);
	*ret = (struct our_rights){
		.uid = getuid(),
		.ptrace = has_capability(set, CAP_SYS_PTRACE),
		.admin = first && has_capability(set, CAP_SYS_ADMIN),
		.resource = first && has_capability(set, CAP_SYS_RESOURCE),
		.realtime = (first && has_capability(set, CAP_SYS_NICE)) ||
			    priority.rlim_cur > 0,
		.seccomp = proc_number(status, "Seccomp", 10) != 0,
	};
}

static uint64_t number_in(const char *path)
{
	AUTO(xfree) char *text = slurp(path, SMALL_FILE, NULL);

	return text ? strtoull(text, NULL, 10) : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void machine_read(struct host_resources *ret)
{
	AUTO(xfree) char *memory = slurp("/proc/meminfo", SMALL_FILE, NULL);
	AUTO(xfree) char *load = slurp("/proc/loadavg", SMALL_FILE, NULL);
	const char *tasks =
		load ? strchr(load, '/') : NULL; /* "0.4 1.9 2.2 2/86 31059" */

	*ret = (struct host_resources){
		.memory_available = proc_number(memory, "MemAvailable", 10) * 1024,
		.commit_limit = proc_number(memory, "CommitLimit", 10) * 1024,
		.committed = proc_number(memory, "Committed_AS", 10) * 1024,
		.overcommit = (int)number_in("/proc/sys/vm/overcommit_memory"),
		.tasks = tasks ? strtoull(tasks + 1, NULL, 10) : 0,
		.tasks_max = smaller(number_in("/proc/sys/kernel/threads-max"),
				     number_in("/proc/sys/kernel/pid_max")),
	};
}

/* CPU time for the kernel to make a copy of us, which exits at once. 0: it refused. */
static uint64_t fork_ns(void)
{
	uint64_t before = processor_ns();
	/* Not fork(), so that no atfork handlers run. */
	long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		syscall(SYS_exit_group, 0);
	uint64_t took = processor_ns() - before;
	if (child < 0)
		return 0;
	while (waitpid((pid_t)child, NULL, 0) < 0 && errno == EINTR)
		continue;
	return took;
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Uses new pages each time: pages copied before cost a third. 0: not measured. */
static uint64_t fresh_fork_ns(void)
{
	size_t size = (size_t)PRICE_PAGES * PAGE_BYTES;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 0;
	madvise(pages, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += PAGE_BYTES)
		*(volatile char *)(pages + at) = 1;
	uint64_t took = fork_ns();
	munmap(pages, size);
	return took;
}

uint64_t conditions_price(void)
{
	uint64_t bare[PRICE_ROUNDS], full[PRICE_ROUNDS];

	for (size_t i = 0; i < PRICE_ROUNDS; i++) {
		bare[i] = fork_ns();
		full[i] = fresh_fork_ns();
		if (!bare[i] || !full[i])
			return 0;
	}
	uint64_t less = median(bare[0], bare[1], bare[2]);
	uint64_t more = median(full[0], full[1], full[2]);
	uint64_t page = more > less ? (more - less) / PRICE_PAGES : 0;
	return page > PRICE_LEAST ? page : PRICE_LEAST;
}

bool conditions_may_trace(void)
{
	pid_t us = getpid();
	long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0) {
		/* It exits when we do. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (syscall(SYS_getppid) == us)
			syscall(SYS_pause);
		syscall(SYS_exit_group, 0);
	}
	if (child < 0)
		return true; /* unknown, but unrelated to tracing */
	bool may = ptrace(PTRACE_SEIZE, (pid_t)child, NULL, NULL) == 0;
	kill((pid_t)child, SIGKILL);
	while (waitpid((pid_t)child, NULL, 0) < 0 && errno == EINTR)
		continue;
	return may;
}
