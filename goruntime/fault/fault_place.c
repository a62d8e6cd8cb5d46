/* SPDX-License-Identifier: Apache-2.0 */
/* The call that is to blame: the first outside the runtime, past the frames that only report the
 * fault, such as gopanic. */
#include <string.h>

#include "goruntime/fault/fault_priv.h"
#include "goruntime/frames/frames.h"
#include "goruntime/goroutines/extras.h"

/* The search, frame by frame. */
struct blame {
	struct fault *fault;
	const char *root;	 /* of the standard library's files; NULL: not known */
	size_t root_len;	 /* 0: built with -trimpath */
	const char *own;	 /* the file of main.main; NULL: not known */
	const char *object_file; /* of the place, if that is C */
	uint32_t next;		 /* number of the frame */
	uint32_t reports;	 /* frames that only report the fault, and are to come */
	uint32_t panics;	 /* calls of gopanic so far */
	bool of_thread;
};

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Some of the runtime's functions bear the name of another package, which declares them without a
 * body: sync.fatal. */
static bool is_runtime(const struct blame *b, const struct code_frame *f)
{
	if (begins(f->function, "runtime.") || begins(f->function, "runtime/") ||
	    begins(f->function, "internal/"))
		return true;
	return b->root && f->file && strncmp(f->file, b->root, b->root_len) == 0 &&
	       begins(f->file + b->root_len, "runtime/");
}

/* NULL: not known. */
static const char *file_of(struct runtime *rt, const char *function)
{
	uint64_t end, entry = rt ? modules_function(rt->modules, function, &end) : 0;
	struct code_frame f;

	return entry && runtime_code_at(rt, entry, &f) ? f.file : NULL;
}

/* "/usr/lib/go/src/runtime/proc.go": what is before "runtime/proc.go". Built with -trimpath, that
 * is nothing. */
static void find_root(struct blame *b)
{
	static const char own[] = "runtime/proc.go";
	const char *file = file_of(b->fault->runtime, "runtime.main");
	const size_t len = file ? strlen(file) : 0;

	if (len < strlen(own) || strcmp(file + len - strlen(own), own) != 0)
		return;
	b->root = file;
	b->root_len = len - strlen(own);
	b->own = file_of(b->fault->runtime, "main.main");
}

static bool is_below(const char *file, const char *folder, size_t len)
{
	return file && folder && strncmp(file, folder, len) == 0;
}

/* With -trimpath, the first part of a file's name is that of its module: only the standard library's
 * have neither a dot nor the program's own name. */
static bool is_standard(const struct blame *b, const char *file)
{
	const size_t first = strcspn(file, "/");

	if (b->root_len)
		return is_below(file, b->root, b->root_len);
	return b->root && b->own && file[first] && !memchr(file, '.', first) &&
	       !memchr(file, '@', first) && !is_below(b->own, file, first + 1);
}

/* Code that somebody else wrote: the standard library, what cgo generates, the library in which C
 * code failed. */
static bool is_foreign(const struct blame *b, const struct code_frame *f)
{
	if (f->c)
		return f->object_file && b->object_file &&
		       strcmp(f->object_file, b->object_file) == 0;
	return is_runtime(b, f) || strstr(f->function, "._Cfunc_") ||
	       (f->file && is_standard(b, f->file));
}

static void take_place(struct fault_place *place, const struct blame *b,
		       const struct code_frame *f)
{
	*place = (struct fault_place){
		.function = f->function,
		.file = f->file,
		.line = f->line,
		.known = true,
		.c = f->c,
		.frame = b->next,
		.of_thread = b->of_thread,
	};
}

/* Does f only report the fault? */
static bool is_report(const struct fault *fault, const struct code_frame *f)
{
	enum special s = f->function ? special_of(f->function) : SPECIAL_none;

	switch (fault->kind) {
	case FAULT_PANIC:
		return s == SPECIAL_gopanic;
	case FAULT_FATAL_ERROR:
		return fault->printing.known ? s == SPECIAL_gopanic
					     : s == SPECIAL_throw || s == SPECIAL_fatal;
	case FAULT_SIGNAL:
		break;
	}
	return false;
}

/* What called gopanic. */
static void look_at_cause(struct blame *b, const struct code_frame *f)
{
	const enum special s = special_of(f->function);

	if ((b->fault->kind != FAULT_PANIC && !b->fault->printing.known) ||
	    b->fault->place.known || !is_runtime(b, f))
		return;
	b->fault->by_runtime = true;
	b->fault->by_signal |= s == SPECIAL_sigpanic || s == SPECIAL_sigpanic0;
}

/* Of old releases, the runtime does not say so. */
static bool panics_again(const struct panic *inner, const struct panic *outer)
{
	return outer->repanicked ||
	       (outer->recovered && outer->value[0] &&
		memcmp(outer->value, inner->value, sizeof(outer->value)) == 0);
}

/* Which panic is to blame, from `first` on, and how many calls of gopanic there are up to it. */
static uint32_t find_panic(struct fault *fault, size_t first)
{
	const struct panic_list *panics =
		fault->goroutine ? runtime_panics(fault->runtime, fault->goroutine)
				 : NULL;
	uint32_t reports = 1;

	fault->panic = first;
	for (size_t i = first; panics && i + 1 < panics->count; i++) {
		if (!panics_again(&panics->list[i], &panics->list[i + 1]))
			break;
		fault->panic = i + 1;
		reports++;
	}
	return reports;
}

/* Before it prints panics, the runtime has the program make texts of their values, by Error and String.
 * What was blamed so far is in there; what panicked is to come. */
static void look_at_printing(struct blame *b, const struct code_frame *f)
{
	struct fault *fault = b->fault;
	const enum special s = f->function ? special_of(f->function) : SPECIAL_none;

	b->panics += s == SPECIAL_gopanic;
	if (s != SPECIAL_preprintpanics || fault->kind != FAULT_FATAL_ERROR ||
	    !fault->place.known || fault->printing.known)
		return;
	fault->printing = fault->caller.known ? fault->caller : fault->place;
	fault->printing_panics = b->panics;
	fault->place.known = fault->caller.known = false;
	b->object_file = NULL;
	b->reports = find_panic(fault, b->panics);
}

static void look_at_frame(void *arg, const struct code_frame *f)
{
	struct blame *b = arg;
	struct fault *fault = b->fault;
	bool at_signal =
		fault->has_signal && fault->signal.has_pc && f->pc == fault->signal.pc;
	bool interrupted = fault->kind == FAULT_SIGNAL && at_signal;

	if (interrupted)
		b->reports = 0;
	/* Where nothing has a name, the address says it. */
	if (at_signal && !f->function && !fault->place.known)
		take_place(&fault->place, b, f);
	if (b->reports == 0 && f->function) {
		look_at_cause(b, f);
		if (!fault->place.known && (interrupted || !is_runtime(b, f))) {
			take_place(&fault->place, b, f);
			b->object_file = f->c ? f->object_file : NULL;
		}
		if (!fault->caller.known && !is_foreign(b, f))
			take_place(&fault->caller, b, f);
	}
	if (b->reports && is_report(fault, f))
		b->reports--;
	look_at_printing(b, f);
	b->next++;
}

void fault_find_place(struct runtimes *all, struct fault *fault)
{
	struct blame b = { .fault = fault, .of_thread = true };

	fault->panic = 0;
	fault->reports = fault->kind == FAULT_PANIC ? find_panic(fault, 0) : 1;
	b.reports = fault->reports;
	find_root(&b);
	if (fault->kind == FAULT_SIGNAL || fault->ended_on_thread)
		runtimes_each_frame_of_thread(all, (size_t)fault->thread,
					      VARIABLES_OF_NONE, look_at_frame, &b);
	b.of_thread = false;
	b.next = 0;
	if (fault->goroutine)
		runtimes_each_frame_of(all, fault->goroutine, VARIABLES_OF_NONE,
				       look_at_frame, &b);
	if (fault->caller.frame == fault->place.frame &&
	    fault->caller.of_thread == fault->place.of_thread)
		fault->caller.known = false;
}
