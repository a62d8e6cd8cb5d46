/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/watched.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/procfs/cgroup_find.h"
#include "lib/sandbox/sandbox.h"
#include "src/bpf/ability.h"

#define KILL_NS (UINT64_C(100) * 1000 * 1000) /* the kernel is busy with one process */
#define NS_PER_S (UINT64_C(1000) * 1000 * 1000)
#define HOLD_NS NS_PER_S
#define AGAIN_NS (10 * NS_PER_S)

enum { KILL_BYTES = 16 << 20 };

static bool has_pid(const struct watch_subjects *subjects, pid_t pid)
{
	for (size_t i = 0; i < subjects->pid_count; i++)
		if (subjects->pids[i] == pid)
			return true;
	return false;
}

/* Or is there no group? */
static bool is_in_group(const struct watch_subjects *subjects, pid_t pid)
{
	if (!subjects->cgroup)
		return true;
	AUTO(xfree) char *top = cgroup_top(), *group = realpath(subjects->cgroup, NULL);
	return top && group && cgroup_has(top, group, pid);
}

static bool holds_mounts(const struct watched *w)
{
	return w->options->subjects.all || w->options->subjects.cgroup;
}

static bool runs_program(const struct programs *programs, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, &st) == 0 && programs_has(programs, &st);
}

void watched_each(const struct watched *w, void (*fn)(void *arg, pid_t pid), void *arg)
{
	const struct watch_subjects *subjects = &w->options->subjects;
	AUTO(xfree) char *top = subjects->cgroup ? cgroup_top() : NULL;
	AUTO(xfree)
	char *group = subjects->cgroup ? realpath(subjects->cgroup, NULL) : NULL;
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if ((!subjects->pid_count || has_pid(subjects, pid)) &&
		    runs_program(w->programs, pid) &&
		    (!subjects->cgroup || (top && group && cgroup_has(top, group, pid))))
			fn(arg, pid);
	}
	if (proc)
		closedir(proc);
}

/* Descriptors of processes stay open, as epoll needs them. */
static bool await_end(int ends, pid_t pid, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT,
				     .data.u32 = (uint32_t)pid };
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);

	if (process < 0 && errno == ESRCH)
		return err_set(err, ERR_GONE, "process %d: no such process", (int)pid);
	return (process >= 0 && epoll_ctl(ends, EPOLL_CTL_ADD, process, &event) == 0) ||
	       err_sys(err, "cannot watch process %d", (int)pid);
}

/* Returns a descriptor, readable when one of them has ended. -1: err, as there is no such process. */
static int open_ends_of(const pid_t *pids, size_t n, struct err *err)
{
	const int ends = epoll_create1(EPOLL_CLOEXEC);

	if (ends < 0)
		err_sys(err, "cannot watch processes");
	for (size_t i = 0; ends >= 0 && i < n; i++) {
		if (await_end(ends, pids[i], err))
			continue;
		close(ends);
		return -1;
	}
	return ends;
}

/* Told once; 0: none. */
static pid_t next_ended(int ends)
{
	struct epoll_event event;

	return epoll_wait(ends, &event, 1, 0) == 1 ? (pid_t)event.data.u32 : 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat one, other;

	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_ino == other.st_ino &&
	       one.st_dev == other.st_dev;
}

/* A program that is no Go program is no news, unless it was asked for. */
static enum program_state watch_file(struct watched *w, const char *path,
				     const char *name)
{
	struct err err;
	const enum program_state state = programs_watch(w->programs, path, name, &err);

	if (err_is(&err, ERR_UNSUPPORTED) || err_is(&err, ERR_LIMIT) ||
	    (err_is(&err, ERR_SYS) && strncmp(path, "/proc/", 6) != 0))
		watch_say(w->log, "refused", 0, "%s", err.text);
	if (err_is(&err, ERR_NOT_FOUND) && state == PROGRAM_NEW)
		w->missing = err;
	return state;
}

static void watch_process(struct watched *w, pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	watch_file(w, path, name);
}

/* A file of that name may be another one by now. False: none of the subjects. */
static bool watch_if_subject(struct watched *w, const char *path)
{
	const struct watch_subjects *subjects = &w->options->subjects;
	size_t i = 0;

	if (subjects->all || subjects->cgroup) {
		watch_file(w, path, NULL);
		return true;
	}
	while (i < subjects->file_count && !is_same_file(path, subjects->files[i]))
		i++;
	if (i == subjects->file_count)
		return false;
	watch_file(w, path, subjects->files[i]);
	return true;
}

/* Another mount namespace than ours may have other file systems. */
static void hold_mounts_of(void *arg, pid_t pid)
{
	struct watched *w = arg;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!w->strict || stat(path, &st) != 0 || strict_has_met(w->strict, st.st_dev) ||
	    !is_in_group(&w->options->subjects, pid))
		return;
	strict_add_mounts(w->strict, pid);
	strict_meet(w->strict, st.st_dev);
}

static struct kill_settings kill_settings_of(const struct watch_service_options *options,
					     const struct fault_settings *faults)
{
	return (struct kill_settings){
		.all_kills = options->on_kill,
		.only_pids = faults->only_pids,
		.cgroup_id = faults->cgroup_id,
		.cgroup_level = faults->cgroup_level,
	};
}

static void set(struct watched *w)
{
	const struct kill_settings kills = kill_settings_of(w->options, &w->settings);

	fault_probes_set(w->probes, &w->settings);
	if (w->kills)
		kill_probes_set(w->kills, &kills);
}

static bool find_group(const char *group, struct fault_settings *ret, struct err *err)
{
	uint64_t id;
	uint32_t level;

	if (!cgroup_number(group, &id, &level, err))
		return false;
	ret->cgroup_id = id;
	ret->cgroup_level = level;
	return true;
}

/* A unit or a container that starts again has another group by the same name, and another number. */
static void follow_group(struct watched *w)
{
	const char *group = w->options->subjects.cgroup;
	struct stat st;
	struct err ignored;

	if (group && stat(group, &st) == 0 && st.st_ino != w->settings.cgroup_id &&
	    find_group(group, &w->settings, &ignored))
		set(w);
}

void watched_exec(struct watched *w, pid_t pid)
{
	char path[64];

	follow_group(w);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (holds_mounts(w))
		hold_mounts_of(w, pid); /* it may end soon */
	watch_if_subject(w, path);
}

/* What is to happen while they are being watched: a list of some length. */
struct between {
	void (*fn)(void *arg);
	void *arg;
};

static void pass(const struct between *between)
{
	if (between)
		between->fn(between->arg);
}

static void watch_all(struct watched *w, const struct between *between)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		watch_process(w, (pid_t)strtol(entry->d_name, NULL, 10), NULL);
		pass(between);
	}
	if (proc)
		closedir(proc);
}

static void watch_subjects(struct watched *w, const struct between *between)
{
	const struct watch_subjects *subjects = &w->options->subjects;

	for (size_t i = 0; i < subjects->file_count; i++) {
		watch_file(w, subjects->files[i], subjects->files[i]);
		pass(between);
	}
	for (size_t i = 0; i < subjects->pid_count; i++) {
		watch_process(w, subjects->pids[i], NULL);
		pass(between);
	}
	if (subjects->all || subjects->cgroup)
		watch_all(w, between);
}

/* Is there anything to watch, now or later? */
static bool check_programs(const struct watched *w, struct err *err)
{
	const struct watch_subjects *subjects = &w->options->subjects;

	if (subjects->all || subjects->cgroup)
		return true;
	if (!programs_wanted(w->programs))
		return err_set(err, ERR_CANNOT, "none of these is a Go program");
	return programs_have_functions(w->programs) ||
	       err_set(err, ERR_CANNOT, "%s", w->missing.text);
}

/* Their numbers will be those of others. */
static void remove_pid(struct watched *w, pid_t pid)
{
	fault_probes_remove_pid(w->probes, pid);
	if (w->kills)
		kill_probes_remove_pid(w->kills, pid);
}

/* Those that only the first of two has. */
static void remove_pids(struct watched *w, const struct watch_subjects *subjects,
			const struct watch_subjects *but)
{
	for (size_t i = 0; i < subjects->pid_count; i++)
		if (!has_pid(but, subjects->pids[i]))
			remove_pid(w, subjects->pids[i]);
}

static bool add_pids(struct watched *w, const struct watch_subjects *subjects,
		     struct err *err)
{
	for (size_t i = 0; i < subjects->pid_count; i++)
		if (!fault_probes_add_pid(w->probes, subjects->pids[i], err) ||
		    (w->kills && !kill_probes_add_pid(w->kills, subjects->pids[i], err)))
			return false;
	return true;
}

/* -1: there are none, or err. */
static int open_ends(const struct watch_subjects *subjects, struct err *err)
{
	err->code = ERR_NONE;
	return subjects->pid_count
		       ? open_ends_of(subjects->pids, subjects->pid_count, err)
		       : -1;
}

static void take_ends(struct watched *w, int ends)
{
	if (w->ends >= 0)
		close(w->ends);
	w->ends = ends;
	w->ended = 0;
}

/* After what they did last was heard. */
bool watched_ends(struct watched *w)
{
	for (pid_t pid; (pid = next_ended(w->ends));) {
		remove_pid(w, pid);
		w->ended++;
	}
	return w->ended == w->options->subjects.pid_count;
}

static bool settings_of(const struct watch_service_options *options,
			struct fault_settings *ret, struct err *err)
{
	const char *group = options->subjects.cgroup;

	*ret = (struct fault_settings){
		.hold_ns = options->hold_ns,
		.only_pids = options->subjects.pid_count > 0,
		.with_terminals = options->terminals,
		.again_ns = options->again_ns,
		.one_recovered_of =
			options->one_recovered_of ? options->one_recovered_of : 1,
	};
	_Static_assert(sizeof(ret->exits) == sizeof(options->exits), "one is copied");
	memcpy(ret->exits, options->exits, sizeof(ret->exits));
	return !group || find_group(group, ret, err);
}

static struct programs_options programs_options_of(const struct watched *w)
{
	const struct watch_service_options *options = w->options;

	return (struct programs_options){
		.kills = w->kills,
		.exits = options->on_exit,
		.recovered = options->one_recovered_of > 0,
		.calls = { options->functions, options->function_count },
		.no_sandbox = options->snap.no_sandbox,
	};
}

/* The rest works without. */
static bool open_kills(struct watched *w, struct err *err)
{
	const struct kill_probes_options how = {
		.settings = kill_settings_of(w->options, &w->settings),
		.budget_ns = KILL_NS,
		.budget_bytes = KILL_BYTES,
	};

	w->kills = kill_probes_open(&how, err);
	if (!w->kills && !w->options->on_kill)
		watch_say(w->log, "refused", 0, "%s", err->text);
	return w->kills || !w->options->on_kill;
}

bool watched_open(struct watched *w, struct err *err)
{
	const struct watch_service_options *options = w->options;
	struct bpf_facts facts;

	bpf_facts_read(&facts);
	if (!bpf_judge_faults(&facts, options->hold_by, err) ||
	    !settings_of(options, &w->settings, err))
		return false;
	const struct fault_probes_options how = { w->settings, options->hold_by,
						  options->perf_events };
	w->probes = fault_probes_open(&how, err);
	if (!w->probes ||
	    (fault_probes_stops(w->probes) && !bpf_judge_stops(&facts, err)) ||
	    !open_kills(w, err))
		return false;
	sandbox_withhold_mapped("anon_inode:bpf-map");
	w->held = xshared(sizeof(*w->held));
	sandbox_withhold(w->held, sizeof(*w->held));
	const struct programs_options programs = programs_options_of(w);
	w->programs = programs_new(w->probes, &programs);
	return true;
}

static bool add_files(const struct watch_subjects *subjects, struct strict *strict,
		      struct err *err)
{
	for (size_t i = 0; i < subjects->file_count; i++)
		if (!strict_add_file(strict, subjects->files[i], err))
			return false;
	return true;
}

static bool hold_subjects(struct watched *w, struct err *err)
{
	AUTO(strict_free) struct strict *strict = strict_new(w->held, err);

	if (!strict || !add_files(&w->options->subjects, strict, err))
		return false;
	if (holds_mounts(w))
		strict_add_mounts(strict, 0);
	if (!strict_begin(strict, err))
		return false;
	strict_free(w->strict);
	w->strict = TAKE(strict);
	if (holds_mounts(w))
		watched_each(w, hold_mounts_of, w);
	return true;
}

/* What is not a subject may become one by another name. */
static bool look_at_held(void *arg, int file)
{
	char path[64];

	follow_group(arg);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return watch_if_subject(arg, path);
}

static void say_let_by(struct watched *w)
{
	const uint64_t let_by = w->held->let_by, now = monotonic_ns();

	if (let_by == w->let_by || now - w->told_ns < NS_PER_S)
		return;
	watch_say(w->log, "refused", 0,
		  "programs that were not held until they had probes, as there was no "
		  "time (--strict): %llu",
		  (unsigned long long)(let_by - w->let_by));
	w->let_by = let_by;
	w->told_ns = now;
}

/* Whoever ends the holder again and again has a reason. */
static void begin_again(struct watched *w)
{
	const bool again = monotonic_ns() - strict_since(w->strict) >= AGAIN_NS;
	struct err err;

	watch_say(w->log, "failed", 0,
		  "the process that holds programs was ended, or stopped: %s",
		  again ? "it is started again"
			: "none is held from now on, until a reload (--strict)");
	if (again && hold_subjects(w, &err))
		return;
	if (again)
		watch_say(w->log, "failed", 0, "%s", err.text);
	strict_free(TAKE(w->strict));
}

void watched_hold(struct watched *w)
{
	if (!w->strict)
		return;
	const bool goes_on = strict_read(w->strict, look_at_held, w);
	say_let_by(w);
	if (!goes_on)
		begin_again(w);
}

void watched_mounts(struct watched *w)
{
	strict_add_mounts(w->strict, 0);
}

bool watched_begin(struct watched *w, struct err *err)
{
	const struct watch_subjects *subjects = &w->options->subjects;

	w->ends = open_ends(subjects, err);
	if (err->code != ERR_NONE || !add_pids(w, subjects, err))
		return false;
	watch_subjects(w, NULL);
	return check_programs(w, err) && (!w->options->strict || hold_subjects(w, err));
}

void watched_close(struct watched *w)
{
	strict_free(w->strict);
	if (w->held)
		munmap(w->held, sizeof(*w->held));
	programs_free(w->programs);
	fault_probes_close(w->probes);
	kill_probes_close(w->kills);
	if (w->ends >= 0)
		close(w->ends);
}

static bool change_programs(struct watched *w, const struct between *between,
			    struct err *err)
{
	const struct watch_subjects *subjects = &w->options->subjects;
	bool done = false;

	if (subjects->all || subjects->cgroup)
		programs_keep(w->programs, NULL);
	for (size_t i = 0; i < subjects->file_count; i++)
		programs_keep(w->programs, subjects->files[i]);
	watch_subjects(w, between);
	while (!done) {
		if (!programs_change_next(w->programs, &done, err))
			return false;
		if (err_is(err, ERR_NOT_FOUND))
			w->missing = *err;
		pass(between);
	}
	return check_programs(w, err);
}

/* To look into a file takes longer than threads are kept. */
static void hold_longer(struct watched *w)
{
	struct fault_settings settings = w->settings;

	settings.hold_ns = HOLD_NS;
	fault_probes_set(w->probes, &settings);
}

static bool check_change(const struct watched *w,
			 const struct watch_service_options *options, struct err *err)
{
	if (options->perf_events != w->options->perf_events)
		return err_set(err, ERR_USAGE, "--perf-events is for the start only");
	if (options->hold_by != w->options->hold_by)
		return err_set(err, ERR_USAGE, "--hold-by is for the start only");
	if (options->on_kill && !w->kills)
		return err_set(
			err, ERR_UNSUPPORTED,
			"--on-kill is not possible here, as was said at the start");
	return !options->strict || strict_is_possible(err);
}

static bool try_change(struct watched *w, const struct between *between, struct err *err)
{
	const struct programs_options options = programs_options_of(w);

	hold_longer(w);
	programs_change(w->programs, &options);
	return add_pids(w, &w->options->subjects, err) &&
	       change_programs(w, between, err);
}

/* It was possible just before. */
static void change_strict(struct watched *w)
{
	struct err err;

	if (w->options->strict && hold_subjects(w, &err))
		return;
	if (w->options->strict)
		watch_say(w->log, "failed", 0, "%s", err.text);
	strict_free(TAKE(w->strict));
}

bool watched_change(struct watched *w, const struct watch_service_options *options,
		    void (*fn)(void *arg), void *arg, struct err *err)
{
	const struct watch_service_options *before = w->options;
	const struct between between = { fn, arg };
	struct fault_settings settings;

	if (!check_change(w, options, err) || !settings_of(options, &settings, err))
		return false;
	const int ends = open_ends(&options->subjects, err);
	if (err->code != ERR_NONE)
		return false;
	w->options = options;
	const bool ok = try_change(w, &between, err);
	if (ok) {
		w->settings = settings;
		take_ends(w, ends);
	} else {
		w->options = before;
		if (ends >= 0)
			close(ends);
	}
	set(w);
	if (ok)
		change_strict(w);
	remove_pids(w, ok ? &before->subjects : &options->subjects,
		    &w->options->subjects);
	programs_change_end(w->programs, ok);
	return ok;
}
