/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "src/bpf/ability.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "config.h"
#include "lib/procfs/proc_file.h"

/* PROC_PID_INIT_INO: the inode of the first namespace of processes. */
#define FIRST_NAMESPACE 0xeffffffcUL

enum { HEX = 16, LOCKDOWN_MAX = 256 };

static void read_capabilities(struct bpf_facts *ret)
{
	AUTO(xfree) char *status = proc_file(getpid(), "status");
	const uint64_t now = proc_number(status, "CapEff", HEX);

	ret->admin = has_capability(now, CAP_SYS_ADMIN);
	ret->permitted = has_capability(now, CAP_SYS_PTRACE) &&
			 (ret->admin || (has_capability(now, CAP_BPF) &&
					 has_capability(now, CAP_PERFMON)));
	ret->may_signal = has_capability(now, CAP_KILL);
}

static bool is_whole(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) != 0 || st.st_ino == FIRST_NAMESPACE;
}

static bool is_confidential(void)
{
	size_t len;
	AUTO(xfree)
	char *text = slurp("/sys/kernel/security/lockdown", LOCKDOWN_MAX, &len);

	return text && strstr(text, "[confidentiality]");
}

void bpf_facts_read(struct bpf_facts *ret)
{
	struct utsname name;

	*ret = (struct bpf_facts){
#ifdef BUILT_WITH_LIBBPF
		.built = true,
#endif
		.whole = is_whole(),
		.btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0,
		.confidential = is_confidential(),
	};
	read_capabilities(ret);
	if (uname(&name) != 0 ||
	    sscanf(name.release, "%u.%u", &ret->linux_major, &ret->linux_minor) != 2)
		ret->linux_major = ret->linux_minor = 0;
}

struct version {
	unsigned major, minor;
};

/* Programs that sleep where uprobes are came with 6.0 (8c7dcb84e3b7), bpf_copy_from_user_task() and
 * bpf_loop() before. 6.1 is the oldest of which somebody still takes care. */
static const struct version to_sleep = { 6, 1 };
/* bpf_get_attach_cookie() came with 5.15 (7adfc6c9b315); before it, atomics that return something (5.12),
 * rings of events (5.8), memory that is shared with user space (5.5) and bpf_send_signal() (5.3). */
static const struct version to_stop = { 5, 15 };
/* The link for many probes, which takes less than a perf event for each. */
static const struct version with_multi = { 6, 6 };

static bool is_older(const struct bpf_facts *f, const struct version *than)
{
	return f->linux_major &&
	       (f->linux_major < than->major ||
		(f->linux_major == than->major && f->linux_minor < than->minor));
}

bool bpf_not_built(struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED,
		       "this gosnap was built without eBPF: build it where clang, "
		       "bpftool and libbpf-dev are installed");
}

static bool judge(const struct bpf_facts *f, const struct version *needed,
		  struct err *err)
{
	if (!f->built)
		return bpf_not_built(err);
	if (!f->whole)
		return err_set(
			err, ERR_CANNOT,
			"this needs the process numbers of the machine: run gosnap "
			"outside of containers, or in one with the host's PIDs");
	if (!f->permitted)
		return err_set(err, ERR_PERMISSION,
			       "the kernel does not permit gosnap to load programs: run "
			       "it as root, or with CAP_BPF, CAP_PERFMON and "
			       "CAP_SYS_PTRACE");
	if (is_older(f, needed))
		return err_set(err, ERR_UNSUPPORTED,
			       "Linux %u.%u is too old for the programs of gosnap: they "
			       "need Linux %u.%u",
			       f->linux_major, f->linux_minor, needed->major,
			       needed->minor);
	if (!f->btf)
		return err_set(err, ERR_UNSUPPORTED,
			       "the kernel does not describe its types: it needs "
			       "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)");
	if (f->confidential)
		return err_set(err, ERR_CANNOT,
			       "the kernel is locked down for confidentiality, so no "
			       "program may read memory: use lockdown=integrity");
	if (!f->admin && is_older(f, &with_multi))
		return err_set(err, ERR_PERMISSION,
			       "Linux %u.%u attaches probes only for CAP_SYS_ADMIN: run "
			       "gosnap as root, or with it",
			       f->linux_major, f->linux_minor);
	return true;
}

bool bpf_judge(const struct bpf_facts *f, struct err *err)
{
	return judge(f, &to_sleep, err);
}

bool bpf_judge_faults(const struct bpf_facts *f, enum fault_hold hold_by, struct err *err)
{
	return judge(f, hold_by == FAULT_HOLD_SPIN ? &to_sleep : &to_stop, err);
}

bool bpf_judge_stops(const struct bpf_facts *f, struct err *err)
{
	return f->may_signal ||
	       err_set(err, ERR_PERMISSION,
		       "processes that SIGSTOP stops could not be let go: that takes "
		       "CAP_KILL");
}
