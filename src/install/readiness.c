/* SPDX-License-Identifier: Apache-2.0 */
#include "src/install/readiness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/procfs/access_check.h"
#include "lib/procfs/process.h"
#include "src/bpf/ability.h"
#include "src/capture/doctor.h"
#include "src/handler/crash.h"
#include "src/install/boot_settings.h"
#include "src/install/install.h"
#include "src/install/kernel_pidfd.h"
#include "src/handler/listen.h"
#include "src/spool/spool.h"

enum { FEW = 64, MEGABYTE_SHIFT = 20 };

static void fine(struct doctor *d, const char *check, char *text, const char *remedy)
{
	doctor_add(d, check, DOCTOR_FINE, text, remedy ? xstrdup(remedy) : NULL);
}

static void doubt(struct doctor *d, const char *check, char *text, const char *remedy)
{
	doctor_add(d, check, DOCTOR_DOUBTFUL, text, remedy ? xstrdup(remedy) : NULL);
}

/* Of a pattern that starts a program: its path. Allocated. */
static char *program_of(const char *pattern)
{
	const char *word = pattern + 1 + strspn(pattern + 1, " ");

	return xstrndup(word, strcspn(word, " "));
}

/* "the file core". Allocated. */
static char *destination(const char *pattern)
{
	if (!*pattern)
		return xstrdup("nobody");
	if (*pattern == '@')
		return xasprintf("the socket %s", pattern + strspn(pattern, "@"));
	if (*pattern != '|')
		return xasprintf("the file %s", pattern);
	AUTO(xfree) char *program = program_of(pattern);
	return xasprintf("the program %s", program);
}

static void check_program(struct doctor *d, const char *pattern, const char *lost)
{
	if (*pattern != '|')
		return;
	AUTO(xfree) char *program = program_of(pattern);
	if (access(program, X_OK) < 0)
		doubt(d, "core_handler",
		      xasprintf("the program %s cannot be started: %s", program, lost),
		      "install it again, or run gosnap uninstall");
}

/* By a socket the kernel always has one. */
static void check_pidfd(struct doctor *d, const char *pattern)
{
	const bool asked = strstr(pattern, CRASH_PIDFD), passes = kernel_passes_pidfd();

	if (*pattern != '|')
		return;
	if (asked && passes)
		fine(d, "core_pattern",
		     xstrdup("the kernel passes a descriptor of the process (%F): its "
			     "PID "
			     "cannot be taken for another's"),
		     NULL);
	else
		fine(d, "core_pattern",
		     xasprintf("the kernel passes no descriptor of the process (%%F)%s: "
			       "its PID, user and group tell which it is",
			       passes ? "" : ", which Linux does since 6.16"),
		     passes ? "gosnap install" : NULL);
}

static void check_boot(struct doctor *d, const char *pattern)
{
	char *trouble = boot_settings_trouble(pattern);

	if (trouble)
		doubt(d, "core_pattern", trouble, "remove that line");
	else if (access(INSTALL_SYSCTL, F_OK) < 0)
		doubt(d, "core_pattern",
		      xasprintf(
			      "%s is missing: after the next boot no snapshots are taken",
			      INSTALL_SYSCTL),
		      "gosnap install");
	else
		fine(d, "core_pattern",
		     xasprintf("%s sets it at the next boot: no file that is read later "
			       "does",
			       INSTALL_SYSCTL),
		     NULL);
}

static void check_installed(struct doctor *d, const struct kernel_cores *now,
			    const struct previous *previous)
{
	AUTO(xfree) char *to = destination(previous->core_pattern);

	fine(d, "core_pattern",
	     xasprintf("a Go program that dumps core leaves a snapshot; its core goes to "
		       "%s, as before gosnap was installed",
		       to),
	     NULL);
	check_pidfd(d, now->pattern);
	check_program(d, now->pattern, "crashes leave neither snapshot nor core");
	if (*now->pattern == '@' && !listen_is_open(INSTALL_SOCKET))
		doubt(d, "core_handler",
		      xasprintf(
			      "nobody listens at %s: crashes leave neither snapshot nor "
			      "core",
			      INSTALL_SOCKET),
		      "start gosnap core-listen");
	check_program(d, previous->core_pattern, "cores are lost");
	check_boot(d, now->pattern);
	if (now->pipe_limit && now->pipe_limit < FEW)
		doubt(d, "core_pattern",
		      xasprintf("core_pipe_limit is %" PRIu64
				": of more crashes at a time neither snapshot nor core "
				"is kept",
				now->pipe_limit),
		      "gosnap install");
}

static void check_pattern(struct doctor *d)
{
	struct kernel_cores now;
	struct previous previous;
	struct err err;

	if (!kernel_cores_read(&now, &err)) {
		doubt(d, "core_pattern", xstrdup(err.text), NULL);
		return;
	}
	AUTO(xfree) char *to = destination(now.pattern);
	switch (install_state(&now, &previous, &err)) {
	case INSTALL_NONE:
		fine(d, "core_pattern",
		     xasprintf("no snapshots are taken of crashes: cores go to %s", to),
		     "gosnap install, for snapshots of programs that dump core");
		break;
	case INSTALL_OURS:
		check_installed(d, &now, &previous);
		break;
	case INSTALL_HALF:
		doubt(d, "core_pattern",
		      xasprintf("no snapshots are taken of crashes: gosnap is installed "
				"in part, and cores go to %s, as before",
				to),
		      "gosnap install, or gosnap uninstall");
		break;
	case INSTALL_CHANGED:
		doubt(d, "core_pattern",
		      xasprintf("no snapshots are taken of crashes: core_pattern was "
				"changed since gosnap was installed, and cores go to %s",
				to),
		      "gosnap install, or gosnap uninstall --force");
		break;
	case INSTALL_UNKNOWN:
		doubt(d, "core_pattern",
		      xasprintf("snapshots are taken of crashes, but " SETTINGS_FOLDER
				"/previous is missing: cores go to the file core"),
		      "set core_pattern to what it was before, then gosnap install");
		break;
	case INSTALL_WRONG:
		doubt(d, "core_pattern",
		      xasprintf("where cores went before gosnap was installed cannot be "
				"understood: %s; they go to the file %s",
				err.text, previous.core_pattern),
		      "say there where cores are to go, or remove the file");
		break;
	}
}

static void check_spool(struct doctor *d)
{
	struct settings settings;
	struct spool_entries all;
	struct err err;
	uint64_t bytes = 0;

	if (!settings_read(SETTINGS_FOLDER, &settings, &err))
		doubt(d, "spool", xstrdup(err.text), "see gosnap-core-pipe(8)");
	AUTO(spool_close)
	struct spool *spool = spool_open_folder(settings.spool, false, &err);
	if (!spool && err_is(&err, ERR_NOT_FOUND))
		return;
	if (!spool || !spool_list(spool, &all, &err)) {
		doubt(d, "spool", xstrdup(err.text), NULL);
		return;
	}
	for (size_t i = 0; i < all.count; i++)
		bytes += all.list[i].bytes;
	fine(d, "spool",
	     xasprintf("%zu snapshots of crashes in %s, %" PRIu64
		       " MB of at most %" PRIu64,
		       all.count, settings.spool, bytes >> MEGABYTE_SHIFT,
		       settings.quota_megabytes),
	     NULL);
	spool_entries_done(&all);
}

/* From the environment that it was started with. False: not readable. */
static bool prints_and_dumps(pid_t pid, bool *ret)
{
	static const char wanted[] = "GOTRACEBACK=crash";
	struct err ignored;
	AUTO(process_free) struct process *p = process_read(pid, &ignored);

	*ret = false;
	if (!p || !p->environment.bytes)
		return false;
	for (const char *word = NULL; (word = process_next_word(&p->environment, word));)
		*ret |= strcmp(word, wanted) == 0;
	return true;
}

static void check_process(struct doctor *d)
{
	struct kernel_cores now;
	struct rlimit limit;
	struct err err;
	bool dumps;

	if (!d->go || !prints_and_dumps(d->pid, &dumps) || !kernel_cores_read(&now, &err))
		return;
	if (!dumps)
		fine(d, "crash",
		     xstrdup("a panic would end it with status 2, without a core and so "
			     "without a snapshot by the kernel"),
		     "start it with GOTRACEBACK=crash");
	else if (*now.pattern != '|' && *now.pattern != '@' &&
		 prlimit(d->pid, RLIMIT_CORE, NULL, &limit) == 0 && limit.rlim_cur == 0)
		fine(d, "crash", xstrdup("a panic would leave no core: RLIMIT_CORE is 0"),
		     "ulimit -c unlimited, where it is started");
	else
		fine(d, "crash",
		     xstrdup("a panic would make it dump core: GOTRACEBACK=crash"), NULL);
}

static bool nobody_traces(void)
{
	struct access_check_facts facts;

	access_check_collect(getpid(), &facts);
	return facts.yama_scope == YAMA_NOBODY;
}

static void check_watch(struct doctor *d)
{
	struct bpf_facts facts;
	struct err err;

	bpf_facts_read(&facts);
	if (!bpf_judge_faults(&facts, FAULT_HOLD_ABLE, &err))
		fine(d, "watch",
		     xasprintf("gosnap watch cannot catch Go processes as they crash, "
			       "nor gosnap trace report calls: %s",
			       err.text),
		     NULL);
	else if (!bpf_judge(&facts, &err))
		fine(d, "watch",
		     xasprintf("gosnap watch can catch Go processes as they crash, but "
			       "gosnap trace cannot report calls: %s",
			       err.text),
		     NULL);
	else if (nobody_traces())
		fine(d, "watch",
		     xstrdup("gosnap watch cannot catch Go processes as they crash, as "
			     "kernel.yama.ptrace_scope is 3, but gosnap trace can report "
			     "calls of functions"),
		     NULL);
	else
		fine(d, "watch",
		     xstrdup("gosnap watch can catch Go processes as they crash, and "
			     "gosnap trace can report calls of functions"),
		     NULL);
}

void readiness_examine(struct doctor *d)
{
	if (d->pid) {
		check_process(d);
		return;
	}
	check_pattern(d);
	check_watch(d);
	check_spool(d);
}
