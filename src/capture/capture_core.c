/* SPDX-License-Identifier: Apache-2.0 */
#include "src/capture/capture_core.h"

#include <inttypes.h>
#include <string.h>

#include "lib/corefile/core_process.h"
#include "lib/corefile/target_core.h"
#include "src/capture/debuginfod.h"

static size_t read_constant(void *arg, uint64_t addr, void *buf, size_t len)
{
	const struct image *img = images_at(arg, addr);
	const void *bytes =
		img && !image_unreadable(img) ? image_bytes(img, addr, len) : NULL;
	size_t left;

	if (!bytes && img && !image_unreadable(img) &&
	    (bytes = image_bytes_from(img, addr, &left)))
		len = left < len ? left : len;
	if (!bytes)
		return 0;
	memcpy(buf, bytes, len);
	return len;
}

/* Without it, that nothing was found does not mean that there is nothing: readers go by its name "executable". */
static void note_executable(struct capture *c)
{
	const struct image *exe = images_get(c->images, 0);
	const bool can_ask = image_build_id(exe)[0] && !c->options->reading.debuginfod;

	if (image_unreadable(exe))
		warnings_add(
			c->warnings, "executable",
			"its executable %.200s%swas not found: %s. %sGive it after the "
			"name of the core or with --exe, or the folder below which it is "
			"with --root%s",
			image_path(exe), *image_path(exe) ? " " : "",
			image_unreadable(exe),
			runtimes_are_unnamed(c->runtimes)
				? "Without it nothing has a name or a type, and stacks "
				  "are "
				  "program counters, without inlined calls and without "
				  "callers of functions that have no frame. "
				: "",
			can_ask ? ", or have a server asked for it with --debuginfod"
				: "");
	else if (image_unproved(exe))
		warnings_add(c->warnings, "executable", "%s", image_unproved(exe));
}

static void note_libraries(struct capture *c)
{
	size_t n = images_count(c->images), unreadable = 0;
	const struct image *first = NULL;

	for (size_t i = n; i-- > 1;) {
		if (!image_unreadable(images_get(c->images, i)))
			continue;
		first = images_get(c->images, i);
		unreadable++;
	}
	if (unreadable)
		warnings_add(c->warnings, "core",
			     "%zu of its libraries %s not found, such as %.200s: %s",
			     unreadable, unreadable == 1 ? "was" : "were",
			     image_path(first), image_unreadable(first));
}

/* damage: NULL: it is not compressed, or whole. */
static void note_cut(struct capture *c, const char *damage)
{
	const uint64_t cut = target_core_facts(c->live)->cut;

	if (cut)
		warnings_add(c->warnings, "memory",
			     "%s: its last %" PRIu64 " bytes are missing",
			     damage ? damage : "the file is cut", cut);
	else if (damage)
		warnings_add(c->warnings, "core", "%s: nothing of it is missing", damage);
}

static void note_core(struct capture *c)
{
	const struct core_facts *facts = target_core_facts(c->live);

	if (facts->thread < 0)
		warnings_add(c->warnings, "core", "it has no threads");
	if (facts->no_memory)
		warnings_add(
			c->warnings, "memory",
			"it has threads and registers only, neither data nor heap nor "
			"stacks: bit 0 of /proc/PID/coredump_filter was off when the "
			"kernel wrote it, see core(5)");
}

bool capture_has_memory(const struct capture *c)
{
	const struct core_facts *facts = target_core_facts(c->live);

	return !facts || !facts->no_memory;
}

void capture_note_files(struct capture *c)
{
	if (!capture_has_memory(c))
		return;
	note_executable(c);
	note_libraries(c);
}

static struct target *open_core(const char *path, const struct image_search *search,
				struct images **ret_images,
				struct core_origin *ret_origin, struct err *err)
{
	int fd = core_open(path, ret_origin, err);

	if (fd < 0)
		return NULL;
	AUTO(target_close) struct target *t = target_core_open(fd, path, err);
	if (!t || !(*ret_images = images_open_ended(t, search, err)))
		return NULL;
	target_core_use_files(t, read_constant, *ret_images);
	return TAKE(t);
}

struct target *core_with_files(const char *path, const struct image_search *search,
			       struct images **ret_images, struct err *err)
{
	struct core_origin origin;
	struct target *ret = open_core(path, search, ret_images, &origin, err);

	xfree(origin.damage);
	return ret;
}

static int ask_server(void *arg, const char *build_id, const char *path)
{
	struct capture *c = arg;

	return debuginfod_executable(build_id, path,
				     monotonic_ns() + c->options->max_copy_age_ns / 2,
				     c->warnings);
}

/* Its instant is now. */
static struct target *open_dying(struct capture *c, struct image_search *search,
				 struct err *err)
{
	const struct dying *dying = c->options->core.dying;
	AUTO(xfree) char *root = xasprintf("/proc/%d/root", (int)dying->pid);

	if (!dying->is_gone) {
		search->root = root;
		c->monotonic_ns = monotonic_ns();
	}
	c->realtime_ns = realtime_ns();
	AUTO(target_close)
	struct target *t = target_core_open_dying(dying->head, dying->memory,
						  c->options->core.path, err);
	if (!t || !(c->images = images_open_ended(t, search, err)))
		return NULL;
	target_core_use_files(t, read_constant, c->images);
	return TAKE(t);
}

/* /proc still has all of a process that is being dumped. */
static struct process *process_of(const struct capture *c)
{
	struct capture_subject *subject = c->options->subject;
	struct process *p = subject ? TAKE(subject->process) : NULL;

	return p ? p : core_process(c->live);
}

static void note_missed(struct capture *c)
{
	const struct dying *dying = c->options->core.dying;

	if (dying && dying->missing)
		warnings_add(c->warnings, "memory", "%s", dying->missing);
	if (dying && dying->missed)
		warnings_add(c->warnings, "core",
			     "%" PRIu64
			     " earlier crashes of this program have no snapshot: there "
			     "were too many at a time",
			     dying->missed);
}

bool capture_open_core(struct capture *c, struct err *err)
{
	const struct core_options *options = &c->options->core;
	struct image_search search = options->search;
	struct core_origin origin = { .damage = NULL };

	if (c->options->reading.debuginfod) {
		search.fetch = ask_server;
		search.fetch_arg = c;
	}
	c->live = options->dying
			  ? open_dying(c, &search, err)
			  : open_core(options->path, &search, &c->images, &origin, err);
	AUTO(xfree) char *damage = origin.damage;
	if (!c->live)
		return false;
	if (!options->dying)
		c->realtime_ns = origin.written_ns;
	c->process = process_of(c);
	if (!c->process->exe && *image_path(images_get(c->images, 0)))
		c->process->exe = xstrdup(image_path(images_get(c->images, 0)));
	if (target_core_facts(c->live)->realtime_ns)
		c->realtime_ns = target_core_facts(c->live)->realtime_ns;
	if (!c->monotonic_ns)
		c->monotonic_ns = target_core_facts(c->live)->monotonic_ns;
	note_cut(c, damage);
	note_core(c);
	note_missed(c);
	return true;
}

static void not_before(struct capture *c, struct state_number noted)
{
	if (noted.known && noted.value > c->monotonic_ns)
		c->monotonic_ns = noted.value;
}

/* What runs every so often has last run then, or was set. */
static void date_by_timers(struct capture *c, const struct runtime_state *s)
{
	for (size_t i = 0; i < s->timer_count; i++) {
		const struct timer_state *t = &s->timers[i];
		if (t->period && t->period < t->when)
			not_before(c, (struct state_number){ t->when - t->period, true });
	}
}

static void date_by_scheduler(struct capture *c, const struct runtime_state *s)
{
	not_before(c, s->scheduler.last_poll);
	for (size_t i = 0; i < s->processor_count; i++) {
		not_before(c, s->processors[i].looked_at);
		not_before(c, s->processors[i].stopped);
	}
}

void capture_date(struct capture *c)
{
	if (!c->options->core.path || c->monotonic_ns)
		return;
	const size_t n = runtimes_goroutine_count(c->runtimes);

	for (size_t i = 0; i < n; i++) {
		const struct goroutine *g = runtimes_goroutine(c->runtimes, i).goroutine;
		not_before(c, (struct state_number){ g->waiting_since, true });
	}
	for (size_t i = 0; i < runtimes_count(c->runtimes); i++) {
		const struct runtime_state *s =
			runtime_state(runtimes_get(c->runtimes, i));
		if (!s)
			continue;
		date_by_scheduler(c, s);
		date_by_timers(c, s);
	}
}
