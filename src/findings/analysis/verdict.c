/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/analysis/verdict.h"

#include <inttypes.h>
#include <string.h>

#include "lib/document/sink.h"
#include "src/analysis/groups.h"
#include "src/findings/finding.h"

enum {
	/* A goroutine that waits may be part of a deadlock: its stack alone is enough. A goroutine that runs may be
	 * caught between two states, so that one such stack in so many tells nothing. */
	LOST_OF = 100,
};
/* In a shorter time, the use of the processors shows nothing. */
#define USE_MIN_NS (SECOND_NS / 2)
#define WAIT_TOLD_NS SECOND_NS

static const char words_cannot[] = "Cannot tell whether anything is wrong";

/* Adds a line. Valid until the next one is added. */
static struct text *add_line(struct verdict_lines *lines)
{
	GROW(lines->list, lines->count, lines->cap);
	lines->list[lines->count] = (struct text){ .words = NULL };
	return &lines->list[lines->count++];
}

/* Adds a line about something that is not known and that findings depend on. */
static struct text *add_unknown(struct verdict *v)
{
	v->is_unknown = true;
	return add_line(&v->not_checked);
}

static bool is_bad(const struct findings *all)
{
	/* The worst finding is the first one. */
	return all->count && all->list[0]->severity != SEVERITY_INFO;
}

struct counts {
	uint64_t own, lost, lost_waiting, longest_ns;
	uint32_t longest; /* goroutine; if longest_ns */
};

static struct counts count_goroutines(const struct finder *f)
{
	struct counts ret = { .own = 0 };

	for (size_t i = 0; i < runtimes_goroutine_count(f->about.all); i++) {
		const struct goroutine *g = finder_goroutine(f, (uint32_t)i).goroutine;
		if (g->system)
			continue;
		const uint64_t age = finder_age(f, (uint32_t)i);
		ret.own++;
		ret.lost += g->state == STACK_LOST;
		ret.lost_waiting += g->state == STACK_LOST &&
				    g->status != GOROUTINE_RUNNING &&
				    g->status != GOROUTINE_RUNNABLE;
		if (age > ret.longest_ns) {
			ret.longest_ns = age;
			ret.longest = (uint32_t)i;
		}
	}
	return ret;
}

/* Adds lines if code or memory of a core is missing. */
static void note_missing(struct verdict *v, const struct warnings *all)
{
	for (size_t i = 0; i < warnings_count(all); i++) {
		const char *where = warnings_where(all, i);
		if (strcmp(where, "executable") == 0 || strcmp(where, "memory") == 0)
			text_add(add_unknown(v), "%s: %s", where, warnings_what(all, i));
	}
}

static void note_runtimes(struct verdict *v, const struct runtimes *all)
{
	for (size_t i = 0; i < runtimes_count(all); i++) {
		const struct runtime *rt = runtimes_get(all, i);
		const struct runtime_image own = runtime_image(rt, 0);
		if (runtime_unusable(rt))
			text_add(add_unknown(v), "goroutines of %s: %s",
				 own.executable ? "the program" : own.path,
				 runtime_unusable(rt));
		else if (runtime_goroutines_missed(rt))
			text_add(add_unknown(v),
				 "%" PRIu64 " goroutines that could not be read",
				 runtime_goroutines_missed(rt));
	}
	if (runtimes_are_unnamed(all))
		text_add(add_unknown(v),
			 "checks by function name: the table of names is missing");
}

static void note_stacks(struct verdict *v, const struct counts *n)
{
	if (!n->lost)
		return;
	struct text *line = n->lost_waiting || n->lost * LOST_OF > n->own
				    ? add_unknown(v)
				    : add_line(&v->not_checked);
	text_add_count(line, n->lost);
	text_add(line, " of ");
	text_add_counted(line, n->own, "goroutine");
	text_add(line, " whose stacks are incomplete");
}

static const char *remedy_of_ages(const struct verdict_of *of)
{
	if (of->look->was_cut)
		return "the process ended or was stopped before it was looked at again";
	if (of->capture->options->core.path)
		return "a core has it only if garbage was collected during the wait";
	if (conditions_stand_still(&of->capture->conditions))
		return "the process is stopped; look again when it runs";
	if (of->look->untold)
		return "the process is busy, and Go does not count how often they run";
	return "gosnap why PID looks for two seconds, or for TIME with --for=TIME";
}

static void note_ages(struct verdict *v, const struct verdict_of *of)
{
	if (!of->without_age)
		return;
	struct text *line = add_unknown(v);
	text_add(line, "how long ");
	text_add_counted(line, of->without_age, "goroutine");
	text_add(line, " wait%s: %s", of->without_age == 1 ? "s" : "",
		 remedy_of_ages(of));
}

/* Adds the checks that the capture does not allow: it ended early, reads no values, or is
 * of a stopped process. */
static void note_capture(struct verdict *v, const struct verdict_of *of)
{
	const char *ended = capture_ended_early(of->capture);

	if (ended)
		text_add(add_unknown(v), "memory that was not read: %s", ended);
	if (!of->about->has_memory)
		text_add(add_unknown(v), "pools, contexts and semaphores: %s",
			 capture_has_values(of->capture)
				 ? "not all memory could be read"
				 : "no values were read; --capture=copy reads them");
	if (!of->capture->options->core.path &&
	    conditions_stand_still(&of->capture->conditions))
		text_add(add_unknown(v),
			 "goroutines that run too long: the process is stopped");
}

static void note_unchecked(struct verdict *v, const struct verdict_of *of,
			   const struct counts *n)
{
	note_missing(v, of->capture->warnings);
	note_capture(v, of);
	note_runtimes(v, of->about->all);
	note_stacks(v, n);
	note_ages(v, of);
	if (of->about->waits->is_partial)
		text_add(add_unknown(v), "some holders of locks: there is too much code "
					 "to follow");
	if (of->findings->unexplained.len)
		text_add(add_unknown(v), "%s", text_words(&of->findings->unexplained));
	if (of->findings->is_partial)
		text_add(add_unknown(v), "some goroutines: there are too many for some "
					 "of the checks");
	if (!err_is(of->leaks, ERR_NONE))
		text_add(add_line(&v->not_checked), "what has leaked: %s",
			 of->leaks->text);
}

static void add_checked(struct verdict *v, const struct verdict_of *of,
			const struct counts *n)
{
	text_add_counted(&v->checked, n->own, "goroutine");
	text_add(&v->checked,
		 " for deadlocks, long waits%s%s and loops; and the scheduler, the "
		 "collector and timers",
		 of->about->has_memory ? ", exhausted pools, expired contexts" : "",
		 err_is(of->leaks, ERR_NONE) ? ", leaks" : "");
}

/* Returns the largest group that is not the runtime's own; groups are sorted by size.
 * NULL: there is none. */
static const struct group *largest_group(const struct finder *f)
{
	const struct groups *all = f->about.groups;

	for (size_t i = 0; i < all->count; i++) {
		const uint32_t first = all->members[all->list[i].first];
		if (!finder_goroutine(f, first).goroutine->system)
			return &all->list[i];
	}
	return NULL;
}

/* Returns the goroutine that stands for a group: the one that has waited longest. */
static uint32_t speaker_of(const struct finder *f, const struct group *group)
{
	const uint32_t *members = f->about.groups->members + group->first;
	uint32_t ret = members[0];

	for (uint32_t i = 1; i < group->count; i++)
		if (finder_age(f, members[i]) > finder_age(f, ret))
			ret = members[i];
	return ret;
}

static void say_one(const struct finder *f, struct text *text, uint32_t goroutine)
{
	text_add(text, "goroutine %" PRIu64 " ",
		 finder_goroutine(f, goroutine).goroutine->id);
	say_state(f, text, goroutine);
	say_created(f, text, goroutine);
}

static void add_goroutines(struct verdict *v, const struct finder *f,
			   const struct counts *n)
{
	const struct group *group = largest_group(f);

	if (!group)
		return;
	const uint32_t speaker = speaker_of(f, group);
	struct text *line = add_line(&v->facts);
	text_add(line, "The largest group has ");
	text_add_count(line, group->count);
	text_add(line, " of ");
	text_add_counted(line, n->own, "goroutine");
	text_add(line, ": ");
	say_one(f, line, speaker);
	if (n->longest_ns < WAIT_TOLD_NS || n->longest == speaker)
		return;
	line = add_line(&v->facts);
	text_add(line, "The longest wait: ");
	say_one(f, line, n->longest);
}

/* Adds "12 %". */
static void add_use(struct text *text, uint64_t used_ns, uint64_t of_ns)
{
	const uint64_t percent = used_ns / (of_ns / 100 + 1);

	if (percent)
		text_add(text, "%" PRIu64 " %%", percent);
	else
		text_add(text, "less than 1 %%");
}

/* Adds the use of the processors since the capture began. False: that time is too
 * short. */
static bool add_use_now(struct text *line, const struct process *p)
{
	const uint64_t now = monotonic_ns();
	uint64_t cpu;

	if (!process_cpu(p->pid, &cpu) || cpu < p->cpu_ns ||
	    now < p->cpu_at_ns + USE_MIN_NS)
		return false;
	add_use(line, cpu - p->cpu_ns, now - p->cpu_at_ns);
	text_add(line, " of a processor for ");
	text_add_duration(line, (int64_t)(now - p->cpu_at_ns));
	text_add(line, ", and ");
	return true;
}

static void add_processor_time(struct text *line, const struct process *p)
{
	const uint64_t now = realtime_ns();

	if (!p->has_cpu || !p->has_started || now <= p->started_at_ns)
		return;
	text_add(line, "It used ");
	const bool has_now = add_use_now(line, p);
	add_use(line, p->cpu_ns, now - p->started_at_ns);
	text_add(line, "%s since it began ", has_now ? "" : " of a processor");
	text_add_duration(line, (int64_t)(now - p->started_at_ns));
	text_add(line, " ago");
}

static void add_process(struct verdict *v, const struct verdict_of *of)
{
	const struct process *p = of->capture->process;

	if (of->capture->options->core.path || !p || !p->has_rss)
		return;
	struct text *line = add_line(&v->facts);
	add_processor_time(line, p);
	text_add(line, "%s", line->len ? "; " : "");
	text_add_size(line, p->rss_bytes);
	text_add(line, " are resident");
	if (!p->peak_rss_bytes)
		return;
	text_add(line, ", ");
	text_add_size(line, p->peak_rss_bytes);
	text_add(line, " at most until now");
}

static void add_next(struct verdict *v, const struct verdict_of *of)
{
	const pid_t pid = of->capture->options->pid;

	if (of->capture->options->core.path)
		text_add(&v->next, "gosnap view CORE shows all goroutines and values");
	else
		text_add(&v->next,
			 "gosnap view %d shows all goroutines and values; if the "
			 "problem comes and goes, gosnap record -o DIR %d takes a series "
			 "of snapshots",
			 pid, pid);
}

void verdict_find(struct verdict *ret, const struct verdict_of *of)
{
	struct finder f = { .about = *of->about };

	*ret = (struct verdict){ .is_given = !of->about->fault && !is_bad(of->findings) };
	if (!ret->is_given)
		return;
	f.about.wanted = NULL;
	const struct counts n = count_goroutines(&f);
	note_unchecked(ret, of, &n);
	add_checked(ret, of, &n);
	add_goroutines(ret, &f, &n);
	add_process(ret, of);
	add_next(ret, of);
	text_add(&ret->text, "%s.", ret->is_unknown ? words_cannot : "No problem found");
}

static void lines_done(struct verdict_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		text_done(&lines->list[i]);
	xfree(lines->list);
}

void verdict_done(struct verdict *v)
{
	text_done(&v->text);
	text_done(&v->checked);
	text_done(&v->next);
	lines_done(&v->not_checked);
	lines_done(&v->facts);
}

static void print_lines(struct sink *out, const char *name,
			const struct verdict_lines *lines)
{
	sink_named_begin(out, name, SINK_ARRAY);
	for (size_t i = 0; i < lines->count; i++)
		sink_string(out, text_words(&lines->list[i]));
	sink_end(out);
}

void print_verdict(struct sink *out, const struct verdict *v)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "outcome", v->is_unknown ? "unknown" : "none");
	sink_named_string(out, "text", text_words(&v->text));
	sink_named_string(out, "checked", text_words(&v->checked));
	print_lines(out, "not_checked", &v->not_checked);
	print_lines(out, "facts", &v->facts);
	sink_named_string(out, "next", text_words(&v->next));
	sink_end(out);
}
