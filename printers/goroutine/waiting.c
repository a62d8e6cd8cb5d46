/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/goroutine/waiting.h"

#include <string.h>

#include "lib/procfs/sockets.h"
#include "printers/values/redacted.h"
#include "redaction/redaction.h"

const char *wait_kind_name(enum wait_kind kind)
{
	static const char *const names[] = {
		[WAIT_CHANNEL] = "channel",	[WAIT_SELECT] = "select",
		[WAIT_MUTEX] = "mutex",		[WAIT_RWMUTEX] = "rwmutex",
		[WAIT_WAITGROUP] = "waitgroup", [WAIT_COND] = "cond",
		[WAIT_SEMAPHORE] = "semaphore", [WAIT_TIMER] = "timer",
		[WAIT_NETWORK] = "network",
	};
	return names[kind];
}

static void print_operation(struct sink *out, enum wait_operation operation)
{
	static const char *const names[] = {
		[WAIT_RECEIVE] = "receive",
		[WAIT_SEND] = "send",
		[WAIT_READ] = "read",
		[WAIT_WRITE] = "write",
	};
	sink_named_string(out, "operation", names[operation]);
}

/* when: CLOCK_MONOTONIC; the wall clock may yet be set. */
static void print_when(struct sink *out, const struct goroutine_printing *p,
		       uint64_t when)
{
	if (when == 0)
		return;
	sink_name(out, "when");
	sink_time(out, p->moment.realtime_ns + (when - p->moment.now_ns));
}

static void print_channel(struct sink *out, const struct goroutine_printing *p,
			  const struct wait *w, const struct wait_channel *c)
{
	if (c->addr == 0) {
		sink_named_bool(out, "nil", true);
		return;
	}
	sink_named_address(out, "address", c->addr);
	if (!c->known) {
		sink_named_string(out, "unreadable", "the channel could not be read");
		return;
	}
	sink_named_string(out, "element_type", c->element_type);
	if (c->has_len) {
		sink_named_uint(out, "len", c->len);
		sink_named_uint(out, "cap", c->cap);
	}
	sink_named_bool(out, "closed", c->closed);
	if (!w->bubble)
		print_when(out, p, c->when);
	if (c->period)
		sink_named_uint(out, "period_ns", c->period);
}

static void print_cases(struct sink *out, const struct goroutine_printing *p,
			const struct wait *w)
{
	struct wait_channel channel;

	sink_named_begin(out, "cases", SINK_ARRAY);
	for (size_t i = 0; i < w->case_count; i++) {
		enum wait_operation operation =
			runtime_wait_case(p->runtime, w->first_case + i, &channel);
		sink_begin(out, SINK_OBJECT);
		print_operation(out, operation);
		print_channel(out, p, w, &channel);
		sink_end(out);
	}
	sink_end(out);
}

static void print_lock(struct sink *out, const struct wait *w)
{
	const struct wait_lock *l = &w->lock;

	if (w->addr)
		sink_named_address(out, "address", w->addr);
	if (l->has_state) {
		sink_named_bool(out, "locked", l->locked);
		sink_named_bool(out, "starving", l->starving);
	}
	if (l->has_readers) {
		sink_named_uint(out, "readers", l->readers);
		sink_named_uint(out, "readers_leaving", l->leaving);
		sink_named_bool(out, "has_writer", l->writer);
	}
	if (l->has_counter)
		sink_named_int(out, "counter", l->counter);
	if (l->has_waiters)
		sink_named_uint(out, "waiters", l->waiters);
}

/* Host and port numbers are not secrets, and there are many of them. */
static void print_address(struct sink *out, const struct goroutine_printing *p,
			  const struct descriptor *d, const char *key,
			  const char *address)
{
	if (!*address)
		return;
	if (strcmp(d->protocol, "unix") == 0 ||
	    redaction_mode(p->redaction) == REDACT_STRICT)
		print_masked_member(out, p->redaction, key, address);
	else
		sink_named_string(out, key, address);
}

static void print_descriptor(struct sink *out, const struct goroutine_printing *p,
			     const struct wait *w)
{
	const struct descriptor *d =
		p->moment.sockets ? sockets_look(p->moment.sockets, w->fd) : NULL;

	if (w->fd < 0)
		return;
	sink_named_int(out, "fd", w->fd);
	if (!d)
		return;
	if (!d->protocol) {
		print_masked_member(out, p->redaction, "file", d->link);
		return;
	}
	sink_named_string(out, "protocol", d->protocol);
	print_address(out, p, d, "local", d->local);
	print_address(out, p, d, "remote", d->remote);
	sink_named_string(out, "state", d->state);
}

static void print_facts(struct sink *out, const struct goroutine_printing *p,
			const struct wait *w)
{
	switch (w->kind) {
	case WAIT_CHANNEL:
		if (!w->unreadable)
			print_channel(out, p, w, &w->channel);
		break;
	case WAIT_SELECT:
		if (!w->unreadable || w->case_count)
			print_cases(out, p, w);
		break;
	case WAIT_MUTEX:
	case WAIT_RWMUTEX:
	case WAIT_WAITGROUP:
	case WAIT_COND:
	case WAIT_SEMAPHORE:
		print_lock(out, w);
		break;
	case WAIT_TIMER:
		print_when(out, p, w->when);
		break;
	case WAIT_NETWORK:
		print_descriptor(out, p, w);
		print_when(out, p, w->when);
		break;
	}
}

void print_waiting_for(struct sink *out, const struct goroutine_printing *p,
		       const struct goroutine *g)
{
	struct wait w;

	if (!runtime_wait(p->runtime, g, &w))
		return;
	sink_named_begin(out, "waiting_for", SINK_OBJECT);
	sink_named_string(out, "kind", wait_kind_name(w.kind));
	print_operation(out, w.operation);
	print_facts(out, p, &w);
	sink_named_string(out, "unreadable", w.unreadable);
	sink_end(out);
}
