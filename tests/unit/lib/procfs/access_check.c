/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/access_check.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "tests/unit/lib/subject.h"
#include "tests/unit/unit.h"

#define PTRACE_CAPABILITY (UINT64_C(1) << 19)

/* What stands in the way of nobody: our own process of the same user. */
static struct access_check_facts harmless(void)
{
	return (struct access_check_facts){
		.pid = 42,
		.exists = true,
		.tgid = 42,
		.elf_class = ELFCLASS64,
		.elf_machine = EM_X86_64,
		.yama_scope = -1,
		.dumpable_known = true,
		.dumpable = true,
		.our_uid = 1000,
		.uid = 1000,
		.euid = 1000,
		.suid = 1000,
		.our_gid = 1000,
		.gid = 1000,
		.egid = 1000,
		.sgid = 1000,
		.same_user_namespace = true,
		.name = "server",
	};
}

struct verdict {
	const char *what;
	void (*change)(struct access_check_facts *);
	enum err_code code; /* ERR_NONE: let in */
	const char *says;
};

#define FACTS(name, body)                                                                \
	static void name(struct access_check_facts *f)                                   \
	{                                                                                \
		body;                                                                    \
	}
FACTS(nothing, (void)f)
FACTS(is_absent, f->exists = false)
FACTS(is_foreign, f->foreign_proc = true; f->exists = false)
FACTS(rootless, f->same_user_namespace = false; f->uid = f->euid = f->suid = 100999;
      f->ptrace_errno = EPERM)
FACTS(is_thread, f->is_thread = true; f->tgid = 40)
FACTS(is_kernel, f->kernel_thread = true)
FACTS(is_zombie, f->zombie = true)
FACTS(is_traced, f->tracer = 77; strcpy(f->tracer_name, "dlv"); f->ptrace_errno = EPERM)
FACTS(hidden_tracer, f->tracer = 77; f->ptrace_errno = EPERM)
FACTS(is_small, f->elf_class = ELFCLASS32; f->elf_machine = EM_386)
FACTS(is_arm, f->elf_machine = EM_AARCH64)
FACTS(other_user, f->uid = f->euid = f->suid = 5; f->ptrace_errno = EPERM)
FACTS(is_setuid, f->euid = 0; f->ptrace_errno = EPERM)
FACTS(is_group, f->gid = 9; f->ptrace_errno = EPERM)
FACTS(is_capable, f->capabilities = 0x400; f->ptrace_errno = EPERM)
FACTS(is_undumpable, f->dumpable = false; f->ptrace_errno = EPERM)
FACTS(yama1, f->yama_scope = 1; f->ptrace_errno = EPERM)
FACTS(yama1_child, f->yama_scope = 1; f->descendant = true; f->ptrace_errno = EPERM)
FACTS(yama1_allowed, f->yama_scope = 1)
FACTS(yama2, f->yama_scope = 2; f->ptrace_errno = EPERM)
FACTS(yama3, f->yama_scope = 3; f->our_capabilities = ~0ull; f->ptrace_errno = EPERM)
FACTS(bare_root, f->our_uid = 0; f->ptrace_errno = EPERM)
FACTS(root_forbidden, f->our_uid = 0; f->our_capabilities = ~0ull;
      f->ptrace_errno = EPERM)
FACTS(root_namespace, f->our_uid = 0; f->our_capabilities = PTRACE_CAPABILITY;
      f->same_user_namespace = false; f->ptrace_errno = EPERM)
FACTS(is_namespace, f->same_user_namespace = false; f->ptrace_errno = EPERM)
FACTS(is_unknown, f->ptrace_errno = EACCES)

static const struct verdict verdicts[] = {
	{ "nothing in the way", nothing, ERR_NONE, NULL },
	{ "yama, but allowed", yama1_allowed, ERR_NONE, NULL },
	{ "no such process", is_absent, ERR_NOT_FOUND, "no such process: 42 (use pgrep" },
	{ "another /proc", is_foreign, ERR_CANNOT, "(mount -t proc proc /proc)" },
	{ "a rootless container's", rootless, ERR_PERMISSION,
	  "(uid 100999, gosnap's is 1000): run gosnap as root, as the user who started" },
	{ "a thread", is_thread, ERR_CANNOT,
	  "42 is a thread of process 40: use that PID" },
	{ "kernel thread", is_kernel, ERR_CANNOT,
	  "process 42 (server) is a kernel thread" },
	{ "zombie", is_zombie, ERR_CANNOT, "process 42 (server) is a zombie" },
	{ "traced", is_traced, ERR_CANNOT,
	  "already traced by process 77 (dlv): quit or detach" },
	{ "traced from outside", hidden_tracer, ERR_CANNOT,
	  "(in another PID namespace)" },
	{ "32-bit", is_small, ERR_CANNOT, "is a 32-bit program: only amd64" },
	{ "other processor", is_arm, ERR_CANNOT, "(ELF machine 183): only amd64" },
	{ "other user", other_user, ERR_PERMISSION,
	  "belongs to another user (uid 5, gosnap's is 1000)" },
	{ "setuid", is_setuid, ERR_PERMISSION, "belongs to another user (uid 0" },
	{ "other group", is_group, ERR_PERMISSION, "runs with another group (gid 1000" },
	{ "more capable", is_capable, ERR_PERMISSION,
	  "more capabilities than gosnap (missing: 0x400" },
	{ "not dumpable", is_undumpable, ERR_PERMISSION, "is not dumpable" },
	{ "yama 1", yama1, ERR_PERMISSION, "ptrace_scope is 1: only an ancestor" },
	{ "yama 1, our child", yama1_child, ERR_PERMISSION,
	  "does not allow gosnap to examine" },
	{ "yama 2", yama2, ERR_PERMISSION, "ptrace_scope is 2: only root" },
	{ "yama 3", yama3, ERR_PERMISSION, "ptrace_scope is 3: no process" },
	{ "root without capability", bare_root, ERR_PERMISSION, "--cap-add SYS_PTRACE" },
	{ "root, yet forbidden", root_forbidden, ERR_PERMISSION,
	  "security module or seccomp" },
	{ "root of another namespace", root_namespace, ERR_PERMISSION,
	  "another user namespace, where gosnap's CAP_SYS_PTRACE does not apply" },
	{ "another namespace", is_namespace, ERR_PERMISSION,
	  "is in another user namespace" },
	{ "no reason known", is_unknown, ERR_PERMISSION,
	  "(Permission denied): run gosnap as root" },
};

static void test_verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		const struct verdict *v = &verdicts[i];
		struct access_check_facts facts = harmless();
		struct err err = { 0 };
		v->change(&facts);
		bool ok = access_check_judge(&facts, &err);
		if (ok != !v->code || err.code != v->code ||
		    (v->says && !strstr(err.text, v->says)))
			fail_msg("%s: %s", v->what, err.text);
	}
}

static void waits(struct subject_shared *shared)
{
	(void)shared;
	subject_ready();
	for (;;)
		pause();
}

static void test_collect(void **state)
{
	struct subject_shared *shared;
	pid_t pid = subject_start(waits, &shared);
	struct access_check_facts facts;
	(void)state;
	access_check_collect(pid, &facts);
	assert_true(facts.exists && facts.descendant && facts.same_user_namespace);
	assert_false(facts.zombie || facts.is_thread || facts.kernel_thread);
	assert_int_equal(facts.elf_class, ELFCLASS64);
	assert_int_equal(facts.elf_machine, EM_X86_64);
	assert_int_equal(facts.uid, getuid());
	assert_int_equal(facts.tracer, 0);
	assert_string_equal(facts.name, "subject");
	assert_int_equal(facts.ptrace_errno, 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	access_check_collect(pid, &facts);
	assert_int_equal(facts.tracer, getpid());
	assert_true(*facts.tracer_name);
	kill(pid, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	access_check_collect(pid, &facts);
	assert_true(facts.exists && facts.zombie);
	subject_end(pid, shared);
	access_check_collect(pid, &facts);
	assert_false(facts.exists);
	access_check_collect(2, &facts); /* kthreadd, where there is one to be seen */
	assert_int_equal(facts.kernel_thread,
			 facts.exists && !strcmp(facts.name, "kthreadd"));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_collect),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
