/* SPDX-License-Identifier: Apache-2.0 */
/* Channels: runtime/chan.go hchan. The field of a timer's channel that says so is of no matter
 * here: len() and cap() of those are 0 to their program, but what is in them is in them. */
#include <inttypes.h>

#include "runtime_priv.h"
#include "value.h"

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
	return (ret->len <= ret->cap && ret->first <= ret->cap) ||
	       err_set(err, ERR_BAD_DATA,
		       "a channel with %" PRIu64 " of %" PRIu64
		       " elements, the first at %" PRIu64,
		       ret->len, ret->cap, ret->first);
}

bool runtime_channel(struct runtime *rt, const struct value *v, struct channel_value *ret,
		     struct err *err)
{
	const struct type *header;

	*ret = (struct channel_value){ 0 };
	if (!value_header(rt, v, &header, &ret->addr, err))
		return false;
	if (!ret->addr)
		return true;
	return read_header(rt, header, ret->addr, ret, err);
}

uint64_t channel_element(const struct channel_value *c, uint64_t i)
{
	uint64_t at = c->first + i;

	return c->buffer + (at < c->cap ? at : at - c->cap) * c->element_size;
}
