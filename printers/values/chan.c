/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/values/value_printers.h"

static uint64_t in_buffer(const void *arg, uint64_t i)
{
	return channel_element(arg, i);
}

struct waiters {
	struct printing *p;
	const struct type *elem;
	bool senders;
	uint64_t n, omitted;
};

static void print_sender(struct printing *p, const struct type *elem,
			 const struct channel_waiter *w)
{
	sink_begin(p->out, SINK_OBJECT);
	sink_named_uint(p->out, "goroutine", w->goroutine);
	if (w->element)
		print_named_value(p, "value", &(struct value){ elem, w->element });
	sink_end(p->out);
}

static bool print_waiter(void *arg, const struct channel_waiter *w)
{
	struct waiters *all = arg;
	struct printing *p = all->p;

	if (all->n == p->bounds->elements || !has_room(p)) {
		all->omitted++;
		return true;
	}
	if (all->n++ == 0)
		sink_named_begin(p->out, all->senders ? "senders" : "receivers",
				 SINK_ARRAY);
	if (all->senders)
		print_sender(p, all->elem, w);
	else
		sink_uint(p->out, w->goroutine);
	return true;
}

static void print_waiters(struct printing *p, const struct value *v,
			  const struct channel_value *c, bool senders)
{
	struct waiters all = { .p = p, .elem = type_elem(v->type), .senders = senders };
	struct err err;
	bool whole = channel_each_waiter(p->rt, c, senders, print_waiter, &all, &err);

	if (all.n)
		sink_end(p->out);
	if (all.omitted)
		sink_named_uint(p->out, senders ? "senders_omitted" : "receivers_omitted",
				all.omitted);
	if (!whole)
		print_reason(p, senders ? "senders_unreadable" : "receivers_unreadable",
			     err.text);
}

void print_channel_at(struct printing *p, const struct value *v)
{
	struct channel_value c;
	struct err err;

	if (!runtime_channel_at(p->rt, v->type, v->addr, &c, &err)) {
		print_failure(p, &err);
		return;
	}
	if (!is_length(p, c.cap, c.buffer, c.element_size) ||
	    !is_length(p, c.len, c.buffer, c.element_size)) {
		print_nowhere(p);
		return;
	}
	sink_named_uint(p->out, "len", c.len);
	sink_named_uint(p->out, "cap", c.cap);
	sink_named_bool(p->out, "closed", c.closed);
	print_elements(p, type_elem(v->type), c.len, print_value, in_buffer, &c);
	print_waiters(p, v, &c, false);
	print_waiters(p, v, &c, true);
}

void print_channel(struct printing *p, const struct value *v)
{
	print_header(p, v, print_channel_at);
}
