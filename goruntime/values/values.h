/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - what values of each kind lead to, one level at a time. Reads the
 * subject; prints nothing and follows nothing by itself. Results are the caller's;
 * bytes of the subject are copied. Knows the runtime's maps, channels, strings,
 * slices and locks, but no type of the standard library. */
#ifndef GOSNAP_VALUES_H
#define GOSNAP_VALUES_H

#include "goruntime/types/type.h"

/* Is it in the subject's memory, not assembled from pieces of a frame? */
bool value_has_address(const struct value *v);

/* What values of each kind lead to. False: err says why it is not available. */
struct text_value { /* a string */
	uint64_t addr, len;
};
MUST_CHECK bool runtime_string(struct runtime *rt, const struct value *v,
			       struct text_value *ret, struct err *err);

struct slice_value {
	uint64_t addr, len, cap;
	bool capless; /* no location for cap; it is set to len */
};
MUST_CHECK bool runtime_slice(struct runtime *rt, const struct value *v,
			      struct slice_value *ret, struct err *err);

struct interface_value {
	uint64_t descriptor; /* of the dynamic type; 0: nil */
	char name[256];	     /* of that type, truncated to fit; "": not known */
	struct value inside; /* the dynamic value; type NULL: only the name is known */
	const char *unknown; /* then why; borrowed until runtimes_close() */
};
MUST_CHECK bool runtime_interface(struct runtime *rt, const struct value *v,
				  struct interface_value *ret, struct err *err);

struct map_value {
	uint64_t addr; /* 0: nil */
	uint64_t len;
};
MUST_CHECK bool runtime_map(struct runtime *rt, const struct value *v,
			    struct map_value *ret, struct err *err);
/* The same for the header at addr, which values of that type point to. */
MUST_CHECK bool runtime_map_at(struct runtime *rt, const struct type *type, uint64_t addr,
			       struct map_value *ret, struct err *err);
/* Calls fn for each entry until it returns false. False: err says why there are no
 * more. */
typedef bool map_entry_fn(void *arg, const struct value *key, const struct value *elem);
MUST_CHECK bool runtime_map_each(struct runtime *rt, const struct type *type,
				 const struct map_value *map, map_entry_fn *fn, void *arg,
				 struct err *err);

struct channel_value {
	uint64_t addr; /* 0: nil */
	uint64_t len, cap, first, buffer, element_size;
	bool closed;
};
MUST_CHECK bool runtime_channel(struct runtime *rt, const struct value *v,
				struct channel_value *ret, struct err *err);
MUST_CHECK bool runtime_channel_at(struct runtime *rt, const struct type *type,
				   uint64_t addr, struct channel_value *ret,
				   struct err *err);
/* The address of element i, oldest first. */
uint64_t channel_element(const struct channel_value *c, uint64_t i);

/* A function value: entry address of its code, and its closure. 0: nil. */
struct func_value {
	uint64_t entry, closure;
};
MUST_CHECK bool runtime_func(struct runtime *rt, const struct value *v,
			     struct func_value *ret, struct err *err);
MUST_CHECK bool runtime_func_at(struct runtime *rt, uint64_t closure,
				struct func_value *ret, struct err *err);

MUST_CHECK bool runtime_bytes(struct runtime *rt, uint64_t addr, void *ret, size_t len,
			      struct err *err);
/* What values are read from. */
const struct target *runtime_memory(const struct runtime *rt);
/* Values read from now on have a work budget of their own. */
void runtime_budget_unit(struct runtime *rt);
/* Is it in the file of a program or library, like string literals? */
bool runtime_in_file(const struct runtime *rt, uint64_t addr);
/* Is it in any mapping, readable or not? */
bool runtime_is_mapped(const struct runtime *rt, uint64_t addr);
/* Is there readable memory from addr to last, without a gap? */
bool runtime_is_readable(const struct runtime *rt, uint64_t addr, uint64_t last);

/* What a pointer or interface leads to, through a pointer in an interface; otherwise v
 * itself. False: nil, or not known. */
bool runtime_behind(struct runtime *rt, const struct value *v, struct value *ret);
/* A field by its path, "cancelCtx.err", followed through pointers. Of several paths
 * separated by '|', the first that exists. */
bool runtime_field(struct runtime *rt, const struct value *v, const char *paths,
		   struct value *ret);
/* The same for a field of at most 8 bytes, as an unsigned number. */
bool runtime_number(struct runtime *rt, const struct value *v, const char *paths,
		    uint64_t *ret);

/* The id in a runtime.g; 0: none of the program's. */
MUST_CHECK bool runtime_goroutine_id(struct runtime *rt, uint64_t g, uint64_t *ret,
				     struct err *err);

/* A goroutine waiting to send to a channel or to receive from it. */
struct channel_waiter {
	uint64_t goroutine; /* id */
	uint64_t element;   /* address of the value it sends; 0: none */
};
/* Calls fn for each waiter in queue order until it returns false. False: err says why
 * there are no more. */
typedef bool channel_waiter_fn(void *arg, const struct channel_waiter *w);
MUST_CHECK bool channel_each_waiter(struct runtime *rt, const struct channel_value *c,
				    bool senders, channel_waiter_fn *fn, void *arg,
				    struct err *err);

#endif
