/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/access_check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/procfs/proc_file.h"
#include "lib/procfs/process.h"

enum {
	SMALL_FILE = 16384,
	ANCESTORS_MAX = 4096,
	KTHREAD_FLAG = 0x00200000, /* PF_KTHREAD of the kernel's sched.h */
};

static void collect_ids(const char *status, struct access_check_facts *ret)
{
	const char *p = proc_line(status, "Uid");

	if (p)
		sscanf(p, "%u %u %u", &ret->uid, &ret->euid, &ret->suid);
	p = proc_line(status, "Gid");
	if (p)
		sscanf(p, "%u %u %u", &ret->gid, &ret->egid, &ret->sgid);
}

static bool is_kernel_thread(pid_t pid)
{
	AUTO(xfree) char *stat = proc_file(pid, "stat");

	return proc_stat_number(stat, PROC_STAT_FLAGS) & KTHREAD_FLAG;
}

static void collect_elf(struct access_check_facts *ret)
{
	unsigned char head[20];

	if (!proc_elf_head(process_with_files(ret->pid), head, sizeof(head)))
		return;
	ret->elf_class = head[EI_CLASS];
	ret->elf_machine = head[18] | head[19] << 8;
}

static bool same_user_namespace(pid_t pid)
{
	char path[32];
	struct stat ours, theirs;

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	if (stat("/proc/self/ns/user", &ours) == 0 && stat(path, &theirs) == 0)
		return ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
	/* The uid_map is readable even where the process may not be examined. */
	AUTO(xfree) char *our_ids = slurp("/proc/self/uid_map", SMALL_FILE, NULL);
	AUTO(xfree) char *their_ids = proc_file(pid, "uid_map");
	return !our_ids || !their_ids || !strcmp(our_ids, their_ids);
}

/* unshare or nsenter may have given us a new pid namespace without a new /proc: then
 * ptrace and /proc refer to different processes. */
static bool foreign_proc(void)
{
	char self[16] = "";

	return readlink("/proc/self", self, sizeof(self) - 1) < 0 ||
	       strtol(self, NULL, 10) != getpid();
}

static bool is_descendant(pid_t pid)
{
	pid_t self = getpid();

	for (int i = 0; pid > 1 && i < ANCESTORS_MAX; i++) {
		AUTO(xfree) char *status = proc_file(pid, "status");
		if (!status)
			return false;
		pid = (pid_t)proc_number(status, "PPid", 10);
		if (pid == self)
			return true;
	}
	return false;
}

/* Tries to read a byte at an unmapped address: EFAULT means access is allowed. */
static int ask(pid_t pid)
{
	char byte, path[32];
	struct iovec local = { &byte, 1 }, remote = { NULL, 1 };

	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT)
		return 0;
	if (errno == ESRCH)
		return ESRCH;
	/* Some containers forbid this call but not the file. */
	int why = errno;
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return why == ENOSYS ? errno : why;
	close(fd);
	return 0;
}

/* The /proc files of a process that is not dumpable belong to root. */
static void collect_dumpable(struct access_check_facts *ret)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/environ", ret->pid);
	if (ret->euid == 0 || stat(path, &st))
		return;
	ret->dumpable_known = true;
	ret->dumpable = st.st_uid == ret->euid;
}

static uint64_t our_capabilities(void)
{
	AUTO(xfree) char *status = slurp("/proc/self/status", SMALL_FILE, NULL);

	return status ? proc_number(status, "CapEff", 16) : 0;
}

static int yama_scope(void)
{
	AUTO(xfree) char *scope = slurp("/proc/sys/kernel/yama/ptrace_scope", 16, NULL);

	return scope ? (int)strtol(scope, NULL, 10) : -1;
}

static bool has_live_thread(pid_t pid)
{
	AUTO(xfree) char *status = proc_file(pid, "status");

	/* The kernel also counts a zombie leader. */
	return status && proc_number(status, "Threads", 10) > 1;
}

static void collect_status(struct access_check_facts *ret, const char *status)
{
	const char *state = proc_line(status, "State");

	state = state ? state : "?";
	proc_name(status, ret->name, sizeof(ret->name));
	ret->tgid = (pid_t)proc_number(status, "Tgid", 10);
	ret->is_thread = ret->tgid != ret->pid;
	ret->dead = *state == 'X' || *state == 'x';
	ret->zombie = *state == 'Z' && !has_live_thread(ret->pid);
	ret->capabilities = proc_number(status, "CapPrm", 16);
	collect_ids(status, ret);
	ret->tracer = (pid_t)proc_number(status, "TracerPid", 10);
	if (!ret->tracer)
		return;
	AUTO(xfree) char *tracer = proc_file(ret->tracer, "status");
	if (tracer)
		proc_name(tracer, ret->tracer_name, sizeof(ret->tracer_name));
}

void access_check_collect(pid_t pid, struct access_check_facts *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	ret->foreign_proc = foreign_proc();
	ret->yama_scope = yama_scope();
	ret->our_uid = getuid();
	ret->our_gid = getgid();
	ret->our_capabilities = our_capabilities();
	AUTO(xfree) char *status = pid > 0 ? proc_file(pid, "status") : NULL;
	if (!status)
		return;
	ret->exists = true;
	collect_status(ret, status);
	ret->kernel_thread = is_kernel_thread(pid);
	ret->same_user_namespace = same_user_namespace(pid);
	ret->descendant = is_descendant(pid);
	collect_dumpable(ret);
	collect_elf(ret);
	ret->ptrace_errno = ask(pid);
	if (ret->ptrace_errno ==
	    ESRCH) /* a zombie leader has no memory, but its threads do */
		ret->ptrace_errno = 0;
}

static bool is_root_like(const struct access_check_facts *f)
{
	return has_capability(f->our_capabilities, CAP_SYS_PTRACE);
}

static bool in_other_proc(const struct access_check_facts *f)
{
	return f->foreign_proc;
}

static bool is_missing(const struct access_check_facts *f)
{
	return !f->exists;
}

static bool is_thread(const struct access_check_facts *f)
{
	return f->is_thread;
}

static bool is_of_kernel(const struct access_check_facts *f)
{
	return f->kernel_thread;
}

static bool has_exited(const struct access_check_facts *f)
{
	return f->zombie || f->dead;
}

static bool is_traced(const struct access_check_facts *f)
{
	return f->tracer != 0;
}

static bool is_32_bit(const struct access_check_facts *f)
{
	return f->elf_class == ELFCLASS32;
}

static bool is_other_machine(const struct access_check_facts *f)
{
	return f->elf_machine && f->elf_machine != EM_X86_64;
}

static bool is_forbidden_by_yama(const struct access_check_facts *f)
{
	return f->yama_scope == YAMA_NOBODY;
}

static bool is_root_of_other_namespace(const struct access_check_facts *f)
{
	return is_root_like(f) && !f->same_user_namespace;
}

static bool is_root_without_ptrace(const struct access_check_facts *f)
{
	return f->our_uid == 0;
}

static bool in_other_namespace(const struct access_check_facts *f)
{
	return !f->same_user_namespace;
}

static bool is_of_other_user(const struct access_check_facts *f)
{
	return f->our_uid != f->uid || f->our_uid != f->euid || f->our_uid != f->suid;
}

static bool is_of_other_group(const struct access_check_facts *f)
{
	return f->our_gid != f->gid || f->our_gid != f->egid || f->our_gid != f->sgid;
}

static bool has_more_capabilities(const struct access_check_facts *f)
{
	return f->capabilities & ~f->our_capabilities;
}

static bool is_undumpable(const struct access_check_facts *f)
{
	return f->dumpable_known && !f->dumpable;
}

static bool requires_root(const struct access_check_facts *f)
{
	return f->yama_scope == YAMA_ADMIN;
}

static bool requires_ancestor(const struct access_check_facts *f)
{
	return f->yama_scope == YAMA_DESCENDANTS && !f->descendant;
}

static bool always(const struct access_check_facts *f)
{
	(void)f;
	return true;
}

/* The first that applies is given. {names} in its sentence: see fact(). */
struct reason {
	bool (*applies)(const struct access_check_facts *f);
	enum err_code code;
	const char *sentence;
};

static const struct reason unusable[] = {
	{ in_other_proc, ERR_CANNOT,
	  "/proc belongs to another PID namespace than gosnap: mount the right one "
	  "(mount -t proc proc /proc), or enter the mount namespace too" },
	{ is_missing, ERR_NOT_FOUND,
	  "no such process: {pid} (use pgrep or ps to find it)" },
	{ is_thread, ERR_CANNOT,
	  "{pid} is a thread of process {tgid}: use that PID to see all its threads" },
	{ is_of_kernel, ERR_CANNOT,
	  "{process} is a kernel thread and runs no program: see /proc/{pid}/stack for "
	  "its kernel stack" },
	{ has_exited, ERR_CANNOT,
	  "{process} is a zombie: it has exited and its memory is gone; it may have left "
	  "a core file" },
	{ is_traced, ERR_CANNOT,
	  "{process} is already traced by process {tracer}: quit or detach that tracer "
	  "first, or read the process while it runs (--capture=live)" },
	{ is_32_bit, ERR_CANNOT,
	  "{process} is a 32-bit program: only amd64 programs can be examined" },
	{ is_other_machine, ERR_CANNOT,
	  "{process} is a program for another architecture (ELF machine {machine}): only "
	  "amd64 programs can be examined" },
};

/* The kernel says only EPERM: the likeliest reason, in the kernel's order of checks. */
static const struct reason forbidden[] = {
	{ is_forbidden_by_yama, ERR_PERMISSION,
	  "kernel.yama.ptrace_scope is 3: no process can be examined until a reboot with "
	  "another setting" },
	{ is_root_of_other_namespace, ERR_PERMISSION,
	  "{process} is in another user namespace, where gosnap's CAP_SYS_PTRACE does "
	  "not apply: run gosnap as root on the host or inside that namespace" },
	{ is_root_like, ERR_PERMISSION,
	  "a security module or seccomp filter forbids examining {process} ({errno}): "
	  "run gosnap outside this container, or allow ptrace in it" },
	{ is_root_without_ptrace, ERR_PERMISSION,
	  "gosnap runs as root but without CAP_SYS_PTRACE, as is usual in containers: "
	  "grant it that capability (docker run --cap-add SYS_PTRACE)" },
	{ in_other_namespace, ERR_PERMISSION,
	  "{process} is in another user namespace, as in a rootless container (uid "
	  "{uid}, gosnap's is {our_uid}): run gosnap as root, as the user who started "
	  "the container, or inside it" },
	{ is_of_other_user, ERR_PERMISSION,
	  "{process} belongs to another user (uid {uid}, gosnap's is {our_uid}): run "
	  "gosnap as root, as that user or with CAP_SYS_PTRACE" },
	{ is_of_other_group, ERR_PERMISSION,
	  "{process} runs with another group (gid {gid}, gosnap's is {our_gid}): run "
	  "gosnap as root, with that group or with CAP_SYS_PTRACE" },
	{ has_more_capabilities, ERR_PERMISSION,
	  "{process} has more capabilities than gosnap (missing: {missing}): run gosnap "
	  "as root or with CAP_SYS_PTRACE" },
	{ is_undumpable, ERR_PERMISSION,
	  "{process} is not dumpable (it changed its user, or its executable is not "
	  "readable): run gosnap as root or with CAP_SYS_PTRACE" },
	{ requires_root, ERR_PERMISSION,
	  "kernel.yama.ptrace_scope is 2: only root may examine processes: run gosnap as "
	  "root or with CAP_SYS_PTRACE" },
	{ requires_ancestor, ERR_PERMISSION,
	  "kernel.yama.ptrace_scope is 1: only an ancestor may examine {process}: run "
	  "gosnap as root or with CAP_SYS_PTRACE, or set it to 0 (sysctl -w "
	  "kernel.yama.ptrace_scope=0)" },
	{ always, ERR_PERMISSION,
	  "the kernel does not allow gosnap to examine {process} ({errno}): run gosnap "
	  "as root or with CAP_SYS_PTRACE" },
};

/* What stands for {name} in a sentence; the caller frees it. */
static char *fact(const struct access_check_facts *f, const char *name)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "pid", (uint64_t)f->pid },
		{ "tgid", (uint64_t)f->tgid },
		{ "uid", f->euid },
		{ "our_uid", f->our_uid },
		{ "gid", f->egid },
		{ "our_gid", f->our_gid },
		{ "machine", (uint64_t)f->elf_machine },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (strcmp(name, numbers[i].name) == 0)
			return xasprintf("%" PRIu64, numbers[i].value);
	if (strcmp(name, "process") == 0)
		return xasprintf("process %d (%s)", f->pid, f->name);
	if (strcmp(name, "tracer") == 0)
		return xasprintf("%d (%s)", f->tracer,
				 *f->tracer_name ? f->tracer_name
						 : "in another PID namespace");
	if (strcmp(name, "missing") == 0)
		return xasprintf("0x%" PRIx64, f->capabilities & ~f->our_capabilities);
	return xasprintf("%s", strerror(f->ptrace_errno));
}

static void append(char *text, size_t size, const char *words, size_t n)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%.*s", (int)n, words);
}

/* With the sentence, its {names} replaced. */
static bool refuse(const struct access_check_facts *f, const struct reason *reason,
		   struct err *err)
{
	char text[sizeof(err->text)] = "";

	for (const char *p = reason->sentence; *p;) {
		size_t plain = strcspn(p, "{");
		append(text, sizeof(text), p, plain);
		p += plain;
		if (!*p)
			break;
		AUTO(xfree) char *name = xstrndup(p + 1, strcspn(p + 1, "}"));
		AUTO(xfree) char *words = fact(f, name);
		append(text, sizeof(text), words, strlen(words));
		p += strlen(name) + 2;
	}
	return err_set(err, reason->code, "%s", text);
}

static bool judge(const struct access_check_facts *f, const struct reason *reasons,
		  size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (reasons[i].applies(f))
			return refuse(f, &reasons[i], err);
	return true;
}

bool access_check_judge(const struct access_check_facts *f, struct err *err)
{
	return judge(f, unusable, ARRAY_SIZE(unusable), err) &&
	       (!f->ptrace_errno || judge(f, forbidden, ARRAY_SIZE(forbidden), err));
}
