/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - what values of each kind lead to, one level at a time. Reads the subject; prints
 * nothing. */
#ifndef GOSNAP_VALUES_H
#define GOSNAP_VALUES_H

#include "goruntime/types/type.h"

/* Is it in the subject's memory? What a frame keeps in pieces is put together here. */
bool value_has_address(const struct value *v);

/* What the variables of these kinds lead to. False: err says why it cannot be had. */
struct text_value { /* a string */
	uint64_t addr, len;
};
MUST_CHECK bool runtime_string(struct runtime *rt, const struct value *v,
			       struct text_value *ret, struct err *err);

struct slice_value {
	uint64_t addr, len, cap;
	bool capless; /* the compiler kept no location for cap, which is len here */
};
MUST_CHECK bool runtime_slice(struct runtime *rt, const struct value *v,
			      struct slice_value *ret, struct err *err);

struct interface_value {
	uint64_t descriptor; /* of the type inside; 0: it is nil */
	char name[256];	     /* of that type, as far as it fits; "": not known */
	struct value inside; /* type NULL: only the name is known */
	const char *unknown; /* then why; borrowed */
};
MUST_CHECK bool runtime_interface(struct runtime *rt, const struct value *v,
				  struct interface_value *ret, struct err *err);

struct map_value {
	uint64_t addr; /* 0: it is nil */
	uint64_t len;
};
MUST_CHECK bool runtime_map(struct runtime *rt, const struct value *v,
			    struct map_value *ret, struct err *err);
/* Calls fn for each entry until it says false. False: err says why there are no more. */
typedef bool map_entry_fn(void *arg, const struct value *key, const struct value *elem);
MUST_CHECK bool runtime_map_each(struct runtime *rt, const struct value *v,
				 map_entry_fn *fn, void *arg, struct err *err);

struct channel_value {
	uint64_t addr; /* 0: it is nil */
	uint64_t len, cap, first, buffer, element_size;
	bool closed;
};
MUST_CHECK bool runtime_channel(struct runtime *rt, const struct value *v,
				struct channel_value *ret, struct err *err);
/* Where the i-th is, oldest first. */
uint64_t channel_element(const struct channel_value *c, uint64_t i);

/* A function value: where its code begins, and its closure. 0: it is nil. */
struct func_value {
	uint64_t entry, closure;
};
MUST_CHECK bool runtime_func(struct runtime *rt, const struct value *v,
			     struct func_value *ret, struct err *err);

MUST_CHECK bool runtime_bytes(struct runtime *rt, uint64_t addr, void *ret, size_t len,
			      struct err *err);
/* Is it in a program or library, as texts are that stand in its code? */
bool runtime_in_file(const struct runtime *rt, uint64_t addr);
/* Is it in any mapping, readable or not? */
bool runtime_is_mapped(const struct runtime *rt, uint64_t addr);

/* What a pointer or interface leads to, a pointer in an interface included; itself where it is
 * neither. False: it is nil, or not known. */
bool runtime_behind(struct runtime *rt, const struct value *v, struct value *ret);
/* A field by its path, "cancelCtx.err", through pointers on its way; of several with bars between
 * them the first that there is. */
bool runtime_field(struct runtime *rt, const struct value *v, const char *paths,
		   struct value *ret);
/* The same of at most 8 bytes, as an unsigned number. */
bool runtime_number(struct runtime *rt, const struct value *v, const char *paths,
		    uint64_t *ret);

/* A goroutine that waits to send to a channel or to receive from it. */
struct channel_waiter {
	uint64_t goroutine; /* id */
	uint64_t element;   /* where the value is that it offers; 0: it offers none */
};
/* Calls fn for each, the first in the queue first, until it says false. False: err says why
 * there are no more. */
typedef bool channel_waiter_fn(void *arg, const struct channel_waiter *w);
MUST_CHECK bool channel_each_waiter(struct runtime *rt, const struct channel_value *c,
				    bool senders, channel_waiter_fn *fn, void *arg,
				    struct err *err);

#endif
