/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "goruntime/goruntime.h"
#include "lib/elf/image_debug.h"
#include "lib/procfs/process.h"
#include "lib/procfs/access_check.h"
#include "lib/ptrace/target_live.h"
#include "lib/ptrace/tracer.h"

enum {
	SHORT_ID = 12, /* digits of a container ID, as its tools print it */
	GB_PAGES = 1 << 30 >> 12,
	LISTED = 3, /* at most so many library names in one sentence */
	TABLES_PART = 100,
};

/* Takes ownership of text and remedy; remedy may be NULL. */
static void add(struct doctor *d, const char *check, enum doctor_level level, char *text,
		char *remedy)
{
	GROW(d->findings, d->finding_count, d->finding_cap);
	d->findings[d->finding_count++] =
		(struct doctor_finding){ check, level, text, remedy };
}

void doctor_add(struct doctor *d, const char *check, enum doctor_level level, char *text,
		char *remedy)
{
	add(d, check, level, text, remedy);
}

static void fine(struct doctor *d, const char *check, const char *text)
{
	add(d, check, DOCTOR_FINE, xstrdup(text), NULL);
}

static void doubt(struct doctor *d, const char *check, const char *text,
		  const char *remedy)
{
	add(d, check, DOCTOR_DOUBTFUL, xstrdup(text), remedy ? xstrdup(remedy) : NULL);
}

#define CLEAR_NS (UINT64_C(1000) * 1000 * 1000)

static void refuse(struct doctor *d, enum err_code code, const char *text)
{
	d->refused = code;
	add(d, "access", DOCTOR_BLOCKED, xstrdup(text), NULL);
}

/* Checks of ourselves and this machine. */

static void check_scheduling(struct doctor *d)
{
	if (d->conditions.ours.realtime)
		fine(d, "scheduling", "gosnap gets a CPU as soon as it needs one");
	else
		doubt(d, "scheduling",
		      "gosnap has ordinary priority: on a busy machine, it may wait up "
		      "to about 50 ms for a CPU, even while a process is stopped",
		      "run gosnap as root, or with CAP_SYS_NICE");
}

static void check_kernel(struct doctor *d)
{
	const struct kernel_features *k = &d->conditions.kernel;

	if (!k->close_range)
		add(d, "kernel", DOCTOR_DOUBTFUL,
		    xasprintf("Linux %s lacks close_range: files and connections that "
			      "the process closes stay open while its copy exists",
			      k->release),
		    xstrdup("use Linux 5.9 or later"));
	else if (!k->process_vm_readv)
		add(d, "kernel", DOCTOR_DOUBTFUL,
		    xasprintf("Linux %s does not allow process_vm_readv: reading memory "
			      "is slower",
			      k->release),
		    xstrdup("allow process_vm_readv in the container's seccomp profile"));
	else
		add(d, "kernel", DOCTOR_FINE,
		    xasprintf("Linux %s has everything that gosnap uses", k->release),
		    NULL);
}

static void check_price(struct doctor *d)
{
	char took[16];
	uint64_t ns = d->conditions.machine.page_ns;

	if (!ns) {
		fine(d, "copy_cost", "could not measure how long a copy takes");
		return;
	}
	plan_duration(ns * GB_PAGES, took, sizeof(took));
	add(d, "copy_cost", DOCTOR_FINE,
	    xasprintf("copying a process takes about %s per gigabyte that it uses", took),
	    NULL);
}

static void check_any_access(struct doctor *d)
{
	const struct our_rights *ours = &d->conditions.ours;
	struct access_check_facts facts;

	access_check_collect(getpid(), &facts);
	if (facts.foreign_proc) {
		struct err err;
		(void)!access_check_judge(&facts, &err);
		refuse(d, err.code, err.text);
	} else if (facts.yama_scope == YAMA_NOBODY) {
		refuse(d, ERR_PERMISSION,
		       "kernel.yama.ptrace_scope is 3: no process can be examined until "
		       "a reboot with another setting");
	} else if (facts.yama_scope == YAMA_ADMIN && !ours->ptrace) {
		refuse(d, ERR_PERMISSION,
		       "kernel.yama.ptrace_scope is 2: only root may examine processes: "
		       "run gosnap as root or with CAP_SYS_PTRACE");
	} else if (!conditions_may_trace()) {
		refuse(d, ERR_PERMISSION,
		       "tracing is forbidden here, even of gosnap's own children, as in "
		       "some containers: allow ptrace in the seccomp profile (docker run "
		       "--cap-add SYS_PTRACE)");
	} else if (ours->ptrace) {
		fine(d, "access", "gosnap may examine every visible process");
	} else if (facts.yama_scope == YAMA_DESCENDANTS) {
		doubt(d, "access",
		      "kernel.yama.ptrace_scope is 1: only descendants of gosnap may be "
		      "examined",
		      "run gosnap as root, or set it to 0 (sysctl -w "
		      "kernel.yama.ptrace_scope=0)");
	} else {
		add(d, "access", DOCTOR_DOUBTFUL,
		    xasprintf("only processes of gosnap's user (uid %u) may be examined",
			      ours->uid),
		    xstrdup("to examine others, run gosnap as root or with "
			    "CAP_SYS_PTRACE"));
	}
}

static void examine_machine(struct doctor *d)
{
	check_any_access(d);
	check_kernel(d);
	check_scheduling(d);
	if (d->conditions.ours.seccomp)
		doubt(d, "seccomp",
		      "gosnap itself runs under a seccomp filter, as in a container: a "
		      "process with its own filter cannot be copied",
		      "run gosnap outside the container");
	check_price(d);
}

/* Checks of the process. */

static bool check_access(struct doctor *d, struct err *err)
{
	struct access_check_facts facts;

	access_check_collect(d->pid, &facts);
	if (!access_check_judge(&facts, err)) {
		if (err_is(err, ERR_NOT_FOUND))
			return false;
		refuse(d, err->code, err->text);
	} else if (d->conditions.ours.ptrace) {
		fine(d, "access",
		     "gosnap may examine the process: gosnap has CAP_SYS_PTRACE");
	} else {
		fine(d, "access",
		     "gosnap may examine the process: both run as the same user");
	}
	return true;
}

static void check_container(struct doctor *d)
{
	struct err ignored;
	AUTO(process_free) struct process *p = process_read(d->pid, &ignored);

	if (p && p->container)
		add(d, "container", DOCTOR_FINE,
		    xasprintf("the process is in container %.*s%s", SHORT_ID,
			      p->container,
			      p->exe_deleted ? "" : "; its files are read through /proc"),
		    NULL);
	if (p && p->exe_deleted)
		fine(d, "program",
		     "its executable was replaced or deleted: gosnap reads the running "
		     "one");
}

static void check_layout(struct doctor *d, const struct runtime *rt)
{
	const char *source = runtime_layout_source(rt);

	if (!source)
		return;
	d->layout = xstrdup(source);
	if (runtime_build_info(rt)->version_source != VERSION_BUILD_INFO &&
	    strncmp(source, "assumed", 7) == 0)
		add(d, "layout", DOCTOR_DOUBTFUL,
		    xasprintf("the program does not record its Go version: treated as %s",
			      source + strlen("assumed ")),
		    xstrdup("use --assume-go if you know the version"));
	else if (strcmp(source, "dwarf") == 0)
		fine(d, "layout",
		     "the program itself describes where its runtime keeps its data");
	else if (strncmp(source, "assumed", 7) == 0)
		add(d, "layout", DOCTOR_DOUBTFUL,
		    xasprintf("unknown Go version, and the program is stripped: treated "
			      "as %s",
			      source + strlen("assumed ")),
		    xstrdup("use a newer gosnap, or build without -ldflags=-w"));
	else
		fine(d, "layout",
		     "the program is stripped, but the layout of this Go version is "
		     "known");
}

static void check_go(struct doctor *d, struct runtimes *all)
{
	size_t n = runtimes_count(all);

	if (!n) {
		doubt(d, "go",
		      "not a Go program, or not recognised as one: only its threads will "
		      "be shown",
		      NULL);
		return;
	}
	const struct runtime *rt = runtimes_get(all, 0);
	const char *version = runtime_build_info(rt)->version;
	d->go = version ? xstrdup(version) : NULL;
	d->goroutines = runtimes_expected_goroutines(all);
	if (runtime_unusable(rt))
		add(d, "go", DOCTOR_DOUBTFUL,
		    xasprintf("%s: only its threads will be shown", runtime_unusable(rt)),
		    xstrdup("use --assume-go with a similar Go version"));
	else if (n > 1)
		add(d, "go", DOCTOR_FINE,
		    xasprintf("%zu Go runtimes, the first is %s; %" PRIu64
			      " goroutines in all",
			      n, version ? version : "an unknown Go version",
			      d->goroutines),
		    NULL);
	else
		add(d, "go", DOCTOR_FINE,
		    xasprintf("%s, %" PRIu64 " goroutines",
			      version ? version : "an unknown Go version", d->goroutines),
		    NULL);
	check_layout(d, rt);
}

static void check_debug(struct doctor *d, const struct images *images)
{
	const struct image *img = images_count(images) ? images_get(images, 0) : NULL;
	struct err why;

	if (!img || image_unreadable(img))
		return;
	const struct image *found = image_debug(img, &why);
	AUTO(xfree) char *link = image_debug_link(img);
	if (found == img)
		fine(d, "debug_information", "in the program itself");
	else if (found)
		add(d, "debug_information", DOCTOR_FINE,
		    xasprintf("in a separate file, %s", image_path(found)), NULL);
	else if (link)
		add(d, "debug_information", DOCTOR_FINE,
		    xasprintf("%s; stacks do not need it", why.text), NULL);
	else
		fine(d, "debug_information",
		     "stripped from the program; stacks do not need it");
}

/* Object names for one sentence: "a, b and 2 more". */
struct names {
	char words[256];
	size_t count;
};

static void add_name(struct names *names, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(names->words);

	if (names->count++ < LISTED)
		snprintf(names->words + len, sizeof(names->words) - len, "%s%.60s",
			 len ? ", " : "", slash ? slash + 1 : path);
}

static const char *more(const struct names *names, char *buf, size_t size)
{
	*buf = 0;
	if (names->count > LISTED)
		snprintf(buf, size, " and %zu more", names->count - LISTED);
	return buf;
}

static bool is_go(struct runtimes *all, const struct image *img)
{
	for (size_t i = 0; i < runtimes_count(all); i++) {
		struct runtime *rt = runtimes_get(all, i);
		for (size_t k = 0; k < runtime_image_count(rt); k++)
			if (!strcmp(runtime_image(rt, k).path, image_path(img)))
				return true;
	}
	return false;
}

/* C code usually has tables of a tenth of its size; musl has them only for its
 * assembly. */
static bool has_unwind_tables(const struct image *img)
{
	struct image_segment segment;
	struct image_range tables;
	uint64_t code = 0;

	for (size_t i = 0; image_segment(img, i, &segment); i++)
		if (segment.executable)
			code += segment.size;
	return image_section(img, ".eh_frame", &tables) &&
	       tables.size >= code / TABLES_PART;
}

/* Checks for files and unwind tables that the parts written in C lack. */
static void check_objects(struct doctor *d, const struct images *images,
			  struct runtimes *all)
{
	struct names unread = { .count = 0 }, bare = { .count = 0 };
	char rest[32];

	for (size_t i = 0; i < images_count(images); i++) {
		const struct image *img = images_get(images, i);
		if (image_unreadable(img))
			add_name(&unread, image_path(img));
		else if (image_fd(img) >= 0 && !is_go(all, img) &&
			 !has_unwind_tables(img))
			add_name(&bare, image_path(img));
	}
	if (unread.count)
		add(d, "files", DOCTOR_DOUBTFUL,
		    xasprintf("not readable: %s%s; stacks end there", unread.words,
			      more(&unread, rest, sizeof(rest))),
		    xstrdup("run gosnap as root"));
	if (bare.count)
		add(d, "c_code", DOCTOR_DOUBTFUL,
		    xasprintf("no unwind tables in %s%s: C stacks end there", bare.words,
			      more(&bare, rest, sizeof(rest))),
		    xstrdup("build it with -fasynchronous-unwind-tables"));
}

static void add_obstacle(void *arg, const char *what, const struct plan_way *obstacle)
{
	struct doctor *d = arg;
	bool still = conditions_stand_still(&d->conditions) && !strcmp(what, "stopped");

	add(d, what, still ? DOCTOR_FINE : DOCTOR_DOUBTFUL,
	    xasprintf("%s%s",
		      still ? "" : "the process will not be copied: ", obstacle->why),
	    *obstacle->remedy ? xstrdup(obstacle->remedy) : NULL);
}

static void check_copy(struct doctor *d)
{
	size_t before = d->finding_count;

	plan_each_obstacle(&d->conditions, add_obstacle, d);
	if (d->finding_count > before)
		return;
	fine(d, "copy", "no obstacle found");
}

static void find_leftovers(struct doctor *d)
{
	if (!conditions_leftovers(d->pid, d->leftovers, DOCTOR_LEFTOVERS,
				  &d->leftover_count))
		d->leftovers_errno = errno ? errno : EIO;
}

static void check_leftovers(struct doctor *d)
{
	if (d->leftovers_errno)
		add(d, "leftovers", DOCTOR_DOUBTFUL,
		    xasprintf("cannot look for zombies left by a killed gosnap: %s",
			      strerror(d->leftovers_errno)),
		    NULL);
	if (d->leftover_count)
		add(d, "leftovers", DOCTOR_DOUBTFUL,
		    xasprintf("%zu harmless zombie%s left by a killed gosnap",
			      d->leftover_count, d->leftover_count > 1 ? "s" : ""),
		    xstrdup("\"gosnap doctor --clear\" or the next snapshot by a copy "
			    "removes them"));
}

static void make_plan(struct doctor *d, struct runtimes *all)
{
	struct plan_demand demand = {
		.goroutines = d->goroutines,
		.stack_bytes = runtimes_expected_bytes(all),
		.values = true, /* as by default */
		.can_gather = true,
	};
	struct err err;

	if (!plan_make(&d->conditions, &demand, &d->plan, &err))
		refuse(d, err.code, err.text);
}

static void add_warnings(struct doctor *d, const struct warnings *warnings)
{
	for (size_t i = 0; i < warnings_count(warnings); i++)
		if (strcmp(warnings_where(warnings, i), "layout"))
			doubt(d, "go", warnings_what(warnings, i), NULL);
}

static void examine_program(struct doctor *d)
{
	struct target *t = d->target;
	AUTO(images_close) struct images *images = images_open(t);
	AUTO(warnings_free) struct warnings *warnings = warnings_new();
	AUTO(runtimes_close)
	struct runtimes *all = runtimes_open(t, images, NULL, warnings);
	if (images_count(images) && image_unpacks_itself(images_get(images, 0)))
		fine(d, "program",
		     "the program unpacked itself into memory and is read from there");
	check_go(d, all);
	add_warnings(d, warnings);
	check_debug(d, images);
	check_objects(d, images, all);
	make_plan(d, all);
}

static bool begin_process(struct doctor *d, struct err *err)
{
	struct err why;

	if (!check_access(d, err))
		return false;
	check_container(d);
	if (!d->refused)
		d->target = target_live_open(d->pid, &why);
	if (!d->refused && !d->target)
		refuse(d, why.code, why.text);
	find_leftovers(d);
	return true;
}

void doctor_examine(struct doctor *d)
{
	if (!d->pid)
		return;
	if (!d->refused)
		examine_program(d);
	if (!d->refused)
		check_copy(d);
	check_scheduling(d);
	check_kernel(d);
	check_leftovers(d);
}

/* Do the obstacles to a copy apply? The program does not matter for that. */
static bool can_copy(struct doctor *d, struct err *err)
{
	const struct plan_demand demand = { .values = true, .can_gather = true };
	struct plan plan;

	if (!d->target)
		return err_set(err, ERR_CANNOT,
			       "cannot remove what a killed gosnap left");
	return plan_make(&d->conditions, &demand, &plan, err) &&
	       (plan.of[CAPTURE_COPY].possible ||
		err_set(err, ERR_CANNOT, "cannot remove what a killed gosnap left: %s",
			plan.of[CAPTURE_COPY].why));
}

bool doctor_clear(struct doctor *d, struct err *err)
{
	const struct tracer_options options = { .max_hold_ns = CLEAR_NS, .keep = -1 };

	if (!d->leftover_count)
		return true;
	if (!can_copy(d, err))
		return false;
	AUTO(tracer_end) struct tracer *tracer = tracer_start(d->target, &options, err);
	return tracer && tracer_reap(tracer, err);
}

struct doctor *doctor_begin(pid_t pid, struct err *err)
{
	AUTO(doctor_free) struct doctor *d = xcalloc(1, sizeof(*d));

	d->pid = pid;
	conditions_read(pid, &d->conditions);
	d->conditions.machine.page_ns = conditions_price();
	if (!pid)
		examine_machine(d);
	else if (!begin_process(d, err))
		return NULL;
	return TAKE(d);
}

void doctor_free(struct doctor *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->finding_count; i++) {
		xfree(d->findings[i].text);
		xfree(d->findings[i].remedy);
	}
	target_close(d->target);
	xfree(d->findings);
	xfree(d->go);
	xfree(d->layout);
	xfree(d);
}

size_t doctor_count(const struct doctor *d, enum doctor_level level)
{
	size_t n = 0;

	for (size_t i = 0; i < d->finding_count; i++)
		n += d->findings[i].level == level;
	return n;
}
