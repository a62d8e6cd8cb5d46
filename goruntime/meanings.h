/* SPDX-License-Identifier: Apache-2.0 */
/* meanings.h - what values of the standard library's types mean: the part of goruntime.h that
 * knows more than their kinds. Where a type is not as expected there is no meaning, and no harm.
 * Fields are found by name, never by release. */
#ifndef GOSNAP_MEANINGS_H
#define GOSNAP_MEANINGS_H

/* What who prints has found out of a type, so that it need not look again. Memory that is kept is
 * xfree()d with the type. */
enum type_leads { TYPE_LEADS_UNKNOWN, TYPE_LEADS_NOWHERE, TYPE_LEADS };
struct type_found {
	uint8_t leads; /* to secrets: enum type_leads */
	bool naming_known; /* which field says what the others are called; naming NULL: none */
	const struct type_field *naming;
	void *notes; /* NULL at first */
};
struct type_found *type_found(const struct type *type);
void *type_keep(const struct type *type, void *memory);

/* The guard of every walk over what a type consists of. Hostile types contain themselves, or hold
 * each other in so many ways that no walk ends. One for each walk, all zero at its beginning. */
struct type_walk {
	unsigned depth, steps; /* up to LIMIT_TYPE_DEPTH, LIMIT_TYPE_STEPS */
	bool over;	       /* not all was looked at */
	bool of_value; /* for one value only: what is read of values is bounded anyway */
};
/* Counts the type and its fields. False: it is not to be looked into, and `over` is set. Else
 * type_leave() follows. */
bool type_enter(struct type_walk *w, const struct type *type);
void type_leave(struct type_walk *w);

/* The names that an enumeration of C has for its numbers, in the order of the declaration, until fn
 * says false. */
typedef bool enumerator_fn(void *arg, const char *name, int64_t value);
void type_each_enumerator(const struct type *type, enumerator_fn *fn, void *arg);
/* Has it any for a number below zero? */
bool type_is_signed_enum(const struct type *type);

/* The same of a function's arguments, for its words. Looks into its debugging information. */
struct words_notes {
	bool known;
	unsigned count; /* arguments */
	uint64_t which;
};
struct words;
struct words_notes *words_notes(const struct words *words); /* NULL: there are none */
typedef void argument_fn(void *arg, const char *name, const struct type *type);
void words_each_argument(const struct words *words, argument_fn *fn, void *arg);

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

struct time_value {	 /* a time.Time */
	int64_t seconds; /* since 1970 */
	uint32_t ns;
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC; 0: it has no such reading */
};
bool runtime_time(struct runtime *rt, const struct value *v, struct time_value *ret);

/* The text of a slog.Value; false: it is none, or of another kind. */
bool runtime_slog_text(struct runtime *rt, const struct value *v, struct text_value *ret);

/* A sync.Mutex, RWMutex, WaitGroup or Cond; false: it is none, or cannot be read. */
bool runtime_lock(struct runtime *rt, const struct value *v, struct wait_lock *ret);

/* The entries of a sync.Map, as runtime_map_each(). */
MUST_CHECK bool runtime_sync_map_each(struct runtime *rt, const struct value *v,
				      map_entry_fn *fn, void *arg, struct err *err);
/* How many they are, at most `most`; of one map it is found out once. False: there are more that
 * cannot be read. */
MUST_CHECK bool runtime_sync_map_count(struct runtime *rt, const struct value *v,
				       uint64_t most, uint64_t *ret, struct err *err);

enum context_kind {
	CONTEXT_OTHER, /* of a type that is not of package context */
	CONTEXT_EMPTY, /* one of the next two */
	CONTEXT_BACKGROUND,
	CONTEXT_TODO,
	CONTEXT_CANCEL,
	CONTEXT_DEADLINE,
	CONTEXT_VALUE,
	CONTEXT_WITHOUT_CANCEL,
	CONTEXT_AFTER_FUNC,
	CONTEXT_STOP,
	CONTEXT_KINDS
};

/* One context of a chain. Values with type NULL: it has none. */
struct context {
	enum context_kind kind;
	struct value value;	   /* itself, not a pointer to it */
	struct value error, cause; /* of one that has ended */
	bool has_deadline;
	struct time_value deadline;
	struct value key, element; /* that it carries */
};
bool runtime_is_context(const struct type *type); /* context.Context */
/* Calls fn for a context, then for the one it was made from, and so on, until fn says false. */
typedef bool context_fn(void *arg, const struct context *c);
void runtime_each_context(struct runtime *rt, const struct value *v, context_fn *fn,
			  void *arg);
/* The context that a variable is, or that is in the struct that it is or points to: its first,
 * else that of its first *http.Request. */
bool runtime_context_in(struct runtime *rt, const struct value *v, struct value *ret);

/* Of OpenTelemetry or Datadog: big-endian, as they write them. */
struct trace_span {
	uint8_t trace_id[16], span_id[8];
	bool has_sampled, sampled;
};
/* False: c carries none. */
bool context_span(struct runtime *rt, const struct context *c, struct trace_span *ret);

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

/* Warns of debugging information that cannot tell what it should. Before variables are printed. */
void runtimes_check_debug(struct runtimes *all);

#endif
