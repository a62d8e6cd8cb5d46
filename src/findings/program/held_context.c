/* SPDX-License-Identifier: Apache-2.0 */
/* A deadline shows since when a context is done. Nothing else does: that a context was
 * cancelled is known since the process was looked at, and that a goroutine goes on since
 * then is known if it was seen to stay. A variable that is not used any more does not
 * count: stack maps tell. */
#include "src/findings/program/held_context.h"

#include <string.h>

#include "src/findings/program/http_client.h"

/* The facts about a chain of contexts, up to one that does not end with those around
 * it. */
struct chain {
	const struct finder *f;
	bool can_end, is_done, has_expired;
	bool is_bounded; /* it has a deadline that is to come */
	uint64_t late_ns;
};

/* The facts about the variables of a frame. */
struct held_frame {
	struct held_context found;
	struct value request; /* type NULL: none */
	const char *function;
	bool has_writer, is_own, is_conn;
};

struct looking {
	const struct finder *f;
	const struct own_code *own;
	struct held_context *ret;
	uint32_t goroutine;
	struct held_frame at;
	/* An inner frame was called with another context, which has not ended: the
	 * goroutine works for that one now. */
	bool is_bounded, has_other;
	uint64_t entry;	  /* of the function of the frame before */
	uint32_t unwound; /* its number */
	bool is_over;	  /* the goroutine ends, or has taken over its connection */
	bool serves;
	bool client_gone;
};

static uint64_t passed_since(const struct finder *f, const struct time_value *t)
{
	const bool monotonic = t->monotonic_ns && f->about.now_ns;
	const uint64_t now = monotonic ? f->about.now_ns : f->about.now_realtime_ns;
	const uint64_t then = monotonic ? t->monotonic_ns
			      : t->seconds > 0
				      ? (uint64_t)t->seconds * 1000 * 1000 * 1000 + t->ns
				      : UINT64_MAX;

	return now > then ? now - then : 0;
}

static bool is_expired(const struct value *error)
{
	return error->type && strstr(type_name(error->type), "deadlineExceededError");
}

/* The first context that can end decides. If it was cancelled, the deadline of a context
 * around it means nothing: code that is done in time cancels. */
static bool look_at_context(void *arg, const struct context *c)
{
	struct chain *chain = arg;

	/* The contexts around these may end without ending them. */
	if (c->kind == CONTEXT_WITHOUT_CANCEL || c->kind == CONTEXT_OTHER)
		return false;
	if (c->kind != CONTEXT_CANCEL && c->kind != CONTEXT_DEADLINE &&
	    c->kind != CONTEXT_AFTER_FUNC)
		return true;
	if (!chain->can_end) {
		chain->can_end = true;
		chain->is_done = c->error.type != NULL;
		chain->has_expired = is_expired(&c->error);
	}
	if (c->kind != CONTEXT_DEADLINE || !c->has_deadline)
		return !chain->is_done || chain->has_expired;
	if (chain->has_expired && is_expired(&c->error))
		chain->late_ns = passed_since(chain->f, &c->deadline);
	chain->is_bounded = !chain->is_done;
	return false;
}

static void keep_surer(struct held_context *ret, const struct held_context *other)
{
	if (other->form != HELD_NONE &&
	    (ret->form == HELD_NONE || other->form < ret->form ||
	     (other->form == ret->form && other->ns > ret->ns)))
		*ret = (struct held_context){ .form = other->form,
					      .ns = other->ns,
					      .holder = other->holder,
					      .handles = ret->handles };
}

/* Judges a context. holder: the type of the struct that it is in; NULL: none. */
static struct held_context judge(struct looking *l, struct runtime *rt,
				 const struct value *context, const char *holder)
{
	struct chain chain = { .f = l->f };
	struct held_context ret = { .holder = holder };

	runtime_each_context(rt, context, look_at_context, &chain);
	if (chain.can_end && !chain.is_done && !holder) {
		l->is_bounded |= chain.is_bounded;
		l->has_other |= l->at.is_own;
	}
	if (chain.has_expired && chain.late_ns >= HELD_LATE_NS) {
		ret.form = holder ? HELD_DEADLINE_IN_STRUCT : HELD_DEADLINE;
		ret.ns = chain.late_ns;
	} else if (chain.is_done && !chain.has_expired && l->at.is_own) {
		ret.form = holder ? HELD_CANCELLED_IN_STRUCT : HELD_CANCELLED;
	}
	return ret;
}

/* Was a function called with the variable? Without debugging information, arguments are
 * not marked. Then a pointer with a type is the receiver of a method, or leads to
 * something large. */
static bool is_passed(const struct variable *v, bool points)
{
	const bool has_name = strncmp(v->name, "sp+", strlen("sp+")) != 0;

	return !v->result && (v->argument || v->captured || (points && !has_name));
}

static bool is_same_package(const char *type, const char *function)
{
	const char *slash = strrchr(type, '/');
	const char *name = slash ? slash : type;
	const size_t len = (size_t)(name - type) + strcspn(name, ".[");

	return type[len] == '.' && strncmp(type, function, len + 1) == 0;
}

/* Returns the type of the struct that a variable of the program's own code has or points
 * to; NULL: none. Types of the library do not count: they keep the contexts with which
 * they were made. */
static const char *struct_of(const struct looking *l, const struct variable *v)
{
	const struct type *type = v->value.type;
	const bool points = type_kind(type) == KIND_POINTER;

	if (points)
		type = type_elem(type);
	if (!l->at.is_own || !is_passed(v, points) || !type ||
	    type_kind(type) != KIND_STRUCT)
		return NULL;
	const char *name = type_name(type);
	return own_code_is_of_module(name) || is_same_package(name, l->at.function)
		       ? name
		       : NULL;
}

static void look_at_variable(struct looking *l, struct runtime *rt,
			     const struct variable *v)
{
	struct value context = v->value;
	const char *holder = NULL;

	if (!runtime_is_context(context.type) &&
	    (!(holder = struct_of(l, v)) || !runtime_context_in(rt, &v->value, &context)))
		return;
	const struct held_context found = judge(l, rt, &context, holder);
	keep_surer(&l->at.found, &found);
}

static void note_variable(void *arg, struct runtime *rt, const struct variable *v)
{
	struct looking *l = arg;

	if (!v->name || v->unreadable || !v->value.type)
		return;
	const char *name = type_name(v->value.type);
	if (v->argument && strcmp(name, "net/http.ResponseWriter") == 0)
		l->at.has_writer = true;
	if (l->at.is_conn && strcmp(name, "*net/http.conn") == 0) {
		l->client_gone |= http_client_has_gone(l->f, rt, &v->value);
		l->is_over |= http_is_taken_over(rt, &v->value);
	}
	if (v->dead || v->may_be_unset || v->shadowed || v->part)
		return;
	if (v->argument && strcmp(name, "*net/http.Request") == 0)
		l->at.request = v->value;
	look_at_variable(l, rt, v);
}

/* A handler works for the context of its request. Other functions that have a request may
 * only look up what it was. */
static void look_at_request(struct looking *l, struct runtime *rt)
{
	struct value context;

	if (!l->at.request.type || !l->at.has_writer ||
	    !runtime_context_in(rt, &l->at.request, &context))
		return;
	const struct held_context found = judge(l, rt, &context, NULL);
	keep_surer(&l->at.found, &found);
}

static bool is_cancelled(enum held_form form)
{
	return form == HELD_CANCELLED || form == HELD_CANCELLED_IN_STRUCT;
}

/* Keeps the result of a frame, unless an inner frame works for another context. */
static void settle_frame(struct looking *l)
{
	if (!l->is_bounded && !(l->has_other && is_cancelled(l->at.found.form)))
		keep_surer(l->ret, &l->at.found);
}

static bool is_at_end(const char *function)
{
	static const char *const ends[] = { "runtime.deferreturn", "runtime.gopanic",
					    "runtime.Goexit", "runtime.rundefer" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (strncmp(function, ends[i], strlen(ends[i])) == 0)
			return true;
	return strstr(function, ".deferwrap") != NULL;
}

/* Notes the entry of the function that a frame is of: the calls that were inlined into it
 * come first, and the function itself is the last. */
static void note_call(struct looking *l, const struct code_frame *frame)
{
	const struct goroutine_of it = finder_goroutine(l->f, l->goroutine);

	if (frame->unwound != l->unwound)
		l->is_over |= runtime_frame_ends(it.runtime, it.goroutine, frame->unwound,
						 l->entry);
	l->unwound = frame->unwound;
	l->entry = frame->entry;
}

static void note_frame(void *arg, const struct code_frame *frame)
{
	struct looking *l = arg;
	const char *function = frame->function ? frame->function : "";

	note_call(l, frame);
	l->is_over |= is_at_end(function);
	l->serves |= strcmp(function, "net/http.serverHandler.ServeHTTP") == 0;
	l->at = (struct held_frame){
		.function = function,
		.is_own = own_code_has(l->own, frame),
		.is_conn = l->serves && strcmp(function, "net/http.(*conn).serve") == 0,
	};
	l->ret->handles |= l->at.is_conn;
	if (frame->variables) {
		frame_each_variable(frame->variables, true, note_variable, l);
		look_at_request(l, finder_goroutine(l->f, l->goroutine).runtime);
		frame_each_variable(frame->variables, false, note_variable, l);
	}
	settle_frame(l);
}

/* Has context.AfterFunc started it, because a context ended? */
static bool is_after_func(const struct goroutine_of *it)
{
	struct code_frame by;

	return it->goroutine->created_pc &&
	       runtime_call_before(it->runtime, it->goroutine->created_pc, &by) &&
	       by.function && strncmp(by.function, "context.", strlen("context.")) == 0;
}

/* A goroutine that has cancelled a context often waits for others to end. */
static bool waits_for_others(const struct goroutine_of *it)
{
	struct wait wait;

	return runtime_wait(it->runtime, it->goroutine, &wait) &&
	       wait.kind == WAIT_WAITGROUP;
}

static void find_duration(const struct finder *f, uint32_t goroutine,
			  const struct goroutine_of *it, struct held_context *ret)
{
	if (is_cancelled(ret->form) && waits_for_others(it))
		ret->form = HELD_NONE;
	else if (is_cancelled(ret->form))
		ret->ns = finder_stayed(f, goroutine);
	else if (ret->form == HELD_CLIENT_GONE)
		ret->ns = finder_waits_long(f, goroutine) ? finder_age(f, goroutine) : 0;
}

void held_context_of(const struct finder *f, const struct own_code *own,
		     uint32_t goroutine, struct held_context *ret)
{
	const struct goroutine_of it = finder_goroutine(f, goroutine);
	struct looking l = { .f = f, .own = own, .ret = ret, .goroutine = goroutine };

	*ret = (struct held_context){ .form = HELD_NONE };
	if (is_after_func(&it))
		return;
	runtime_budget_unit(it.runtime);
	runtimes_each_frame_of(f->about.all, it.goroutine, VARIABLES_OF_ALL, note_frame,
			       &l);
	const struct held_context gone = { .form = HELD_CLIENT_GONE };
	if (l.client_gone)
		keep_surer(ret, &gone);
	if (l.is_over)
		ret->form = HELD_NONE;
	find_duration(f, goroutine, &it, ret);
}
