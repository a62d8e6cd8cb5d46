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

static bool is_older(const struct bpf_facts *f, unsigned major, unsigned minor)
{
	return f->linux_major && (f->linux_major < major ||
				  (f->linux_major == major && f->linux_minor < minor));
}

bool bpf_not_built(struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED,
		       "this gosnap was built without eBPF: build it where clang, "
		       "bpftool and libbpf-dev are installed");
}

bool bpf_judge(const struct bpf_facts *f, struct err *err)
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
	if (is_older(f, 6, 1))
		return err_set(err, ERR_UNSUPPORTED,
			       "Linux %u.%u is too old for the programs of gosnap: they "
			       "need Linux 6.1",
			       f->linux_major, f->linux_minor);
	if (!f->btf)
		return err_set(err, ERR_UNSUPPORTED,
			       "the kernel does not describe its types: it needs "
			       "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)");
	if (f->confidential)
		return err_set(err, ERR_CANNOT,
			       "the kernel is locked down for confidentiality, so no "
			       "program may read memory: use lockdown=integrity");
	if (!f->admin && is_older(f, 6, 6))
		return err_set(err, ERR_PERMISSION,
			       "Linux %u.%u attaches probes only for CAP_SYS_ADMIN: run "
			       "gosnap as root, or with it",
			       f->linux_major, f->linux_minor);
	return true;
}
