/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/finding.h"

#include <inttypes.h>
#include <string.h>

#include "printers/printers.h"

/* Less is the time between two looks. */
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

void finding_shows_goroutine(const struct finder *f, struct finding *to,
			     uint32_t goroutine)
{
	if (to->goroutine_count < FINDING_GOROUTINES)
		to->goroutines[to->goroutine_count++] =
			finder_goroutine(f, goroutine).goroutine->id;
}

void finding_shows_address(struct finding *to, uint64_t addr)
{
	if (to->address_count < FINDING_ADDRESSES)
		to->addresses[to->address_count++] = addr;
}

uint64_t finder_age(const struct finder *f, uint32_t goroutine)
{
	uint64_t since = finder_goroutine(f, goroutine).goroutine->waiting_since;

	return since && since < f->about.now_ns ? f->about.now_ns - since : 0;
}

void say_object(struct text *text, const struct wait_object *o)
{
	static const char *const names[] = {
		[WAIT_CHANNEL] = "channel",	    [WAIT_MUTEX] = "mutex",
		[WAIT_RWMUTEX] = "rwmutex",	    [WAIT_WAITGROUP] = "wait group",
		[WAIT_COND] = "condition variable", [WAIT_SEMAPHORE] = "semaphore",
	};
	const char *name = o->kind < ARRAY_SIZE(names) ? names[o->kind] : NULL;

	text_add(text, "%s 0x%" PRIx64, name ? name : "object", o->addr);
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

static bool is_of_go(const char *function)
{
	static const char *const packages[] = { "runtime.", "sync.",	"internal/",
						"runtime/", "syscall.", "time." };

	for (size_t i = 0; i < ARRAY_SIZE(packages); i++)
		if (strncmp(function, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

static void keep_first_own(void *arg, const struct code_frame *frame)
{
	struct code_frame *kept = arg;

	if (!kept->function && frame->function && !frame->c && !frame->hidden &&
	    !is_of_go(frame->function))
		*kept = *frame;
}

void say_where(const struct finder *f, struct text *text, uint32_t goroutine)
{
	struct code_frame own = { 0 };

	runtimes_each_frame(f->about.all, finder_goroutine(f, goroutine).goroutine->stack,
			    keep_first_own, &own);
	if (!own.function)
		return;
	text_add(text, " in ");
	say_frame(text, &own);
}

void say_created(const struct finder *f, struct text *text, uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	struct code_frame by;

	if (!runtime_call_before(it.runtime, it.goroutine->created_pc, &by))
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
		text_add(text, "waits to %s",
			 wait->operation == WAIT_WRITE ? "write" : "read");
		if (wait->fd >= 0)
			text_add(text, " descriptor %" PRId64, wait->fd);
		break;
	default:
		text_add(text, "waits for ");
		if (o)
			say_object(text, o);
		else
			text_add(text, "a %s", wait_kind_name(wait->kind));
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
	if (age >= AGE_TOLD_NS) {
		text_add(text, ", for ");
		text_add_duration(text, (int64_t)age);
	}
}
