/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/bpf/written.h"
#include "src/run/catcher.h"
#include "src/watch/search.h"

enum { PROGRAMS_MAX = 8192, NAMES = 256 };

struct program {
	dev_t device;
	ino_t inode;
	struct timespec changed, modified;
	struct uprobe_links *links; /* NULL: it is not watched */
	struct uprobe_links *later; /* instead of these, once a change is in force */
	int file;		    /* open, while it is watched */
	char *name;		    /* as the subject has it; NULL: it has none */
	uint32_t begun, met;	    /* in which turn it was watched first, and met last */
	int written;		    /* see written.h */
	struct kill_source *source; /* NULL: nothing is known of those that are killed */
};

/* Programs whose probes a grandchild closes. The kernel hangs up `end` once these probes are gone. */
struct leaving {
	int end;
	size_t programs;
};

struct programs {
	struct fault_probes *probes;
	struct programs_options options;
	uint32_t functions; /* those that any has, as bits */
	/* While they are changed: what they were before. */
	struct programs_options before;
	uint32_t functions_before;
	uint32_t turn; /* the number of the change */
	const char
		*names[NAMES]; /* of functions, by the numbers that events have; owned */
	size_t next_name;
	struct uprobe_links **closing; /* to be closed, see programs_close_rest() */
	size_t closing_count, closing_cap;
	struct leaving *leaving;
	size_t leaving_count, leaving_cap, forgotten;
	struct program *list;
	size_t count, cap, watched;
	int written; /* see written.h */
};

struct programs *programs_new(struct fault_probes *probes,
			      const struct programs_options *options)
{
	struct programs *p = xcalloc(1, sizeof(*p));

	p->probes = probes;
	p->options = *options;
	p->written = written_open();
	return p;
}

static void forget_source(const struct programs *p, struct program *program)
{
	if (!program->source)
		return;
	kill_probes_remove(p->options.kills, program->source->file);
	xfree(TAKE(program->source));
}

static void close_later(struct programs *p, struct uprobe_links *links)
{
	GROW(p->closing, p->closing_count, p->closing_cap);
	p->closing[p->closing_count++] = links;
}

/* Its probes go. */
static void forget(struct programs *p, struct program *program)
{
	if (!program->links)
		return;
	close_later(p, TAKE(program->links));
	if (program->later)
		close_later(p, TAKE(program->later));
	forget_source(p, program);
	close(program->file);
	xfree(TAKE(program->name));
	written_remove(p->written, program->written);
	program->changed = (struct timespec){ 0 };
	p->watched--;
	p->forgotten++;
}

static void close_links(struct programs *p)
{
	for (size_t i = 0; i < p->closing_count; i++)
		uprobe_links_close(p->closing[i]);
	p->closing_count = 0;
}

/* Waits until the parent hangs up `from`, then closes the last descriptors of the probes. */
static _Noreturn void close_last(struct programs *p, int from)
{
	char byte;

	if (read(from, &byte, 1) == 0)
		close_links(p);
	_exit(EXIT_SUCCESS);
}

static void note_leaving(struct programs *p, int end)
{
	GROW(p->leaving, p->leaving_count, p->leaving_cap);
	p->leaving[p->leaving_count++] = (struct leaving){ end, p->forgotten };
	p->forgotten = 0;
}

/* The kernel lets nobody go who closes the last descriptor of a probe before all threads that are kept there
 * have gone on, and these wait for us. So the last one is that of a grandchild, which waits instead. It runs
 * first: whatever is started from a file that was written to has the probes of what was there before. */
void programs_close_rest(struct programs *p)
{
	int ends[2], gone[2];

	if (!p->closing_count || pipe2(ends, O_CLOEXEC) != 0)
		return;
	if (pipe2(gone, O_CLOEXEC) != 0) {
		close(ends[0]);
		close(ends[1]);
		return;
	}
	const pid_t child = catcher_fork();
	if (child == 0) {
		close(ends[1]);
		if (catcher_fork() == 0)
			close_last(p, ends[0]);
		_exit(EXIT_SUCCESS);
	}
	if (child > 0) {
		waitpid(child, NULL, 0);
		close_links(p);
		note_leaving(p, gone[0]);
	} else {
		close(gone[0]);
	}
	close(gone[1]);
	close(ends[0]);
	close(ends[1]);
}

size_t programs_leaving(struct programs *p)
{
	size_t n = p->forgotten, left = 0;

	for (size_t i = 0; i < p->leaving_count; i++) {
		const struct leaving leaving = p->leaving[i];
		struct pollfd end = { .fd = leaving.end };
		if (poll(&end, 1, 0) == 1 && (end.revents & POLLHUP)) {
			close(leaving.end);
			continue;
		}
		n += leaving.programs;
		p->leaving[left++] = leaving;
	}
	p->leaving_count = left;
	return n;
}

void programs_free(struct programs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->count; i++)
		forget(p, &p->list[i]);
	close_links(p);
	for (size_t i = 0; i < p->leaving_count; i++)
		close(p->leaving[i].end);
	xfree(p->leaving);
	for (size_t i = 0; i < NAMES; i++)
		xfree((char *)p->names[i]);
	if (p->written >= 0)
		close(p->written);
	xfree(p->closing);
	xfree(p->list);
	xfree(p);
}

int programs_fd(const struct programs *p)
{
	return p->written;
}

void programs_changed(struct programs *p)
{
	for (int number; (number = written_next(p->written)) >= 0;)
		for (size_t i = 0; i < p->count; i++)
			if (p->list[i].written == number)
				forget(p, &p->list[i]);
	programs_close_rest(p);
}

size_t programs_count(const struct programs *p)
{
	return p->watched;
}

static bool find(const struct programs *p, int file, const char *name, struct found *ret,
		 struct err *err)
{
	const struct search how = { p->options.calls, p->options.kills != NULL,
				    p->options.no_sandbox };

	return search(&how, file, name, ret, err);
}

static enum fault_hook hook_of(enum probe_kind kind)
{
	switch (kind) {
	case PROBE_PANIC:
		return FAULT_HOOK_PANIC;
	case PROBE_THROW:
		return FAULT_HOOK_THROW;
	case PROBE_EXIT:
		return FAULT_HOOK_EXIT;
	case PROBE_FOREIGN:
		return FAULT_HOOK_FOREIGN;
	case PROBE_RECOVER:
		return FAULT_HOOK_RECOVER;
	case PROBE_RECOVERED:
		return FAULT_HOOK_RECOVERED;
	case PROBE_FUNCTION:
		return FAULT_HOOK_FUNCTION;
	default:
		return FAULT_HOOK_DYING;
	}
}

static bool is_wanted(const struct programs *p, enum probe_kind kind)
{
	switch (kind) {
	case PROBE_EXIT:
		return p->options.exits;
	case PROBE_RECOVER:
	case PROBE_RECOVERED:
		return p->options.recovered;
	default:
		return true;
	}
}

static bool is_called(const struct probe_wanted *calls, const char *name)
{
	for (size_t i = 0; i < calls->function_count; i++)
		if (strcmp(calls->functions[i], name) == 0)
			return true;
	return false;
}

/* A function keeps its number when others come and go, so that what was told before has its name. */
static uint8_t number_of(struct programs *p, const char *name)
{
	size_t i = 0;

	while (i < NAMES && p->names[i] && strcmp(p->names[i], name) != 0)
		i++;
	while (i == NAMES) {
		const size_t oldest = p->next_name++ % NAMES;
		if (is_called(&p->options.calls, p->names[oldest]) ||
		    is_called(&p->before.calls, p->names[oldest]))
			continue;
		xfree((char *)TAKE(p->names[oldest]));
		i = oldest;
	}
	if (!p->names[i])
		p->names[i] = xstrdup(name);
	return (uint8_t)i;
}

const char *const *programs_functions(const struct programs *p)
{
	return p->names;
}

static struct uprobe_links *attach(struct programs *p, const struct program *program,
				   int file, const struct probe_points *found,
				   struct err *err)
{
	const char *const *calls = p->options.calls.functions;
	struct fault_point points[PROBE_POINTS];
	struct err failed;
	size_t n = 0;

	for (size_t i = 0; i < p->options.calls.function_count; i++)
		p->functions |= (uint32_t)points_have_function(found, i) << i;
	for (size_t i = 0; i < found->count; i++)
		if (is_wanted(p, found->list[i].kind))
			points[n++] = (struct fault_point){
				.offset = found->list[i].offset,
				.hook = hook_of(found->list[i].kind),
				.stack_arguments = found->stack_arguments,
				.function =
					found->list[i].kind == PROBE_FUNCTION
						? number_of(
							  p,
							  calls[found->list[i].function])
						: 0,
				.panic_offset = (uint8_t)found->panic_offset,
				.recovered_offset = (uint8_t)found->recovered_offset,
			};
	struct uprobe_links *links = fault_probes_attach(
		p->probes, file, (uint32_t)(program - p->list), points, n, &failed);
	if (!links)
		*err = failed;
	return links;
}

static void prepare_for_kills(const struct programs *p, struct program *program,
			      const struct found *found)
{
	const uint32_t id = (uint32_t)(program - p->list);
	const struct kill_program what = kill_program_of(&found->goroutines, id);
	struct err ignored; /* likewise */

	if (!found->has_goroutines ||
	    !kill_probes_add(p->options.kills, program->file, &what, &ignored))
		return;
	program->source = xcalloc(1, sizeof(*program->source));
	*program->source = (struct kill_source){ program->file, found->goroutines };
}

static bool watch(struct programs *p, struct program *program, int file, const char *name,
		  struct err *err)
{
	AUTO(xfree) struct found *found = xcalloc(1, sizeof(*found));

	if (!find(p, file, name, found, err))
		return false;
	program->written = written_add(p->written, file);
	program->links = attach(p, program, file, &found->points, err);
	program->file = program->links ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
	if (program->file < 0) {
		if (program->links)
			err_sys(err, "cannot watch %.200s", name);
		uprobe_links_close(TAKE(program->links));
		written_remove(p->written, program->written);
		return false;
	}
	program->begun = p->turn;
	prepare_for_kills(p, program, found);
	return true;
}

const struct kill_source *programs_source(const struct programs *p, uint32_t id)
{
	return id < p->count ? p->list[id].source : NULL;
}

static struct program *known(const struct programs *p, const struct stat *st)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].inode == st->st_ino && p->list[i].device == st->st_dev)
			return &p->list[i];
	return NULL;
}

size_t programs_wanted(const struct programs *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		n += p->list[i].links && p->list[i].met == p->turn;
	return n;
}

bool programs_have_functions(const struct programs *p)
{
	const size_t n = p->options.calls.function_count;

	_Static_assert(PROBE_FUNCTIONS <= 32, "each has a bit");
	return p->functions == (UINT64_C(1) << n) - 1;
}

bool programs_has(const struct programs *p, const struct stat *file)
{
	const struct program *program = known(p, file);

	return program && program->links;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Else there is something to find out: the number of a file that is gone may be that of another one now, and
 * one may have been written to, though nobody told. */
static bool is_known(struct programs *p, struct program *program, const struct stat *st)
{
	if (program->links && !is_same_time(&program->modified, &st->st_mtim))
		forget(p, program);
	return program->links || is_same_time(&program->changed, &st->st_ctim);
}

static struct program *add(struct programs *p, const struct stat *st)
{
	GROW(p->list, p->count, p->cap);
	p->list[p->count] = (struct program){ .device = st->st_dev, .inode = st->st_ino };
	return &p->list[p->count++];
}

static void note(const struct programs *p, struct program *program, const char *name)
{
	program->met = p->turn;
	if (name && !program->name)
		program->name = xstrdup(name);
}

static enum program_state look(struct programs *p, int file, const char *path,
			       const char *name, struct err *err)
{
	struct stat st;

	if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return PROGRAM_OTHER;
	struct program *program = known(p, &st);
	if (program && is_known(p, program, &st)) {
		if (program->links)
			note(p, program, name);
		return program->links ? PROGRAM_WATCHED : PROGRAM_OTHER;
	}
	if (!program && p->count == PROGRAMS_MAX) {
		err_set(err, ERR_LIMIT, "%.200s is not watched: there are more than %d",
			path, PROGRAMS_MAX);
		return PROGRAM_OTHER;
	}
	if (!program)
		program = add(p, &st);
	program->changed = st.st_ctim;
	program->modified = st.st_mtim;
	if (!watch(p, program, file, path, err))
		return PROGRAM_OTHER;
	note(p, program, name);
	p->watched++;
	return PROGRAM_NEW;
}

enum program_state programs_watch(struct programs *p, const char *path, const char *name,
				  struct err *err)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*err = (struct err){ .code = ERR_NONE };
	if (file < 0) {
		err_sys(err, "cannot open %.200s", path);
		return PROGRAM_OTHER;
	}
	const enum program_state state = look(p, file, path, name, err);
	close(file);
	return state;
}

bool programs_rate(const char *path, uid_t uid, struct spool *spool, uint64_t interval_ns)
{
	const struct spool_rate rate = { .interval_ns = interval_ns };
	const int file =
		interval_ns ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
			    : -1;
	const uint64_t program = spool_program(file);
	struct err err;
	uint64_t missed;

	if (file >= 0)
		close(file);
	return !program || spool_rate(spool, &rate, uid, program, &missed, &err) ||
	       !err_is(&err, ERR_LIMIT);
}

static bool is_same(const struct programs_options *a, const struct programs_options *b)
{
	if (a->exits != b->exits || a->recovered != b->recovered ||
	    a->calls.function_count != b->calls.function_count)
		return false;
	for (size_t i = 0; i < a->calls.function_count; i++)
		if (strcmp(a->calls.functions[i], b->calls.functions[i]) != 0)
			return false;
	return true;
}

void programs_change(struct programs *p, const struct programs_options *options)
{
	p->before = p->options;
	p->functions_before = p->functions;
	p->options = *options;
	if (!is_same(&p->before, options))
		p->functions = 0;
	p->turn++;
}

void programs_keep(struct programs *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (!name || (p->list[i].name && strcmp(p->list[i].name, name) == 0))
			p->list[i].met = p->turn;
}

/* The first that is to have other probes than it has; NULL: none. */
static struct program *to_change(const struct programs *p)
{
	if (is_same(&p->before, &p->options))
		return NULL;
	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].links && p->list[i].met == p->turn &&
		    p->list[i].begun != p->turn && !p->list[i].later)
			return &p->list[i];
	return NULL;
}

bool programs_change_next(struct programs *p, bool *ret_done, struct err *err)
{
	AUTO(xfree) struct found *found = xcalloc(1, sizeof(*found));
	struct program *program = to_change(p);
	char path[64];

	*err = (struct err){ .code = ERR_NONE };
	*ret_done = !program;
	if (!program)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", program->file);
	if (!find(p, program->file, program->name ? program->name : path, found, err))
		return false;
	program->later = attach(p, program, program->file, &found->points, err);
	return program->later != NULL;
}

static void put_in_force(struct programs *p, struct program *program)
{
	if (program->met != p->turn) {
		forget(p, program);
	} else if (program->later) {
		close_later(p, program->links);
		program->links = TAKE(program->later);
	}
}

static void take_back(struct programs *p, struct program *program)
{
	if (program->begun == p->turn)
		forget(p, program);
	else if (program->later)
		close_later(p, TAKE(program->later));
}

void programs_change_end(struct programs *p, bool in_force)
{
	if (!in_force) {
		p->options = p->before;
		p->functions = p->functions_before;
	}
	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].links)
			(in_force ? put_in_force : take_back)(p, &p->list[i]);
	p->before = p->options;
}

/* A change that is not in force yet may be taken back. */
bool programs_want(const struct programs *p, const struct fault_event *event)
{
	const char *function = p->names[event->function % NAMES];

	if (event->program >= p->count || !p->list[event->program].links)
		return false;
	switch (event->hook) {
	case FAULT_HOOK_FUNCTION:
		return is_called(&p->options.calls, function) ||
		       is_called(&p->before.calls, function);
	case FAULT_HOOK_RECOVER:
	case FAULT_HOOK_RECOVERED:
		return p->options.recovered || p->before.recovered;
	default:
		return true;
	}
}
