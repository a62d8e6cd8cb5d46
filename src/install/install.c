/* SPDX-License-Identifier: Apache-2.0 */
#include "src/install/install.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/handler/crash.h"
#include "src/install/boot_settings.h"
#include "src/install/install_files.h"
#include "src/install/install_units.h"
#include "src/install/kernel_pidfd.h"
#include "src/spool/spool.h"

#define KERNEL "/proc/sys/kernel/"
#define PREVIOUS SETTINGS_FOLDER "/previous"

/* As long as it is not 0, the process stays until its core is where it belongs, as when the kernel
 * writes it. Beyond so many at a time the kernel writes none. */
enum { PIPE_LIMIT = 1024 };

bool kernel_cores_read(struct kernel_cores *ret, struct err *err)
{
	char number[32];

	if (!install_read(KERNEL "core_pattern", ret->pattern, sizeof(ret->pattern),
			  err) ||
	    !install_read(KERNEL "core_pipe_limit", number, sizeof(number), err))
		return false;
	ret->pipe_limit = strtoull(number, NULL, 10);
	return true;
}

static bool starts_gosnap(const char *pattern)
{
	return (pattern[0] == '|' && strstr(pattern, " core-pipe ")) ||
	       strstr(pattern, INSTALL_SOCKET);
}

enum install_state install_state(const struct kernel_cores *now, struct previous *ret,
				 struct err *err)
{
	const enum previous_known read = previous_read(SETTINGS_FOLDER, ret, err);
	const bool known = read == PREVIOUS_KNOWN;

	if (read == PREVIOUS_WRONG)
		return INSTALL_WRONG;
	if (known && strcmp(now->pattern, ret->installed) == 0)
		return INSTALL_OURS;
	if (starts_gosnap(now->pattern))
		return INSTALL_UNKNOWN;
	if (!known)
		return INSTALL_NONE;
	return strcmp(now->pattern, ret->core_pattern) == 0 ? INSTALL_HALF
							    : INSTALL_CHANGED;
}

struct plan {
	const struct install_options *options;
	install_say_fn *say;
	struct kernel_cores now;
	struct previous previous; /* to be kept */
	enum install_state state;
	char *program;
};

static void say(const struct plan *plan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct plan *plan, const char *format, ...)
{
	char sentence[CRASH_TEXT];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof(sentence), format, ap);
	va_end(ap);
	plan->say(sentence);
}

/* The kernel will start it as root: only root may replace it. */
static bool is_trusted(const char *program, struct err *err)
{
	AUTO(xfree) char *path = xstrdup(program);
	struct stat st;

	for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
		*end = '\0';
		const char *name = *path ? path : "/";
		if (stat(name, &st) < 0)
			return err_sys(err, "cannot look at %.200s", name);
		if (st.st_uid != 0 || (st.st_mode & 022 && !(st.st_mode & S_ISVTX)))
			return err_set(err, ERR_CANNOT,
				       "%.200s can be changed by others than root: "
				       "install gosnap where only root can write",
				       name);
		if (!*path)
			break;
	}
	return true;
}

static bool find_program(struct plan *plan, struct err *err)
{
	plan->program = xreadlink("/proc/self/exe");
	if (!plan->program)
		return err_sys(err, "cannot find the program of gosnap");
	return is_trusted(plan->program, err);
}

static bool make_pattern(struct plan *plan, struct err *err)
{
	char *to = plan->previous.installed;
	/* Who got one before gets one again. */
	const bool pidfd = strstr(plan->previous.core_pattern, "%F") ||
			   (!plan->options->socket && kernel_passes_pidfd());
	const int len =
		plan->options->socket
			? snprintf(to, SETTINGS_PATTERN, "@@%s", INSTALL_SOCKET)
			: snprintf(to, SETTINGS_PATTERN, "|%s core-pipe -- %s%s",
				   plan->program, CRASH_WORDS, pidfd ? CRASH_PIDFD : "");

	if (len >= SETTINGS_PATTERN || strpbrk(plan->program, " \t\n\v\f\r%"))
		return err_set(err, ERR_CANNOT,
			       "the path of gosnap is too long for core_pattern, or has "
			       "blanks or %%: %.200s",
			       plan->program);
	return true;
}

static bool check(struct plan *plan, struct err *err)
{
	struct previous known;
	struct err why;

	if (geteuid() != 0)
		return err_set(err, ERR_PERMISSION, "only root can do this");
	if (!kernel_cores_read(&plan->now, err))
		return false;
	plan->state = install_state(&plan->now, &known, &why);
	plan->previous = known;
	return plan->state != INSTALL_WRONG ||
	       err_set(err, ERR_CANNOT,
		       "%.300s: say there where cores are to go, or remove the file",
		       why.text);
}

/* What cores would be handed on to from now on. */
static bool keep_previous(struct plan *plan, struct err *err)
{
	if (plan->state == INSTALL_UNKNOWN)
		return err_set(err, ERR_CANNOT,
			       "core_pattern starts gosnap already, but " PREVIOUS
			       " does not say what was before: set core_pattern to that "
			       "first, which is core by default");
	if (!previous_is_sound(plan->now.pattern, err))
		return false;
	if (plan->state == INSTALL_CHANGED)
		say(plan, "core_pattern was changed since gosnap was installed: what it "
			  "is now counts as what was before");
	/* A limit that we have set is not what was before. */
	if (plan->state == INSTALL_NONE ||
	    plan->now.pipe_limit != plan->previous.installed_limit)
		plan->previous.core_pipe_limit = plan->now.pipe_limit;
	memcpy(plan->previous.core_pattern, plan->now.pattern, SETTINGS_PATTERN);
	return true;
}

static bool put(const struct plan *plan, const char *path, const char *text, mode_t mode,
		struct err *err)
{
	if (install_has(path, text))
		return true;
	say(plan, "write %s", path);
	return plan->options->dry_run || install_write(path, text, mode, err);
}

static bool set(const struct plan *plan, const char *name, const char *value,
		struct err *err)
{
	AUTO(xfree) char *path = xasprintf(KERNEL "%s", name);
	char now[SETTINGS_PATTERN];

	if (install_read(path, now, sizeof(now), err) && strcmp(now, value) == 0)
		return true;
	say(plan, "set kernel.%s to %s", name, value);
	return plan->options->dry_run || install_set(path, value, err);
}

static bool put_files(const struct plan *plan, struct err *err)
{
	const struct previous *p = &plan->previous;
	AUTO(xfree)
	char *previous = xasprintf("# Written by gosnap install, read by its handler.\n"
				   "core_pattern = %s\ncore_pipe_limit = %" PRIu64
				   "\ninstalled = %s\ninstalled_limit = %" PRIu64 "\n",
				   p->core_pattern, p->core_pipe_limit, p->installed,
				   p->installed_limit);
	AUTO(xfree)
	char *sysctl =
		xasprintf("# Written by gosnap install; gosnap uninstall removes it.\n"
			  "kernel.core_pipe_limit=%" PRIu64 "\n"
			  "kernel.core_pattern=%s\n",
			  p->installed_limit, p->installed);

	return put(plan, PREVIOUS, previous, 0644, err) &&
	       (!plan->options->socket ||
		install_units(plan->program, plan->options->dry_run, plan->say, err)) &&
	       put(plan, INSTALL_SYSCTL, sysctl, 0644, err);
}

static bool make_spool(const struct plan *plan, struct err *err)
{
	struct settings settings;

	if (!settings_read(SETTINGS_FOLDER, &settings, err))
		return false;
	if (plan->options->dry_run)
		return true;
	AUTO(spool_close)
	struct spool *spool = spool_open_folder(settings.spool, true, err);
	return spool != NULL;
}

static bool set_kernel(const struct plan *plan, struct err *err)
{
	AUTO(xfree)
	char *limit = xasprintf("%" PRIu64, plan->previous.installed_limit);

	return set(plan, "core_pipe_limit", limit, err) &&
	       set(plan, "core_pattern", plan->previous.installed, err);
}

static bool is_of_kind(const struct plan *plan)
{
	return (plan->now.pattern[0] == '@') == plan->options->socket;
}

static bool install(struct plan *plan, struct err *err)
{
	if (!check(plan, err) || !find_program(plan, err))
		return false;
	if (plan->state == INSTALL_OURS && !is_of_kind(plan))
		return err_set(err, ERR_CANNOT,
			       "gosnap is installed with the %s: gosnap uninstall first",
			       plan->options->socket ? "pipe" : "socket");
	if (plan->state != INSTALL_OURS && !keep_previous(plan, err))
		return false;
	if (plan->options->socket && !install_can_listen(err))
		return false;
	plan->previous.installed_limit = plan->previous.core_pipe_limit > PIPE_LIMIT
						 ? plan->previous.core_pipe_limit
						 : PIPE_LIMIT;
	if (!make_pattern(plan, err) || !make_spool(plan, err) || !put_files(plan, err) ||
	    !set_kernel(plan, err))
		return false;
	say(plan, "cores go to %s as before",
	    *plan->previous.core_pattern ? plan->previous.core_pattern : "nobody");
	AUTO(xfree) char *trouble = boot_settings_trouble(plan->previous.installed);
	if (trouble)
		say(plan, "%s: remove that line", trouble);
	return true;
}

bool install_run(const struct install_options *options, install_say_fn *sayer,
		 struct err *err)
{
	struct plan plan = { .options = options, .say = sayer };
	const bool ok = install(&plan, err);

	xfree(plan.program);
	return ok;
}

static bool take_away(const struct plan *plan, const char *path, struct err *err)
{
	return install_remove(path, plan->options->dry_run, plan->say, err);
}

static bool restore_limit(const struct plan *plan, struct err *err)
{
	const struct previous *p = &plan->previous;
	AUTO(xfree) char *limit = xasprintf("%" PRIu64, p->core_pipe_limit);

	if (plan->now.pipe_limit == p->installed_limit)
		return set(plan, "core_pipe_limit", limit, err);
	if (plan->now.pipe_limit != p->core_pipe_limit)
		say(plan, "kernel.core_pipe_limit was changed since: it stays %" PRIu64,
		    plan->now.pipe_limit);
	return true;
}

static bool restore(const struct plan *plan, struct err *err)
{
	return restore_limit(plan, err) &&
	       (plan->state != INSTALL_OURS ||
		set(plan, "core_pattern", plan->previous.core_pattern, err));
}

/* core_pattern first: from then on nobody needs the rest. */
static bool uninstall(struct plan *plan, struct err *err)
{
	if (!check(plan, err))
		return false;
	if (plan->state == INSTALL_NONE) {
		say(plan, "gosnap is not installed as a handler of cores");
		return take_away(plan, PREVIOUS, err);
	}
	if (plan->state == INSTALL_CHANGED && !plan->options->force)
		return err_set(err, ERR_CANNOT,
			       "core_pattern was changed since gosnap was installed (it "
			       "is %.100s): nothing is touched. --force removes the "
			       "files of gosnap and leaves it so",
			       plan->now.pattern);
	if (plan->state == INSTALL_UNKNOWN)
		return err_set(err, ERR_CANNOT,
			       "core_pattern is %.100s, and " PREVIOUS
			       " does not say what was before: set it to that, which is "
			       "core by default",
			       plan->now.pattern);
	return restore(plan, err) && take_away(plan, INSTALL_SYSCTL, err) &&
	       uninstall_units(plan->options->dry_run, plan->say, err) &&
	       take_away(plan, PREVIOUS, err);
}

bool uninstall_run(const struct install_options *options, install_say_fn *sayer,
		   struct err *err)
{
	struct plan plan = { .options = options, .say = sayer };

	return uninstall(&plan, err);
}
