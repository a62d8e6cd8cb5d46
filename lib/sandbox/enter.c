/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "lib/base/ere.h"
#include "lib/base/limit.h"
#include "lib/base/thread.h"
#include "lib/procfs/proc_file.h"
#include "lib/sandbox/broker_priv.h"
#include "lib/sandbox/sandbox_priv.h"

/* For tests: GOSNAP_SANDBOX_MEMORY=BYTES, GOSNAP_SANDBOX_CPU=SECONDS. */
uint64_t switched(const char *name, uint64_t usual)
{
#ifdef GOSNAP_FAULTS
	if (getenv(name))
		return strtoull(getenv(name), NULL, 10);
#else
	(void)name;
#endif
	return usual;
}

/* No name of a layer is part of another. */
bool has_layer(const char *variable, const char *layer)
{
#ifdef GOSNAP_FAULTS
	const char *without = getenv(variable);

	return !without || !strstr(without, layer);
#else
	(void)variable;
	(void)layer;
	return true;
#endif
}

static bool is_on(const char *layer)
{
	return has_layer("GOSNAP_SANDBOX_WITHOUT", layer);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void lower(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return;
	limit.rlim_max = lesser(limit.rlim_max, hard);
	limit.rlim_cur = lesser(lesser(limit.rlim_cur, soft), limit.rlim_max);
	setrlimit(resource, &limit);
}

uint64_t sandbox_memory(void)
{
	uint64_t memory = LIMIT_SANDBOX_BYTES;
	struct sysinfo machine;

	if (sysinfo(&machine) == 0) {
		uint64_t half = (uint64_t)machine.totalram * machine.mem_unit / 2;
		memory = half > memory ? half : memory;
	}
	return switched("GOSNAP_SANDBOX_MEMORY", memory);
}

/* RLIMIT_DATA counts memory that can be written, so neither a mapped core nor the executable. */
static void limit_resources(const struct sandbox *how)
{
	const struct rlimit none = { 0, 0 };
	const uint64_t memory = sandbox_memory(),
		       space = memory * LIMIT_SANDBOX_SPACE_TIMES;
	uint64_t seconds;

	if (!is_on(LAYER_LIMITS))
		return;
	lower(RLIMIT_DATA, memory, memory);
	lower(RLIMIT_AS, space, space);
	lower(RLIMIT_NOFILE, LIMIT_SANDBOX_DESCRIPTORS, LIMIT_SANDBOX_DESCRIPTORS);
	/* First a signal that says why; who ignores it is killed. */
	seconds = switched("GOSNAP_SANDBOX_CPU", how->server ? LIMIT_SANDBOX_SERVER_CPU_S
							     : LIMIT_SANDBOX_CPU_S);
	lower(RLIMIT_CPU, seconds, seconds + 1);
	/* RLIMIT_DATA does not count it. */
	lower(RLIMIT_STACK, LIMIT_SANDBOX_STACK, LIMIT_SANDBOX_STACK);
	setrlimit(RLIMIT_CORE, &none);
	if (!how->max_file_bytes)
		return;
	lower(RLIMIT_FSIZE, how->max_file_bytes, how->max_file_bytes);
	signal(SIGXFSZ, SIG_IGN); /* an error of write() instead */
}

/* If memory runs out, we are to go, not what is examined. */
static void offer_to_killer(void)
{
	static const char most[] = "1000";
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, most, sizeof(most) - 1) < 0)
		errno = 0; /* it is only a preference */
	if (fd >= 0)
		close(fd);
}

static bool is_kept(const struct sandbox *how, int fd)
{
	for (size_t i = 0; i < how->keep_count; i++)
		if (how->keep[i] == fd)
			return true;
	return false;
}

/* Also where close_range() is missing: before Linux 5.9. */
static void close_range_of(unsigned first, unsigned last)
{
	struct rlimit limit = { 0, 0 };

	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	getrlimit(RLIMIT_NOFILE, &limit);
	for (unsigned fd = first; fd <= last && fd < limit.rlim_cur; fd++)
		close((int)fd);
}

void sandbox_close_others(const struct sandbox *how, int channel)
{
	unsigned from = STDERR_FILENO + 1;
	int highest = channel;

	for (size_t i = 0; i < how->keep_count; i++)
		highest = how->keep[i] > highest ? how->keep[i] : highest;
	for (int fd = STDERR_FILENO + 1; fd <= highest; fd++) {
		if (fd != channel && !is_kept(how, fd))
			continue;
		close_range_of(from, (unsigned)fd - 1);
		from = (unsigned)fd + 1;
	}
	close_range_of(from, ~0u);
}

struct withheld {
	void *memory;
	size_t size;
};

static struct withheld *withheld;
static size_t withheld_count, withheld_cap;

void sandbox_withhold(void *memory, size_t size)
{
	GROW(withheld, withheld_count, withheld_cap);
	withheld[withheld_count++] = (struct withheld){ memory, size };
}

void sandbox_withhold_mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, name) && sscanf(line, "%lx-%lx", &start, &end) == 2)
			sandbox_withhold((void *)start, end - start);
	if (maps)
		fclose(maps);
}

void sandbox_unmap_withheld(void)
{
	for (size_t i = 0; i < withheld_count; i++)
		munmap(withheld[i].memory, withheld[i].size);
	withheld_count = 0;
}

/* No exceptions: files are opened by the parent. It also forbids to trace processes outside. */
static bool close_files(struct err *err)
{
	struct ruleset none;

	if (!is_on(LAYER_LANDLOCK))
		return true;
	return ruleset_new(false, &none, err) &&
	       (none.fd < 0 || ruleset_restrict(&none, err));
}

bool sandbox_drop_capabilities(struct err *err)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &header, none) == 0 || err_sys(err, "capset");
}

/* False: this kernel does not ask, or it asks somebody else, who runs us. */
static bool filter_and_ask(const struct sandbox *how, int *ret_starts)
{
	struct sock_fprog program;
	AUTO(xfree)
	struct sock_filter *code =
		syscall_filter_new(how, SECCOMP_RET_USER_NOTIF, &program.len);

	program.filter = code;
	*ret_starts = starts_are_asked_for() ? starts_listen(&program) : -1;
	return *ret_starts >= 0;
}

/* Of all threads: those that are there have got everything else when they were made. */
static bool filter_calls(const struct sandbox *how, int *ret_starts, struct err *err)
{
	struct sock_fprog program;

	*ret_starts = -1;
	if (!is_on(LAYER_FILTER))
		return true;
	if (how->workers && filter_and_ask(how, ret_starts))
		return true;
	AUTO(xfree)
	struct sock_filter *code = syscall_filter_new(
		how, how->workers ? SECCOMP_RET_ALLOW : 0, &program.len);
	program.filter = code;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
		       &program) == 0 ||
	       err_sys(err, "seccomp");
}

/* No user has such a number, so that what RLIMIT_NPROC counts are the processes of this sandbox. Files
 * are opened as the effective user, who stays. */
#define USER_FIRST 3000000000u
enum { USERS = 1 << 22 };

static bool can_have_own_user(void)
{
	AUTO(xfree)
	char *map = proc_file(getpid(), "uid_map"),
	     *status = proc_file(getpid(), "status");
	unsigned long long from = 0, to = 0, count = 0;

	return geteuid() == 0 && map &&
	       sscanf(map, "%llu %llu %llu", &from, &to, &count) == 3 && !from &&
	       count >= USER_FIRST + (unsigned long long)USERS &&
	       has_capability(proc_number(status, "CapEff", 16), CAP_SETUID);
}

bool sandbox_bounds_workers(void)
{
	return starts_are_asked_for() || can_have_own_user();
}

static bool bound_workers(const struct sandbox *how, struct err *err)
{
	const uint64_t most = 1 + how->threads + how->workers;

	if (!how->workers || !can_have_own_user())
		return true;
	lower(RLIMIT_NPROC, most, most);
	return setresuid(USER_FIRST + (uid_t)getpid() % USERS, (uid_t)-1, (uid_t)-1) ==
		       0 ||
	       err_sys(err, "setresuid");
}

bool sandbox_close(const struct sandbox *how, int channel, int *ret_starts,
		   struct err *err)
{
	prctl(PR_SET_NAME, "gosnap-sandbox");
	offer_to_killer();
	sandbox_close_others(how, channel);
	sandbox_unmap_withheld();
	limit_resources(how);
	/* What is in our memory is no business of others of this user, nor of a core file. */
	prctl(PR_SET_DUMPABLE, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, "no_new_privs");
	if (!how->workers)
		ere_forbid_children();
	if (!bound_workers(how, err) || !close_files(err) ||
	    (is_on(LAYER_CAPABILITIES) && !sandbox_drop_capabilities(err)))
		return false;
	threads_reserve(how->threads);
	ask_begin(channel);
	cached_begin();
	return filter_calls(how, ret_starts, err);
}
