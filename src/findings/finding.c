/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/procfs/sockets.h"
#include "src/findings/fingerprints.h"
#include "src/findings/own_code.h"

/* Shorter ages are not reported, unless they were observed: the time between two looks
 * may be as long. */
#define AGE_TOLD_NS (UINT64_C(1000) * 1000 * 1000)

struct finding *finding_add(struct finder *f, const char *kind, enum severity severity,
			    uint64_t affected, const char *advice)
{
	struct findings *all = f->findings;

	GROW(all->list, all->count, all->cap);
	struct finding *ret = all->list[all->count++] = xcalloc(1, sizeof(*ret));
	ret->kind = kind;
	ret->severity = severity;
	ret->rank = f->rank;
	ret->affected = affected;
	ret->advice = advice;
	return ret;
}

struct goroutine_of finder_goroutine(const struct finder *f, uint32_t i)
{
	return runtimes_goroutine(f->about.all, i);
}

char *place_of(const struct finder *f, uint32_t goroutine)
{
	const uint32_t number = finder_goroutine(f, goroutine).goroutine->stack;
	struct stack_text stack;

	if (number == NO_STACK)
		return xstrdup("");
	stack_text_of(&stack, f->about.all, number);
	char *place = xstrdup(stack_text_place(&stack));
	stack_text_done(&stack);
	return place;
}

void finding_shows_goroutine(const struct finder *f, struct finding *to,
			     uint32_t goroutine)
{
	const uint64_t observed = finder_observed(f, goroutine);

	if (observed > to->observed_ns)
		to->observed_ns = observed;
	if (to->goroutine_count == FINDING_GOROUTINES)
		return;
	to->goroutines[to->goroutine_count++] =
		finder_goroutine(f, goroutine).goroutine->id;
	AUTO(xfree) char *place = place_of(f, goroutine);
	places_add(&to->places, place);
}

void finding_shows_address(struct finding *to, uint64_t addr)
{
	if (to->address_count < FINDING_ADDRESSES)
		to->addresses[to->address_count++] = addr;
}

const char *wait_name(enum wait_kind kind)
{
	static const char *const names[] = {
		[WAIT_CHANNEL] = "channel",	    [WAIT_MUTEX] = "mutex",
		[WAIT_RWMUTEX] = "rwmutex",	    [WAIT_WAITGROUP] = "wait group",
		[WAIT_COND] = "condition variable", [WAIT_SEMAPHORE] = "semaphore",
	};
	const char *name = kind < ARRAY_SIZE(names) ? names[kind] : NULL;

	return name ? name : "object";
}

void say_object(struct text *text, const struct wait_object *o)
{
	text_add(text, "%s 0x%" PRIx64, wait_name(o->kind), o->addr);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void say_frame(struct text *text, const struct code_frame *frame)
{
	text_add(text, "%s", frame->function ? frame->function : "?");
	if (frame->file && frame->line)
		text_add(text, " at %s:%" PRIu32, base_name(frame->file), frame->line);
}

/* Looks for the innermost frame of the program itself on a stack. */
struct own_search {
	struct own_code code;
	/* The innermost frames outside of the runtime, and outside of the whole
	 * library. */
	struct code_frame own, outside;
};

static void note_goroot(void *arg, const struct code_frame *frame)
{
	struct own_search *s = arg;

	own_code_note(&s->code, frame);
}

static void keep_own(void *arg, const struct code_frame *frame)
{
	struct own_search *s = arg;

	if (!frame->function || frame->c || frame->hidden ||
	    own_code_is_of_go(frame->function))
		return;
	if (!s->own.function)
		s->own = *frame;
	if (!s->outside.function && *s->code.goroot && frame->file &&
	    own_code_has(&s->code, frame))
		s->outside = *frame;
}

void say_where(const struct finder *f, struct text *text, uint32_t goroutine)
{
	const uint32_t stack = finder_goroutine(f, goroutine).goroutine->stack;
	AUTO(xfree) struct own_search *s = xcalloc(1, sizeof(*s));

	runtimes_each_frame(f->about.all, stack, note_goroot, s);
	runtimes_each_frame(f->about.all, stack, keep_own, s);
	if (!s->own.function)
		return;
	text_add(text, " in ");
	say_frame(text, s->outside.function ? &s->outside : &s->own);
}

void say_created(const struct finder *f, struct text *text, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	struct code_frame by;

	if (!runtime_call_before(it.runtime, it.goroutine->created_pc, &by) ||
	    !by.function)
		return;
	text_add(text, ", created in ");
	say_frame(text, &by);
}

void say_place(const struct finder *f, struct text *text, uint32_t goroutine, uint64_t pc)
{
	struct code_frame frame;

	if (!runtime_code_at(finder_goroutine(f, goroutine).runtime, pc, &frame))
		return;
	text_add(text, " in ");
	say_frame(text, &frame);
}

static void say_channel(struct text *text, const struct wait_channel *c)
{
	if (c->addr == 0) {
		text_add(text, "a nil channel");
		return;
	}
	text_add(text, "channel 0x%" PRIx64, c->addr);
	if (!c->known || !c->has_len)
		return;
	if (c->closed)
		text_add(text, " (closed)");
	else if (c->cap == 0)
		text_add(text, " (unbuffered)");
	else if (c->len == c->cap)
		text_add(text, " (full, %" PRIu32 ")", c->cap);
	else
		text_add(text, " (%" PRIu32 " of %" PRIu32 ")", c->len, c->cap);
}

/* Names of files may be secret; host and port are not. */
static void say_network(const struct finder *f, struct text *text,
			const struct wait *wait)
{
	const bool writes = wait->operation == WAIT_WRITE;
	const struct descriptor *d =
		f->about.sockets ? sockets_look(f->about.sockets, wait->fd) : NULL;

	text_add(text, "waits to %s", writes ? "write" : "read");
	if (wait->fd >= 0)
		text_add(text, " descriptor %" PRId64, wait->fd);
	if (d && d->protocol && *d->remote && strcmp(d->protocol, "unix") != 0)
		text_add(text, " %s %s (%s)", writes ? "to" : "from", d->remote,
			 d->protocol);
}

static void say_wait(const struct finder *f, struct text *text, uint32_t goroutine,
		     const struct wait *wait)
{
	const struct wait_object *o = wait_graph_of(f->about.waits, goroutine);

	switch (wait->kind) {
	case WAIT_CHANNEL:
		text_add(text, wait->operation == WAIT_SEND ? "waits to send on "
							    : "waits to receive from ");
		say_channel(text, &wait->channel);
		break;
	case WAIT_SELECT:
		text_add(text,
			 wait->case_count ? "waits in a select of %zu cases"
					  : "waits for ever in a select",
			 wait->case_count);
		break;
	case WAIT_TIMER:
		text_add(text, "sleeps");
		break;
	case WAIT_NETWORK:
		say_network(f, text, wait);
		break;
	default:
		text_add(text, "waits for ");
		if (o)
			say_object(text, o);
		else
			text_add(text, "a %s", wait_name(wait->kind));
	}
}

void say_state(const struct finder *f, struct text *text, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	const uint64_t age = finder_age(f, goroutine);
	struct wait wait;

	if (runtime_wait(it.runtime, it.goroutine, &wait))
		say_wait(f, text, goroutine, &wait);
	else if (it.goroutine->status == GOROUTINE_SYSCALL)
		text_add(text, "is in a system call");
	else if (it.goroutine->status == GOROUTINE_RUNNING)
		text_add(text, "runs");
	else if (it.goroutine->status == GOROUTINE_RUNNABLE)
		text_add(text, "could run");
	else
		text_add(text, "waits");
	say_where(f, text, goroutine);
	if (age >= AGE_TOLD_NS || finder_observed(f, goroutine)) {
		text_add(text, ", for at least ");
		text_add_duration(text, (int64_t)age);
	}
}
