/* SPDX-License-Identifier: Apache-2.0 */
/* Channels: runtime/chan.go hchan. Whether it belongs to a timer does not matter here: to
 * the program len() and cap() of those are 0, but their buffers are real. */
#include <inttypes.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/runtime/sudog.h"
#include "goruntime/values/value.h"
#include "goruntime/values/values.h"
#include "lib/base/limit.h"

/* Of a buffer of more or larger elements only those in the queue. */
enum { BUFFER_SEARCHED = 256 };

static bool read_header(struct runtime *rt, const struct type *header, uint64_t addr,
			struct channel_value *ret, struct err *err)
{
	uint64_t closed;

	if (!value_number(rt, header, addr, "qcount", &ret->len, err) ||
	    !value_number(rt, header, addr, "dataqsiz", &ret->cap, err) ||
	    !value_number(rt, header, addr, "buf", &ret->buffer, err) ||
	    !value_number(rt, header, addr, "elemsize", &ret->element_size, err) ||
	    !value_number(rt, header, addr, "closed", &closed, err) ||
	    !value_number(rt, header, addr, "recvx", &ret->first, err))
		return false;
	ret->closed = closed != 0;
	return true;
}

static bool read_by_layout(struct runtime *rt, uint64_t addr, struct channel_value *ret,
			   struct err *err)
{
	uint64_t closed;

	if (!value_by_layout(rt, L_hchan_qcount, addr, &ret->len, err) ||
	    !value_by_layout(rt, L_hchan_dataqsiz, addr, &ret->cap, err) ||
	    !value_by_layout(rt, L_hchan_buf, addr, &ret->buffer, err) ||
	    !value_by_layout(rt, L_hchan_elemsize, addr, &ret->element_size, err) ||
	    !value_by_layout(rt, L_hchan_closed, addr, &closed, err) ||
	    !value_by_layout(rt, L_hchan_recvx, addr, &ret->first, err))
		return false;
	ret->closed = closed != 0;
	return true;
}

bool runtime_channel(struct runtime *rt, const struct value *v, struct channel_value *ret,
		     struct err *err)
{
	uint64_t addr;

	*ret = (struct channel_value){ 0 };
	return value_words(rt, v->addr, &addr, 1, err) &&
	       runtime_channel_at(rt, v->type, addr, ret, err);
}

bool runtime_channel_at(struct runtime *rt, const struct type *type, uint64_t addr,
			struct channel_value *ret, struct err *err)
{
	const struct type *header = type_header(type);

	*ret = (struct channel_value){ .addr = addr };
	if (!addr)
		return true;
	if (!type_is_described(type) && !header)
		return err_set(err, ERR_UNSUPPORTED, "unknown header type of %s",
			       type_name(type));
	target_found(rt->target, addr,
		     header ? type_size(header)
			    : (uint64_t)rt->layout.slot[L_hchan_size].off);
	if (!(header ? read_header(rt, header, addr, ret, err)
		     : read_by_layout(rt, addr, ret, err)))
		return false;
	if (ret->cap <= BUFFER_SEARCHED && ret->element_size <= BUFFER_SEARCHED)
		target_found_in(rt->target, ret->buffer, ret->cap * ret->element_size);
	return ((int64_t)ret->cap >= 0 && ret->len <= ret->cap &&
		ret->first <= ret->cap) ||
	       err_set(err, ERR_BAD_DATA,
		       "invalid channel: %" PRIu64 " of %" PRIu64
		       " elements, first at %" PRIu64,
		       ret->len, ret->cap, ret->first);
}

uint64_t channel_element(const struct channel_value *c, uint64_t i)
{
	uint64_t at = c->first + i;

	return c->buffer + (at < c->cap ? at : at - c->cap) * c->element_size;
}

/* A waiter is accepted if it points back to the previous one and to the channel; then a
 * queue cannot be a cycle either. */
static bool read_waiter(struct runtime *rt, uint64_t channel, uint64_t addr,
			uint64_t before, struct sudog *ret, struct err *err)
{
	uint8_t bytes[SUDOG_MAX];

	if (!target_read(rt->target, addr, bytes,
			 (size_t)rt->layout.slot[L_sudog_size].off, err))
		return false;
	*ret = sudog_parse(&rt->layout, bytes);
	return (ret->channel == channel && ret->prev == before) ||
	       err_set(err, ERR_BAD_DATA,
		       "the queue of this channel is damaged at 0x%" PRIx64, addr);
}

bool runtime_goroutine_id(struct runtime *rt, uint64_t g, uint64_t *ret, struct err *err)
{
	struct slot id = rt->layout.slot[L_g_goid];

	return target_read_uint(rt->target, g + (uint64_t)id.off, id.size, ret, err);
}

bool channel_each_waiter(struct runtime *rt, const struct channel_value *c, bool senders,
			 channel_waiter_fn *fn, void *arg, struct err *err)
{
	struct slot queue = rt->layout.slot[senders ? L_hchan_sendq : L_hchan_recvq];
	uint64_t addr, before = 0;
	struct channel_waiter w;
	struct sudog s;

	if (queue.off < 0 || !sudog_is_known(&rt->layout))
		return err_set(err, ERR_UNSUPPORTED,
			       "unknown channel queue layout in this Go version");
	if (!target_read_uint(rt->target, c->addr + (uint64_t)queue.off, queue.size,
			      &addr, err))
		return false;
	for (uint64_t n = 0; addr; before = addr, addr = s.next) {
		if (n++ == LIMIT_GOROUTINES)
			return err_set(err, ERR_LIMIT,
				       "more than %" PRIu64 " waiting goroutines",
				       LIMIT_GOROUTINES);
		if (!read_waiter(rt, c->addr, addr, before, &s, err) ||
		    !runtime_goroutine_id(rt, s.g, &w.goroutine, err))
			return false;
		w.element = senders ? s.elem : 0;
		if (!fn(arg, &w))
			return true;
	}
	return true;
}
