/* SPDX-License-Identifier: Apache-2.0 */
/* Who did what, where, and who started that: one sentence for somebody who is tired. */
#include "printers/document/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/goruntime.h"
#include "lib/base/utf8.h"

enum {
	TEXT_MAX = 200,	 /* bytes of a panic's text */
	CYCLE_SHOWN = 3, /* functions */
	FUNCTIONS = 32,	 /* whose calls are counted */
	CALLS_MIN = 100, /* of one, to be named */
};

/* What the runtime says, and what the program did. Sources: the texts in runtime/panic.go, error.go,
 * chan.go, map.go, proc.go, stack.go, malloc.go (1.15 to 1.27). */
struct wording {
	const char *said, *did;
};

static const struct wording panics[] = {
	{ "assignment to entry in nil map", "wrote to a nil map" },
	{ "runtime error: integer divide by zero", "divided by zero" },
	{ "close of closed channel", "closed a channel that was closed already" },
	{ "close of nil channel", "closed a nil channel" },
	{ "send on closed channel", "sent on a closed channel" },
	{ NULL, NULL },
};

#define BAD_ADDRESS "runtime error: invalid memory address or nil pointer dereference"

#define NEEDS_MEMORY "needed more memory than there is"

static const struct wording fatal_errors[] = {
	{ "concurrent map writes", "wrote to a map while another goroutine wrote to it" },
	/* internal/runtime/maps of Go 1.24 to 1.26. */
	{ "small map with no empty slot (concurrent map writes?)",
	  "wrote to a map while another goroutine wrote to it" },
	{ "concurrent map read and map write",
	  "read a map while another goroutine wrote to it" },
	{ "concurrent map iteration and map write",
	  "iterated over a map while another goroutine wrote to it" },
	{ "stack overflow", "needed a larger stack than is allowed" },
	{ "out of memory", NEEDS_MEMORY },
	{ "out of memory allocating heap arena map", NEEDS_MEMORY },
	{ "out of memory allocating heap arena metadata", NEEDS_MEMORY },
	{ "out of memory allocating allArenas", NEEDS_MEMORY },
	{ "out of memory (stackalloc)", NEEDS_MEMORY },
	{ "runtime: cannot allocate memory", NEEDS_MEMORY },
	{ "sync: unlock of unlocked mutex", "unlocked a mutex that was not locked" },
	{ "sync: Unlock of unlocked RWMutex", "unlocked an RWMutex that was not locked" },
	{ "sync: RUnlock of unlocked RWMutex",
	  "unlocked an RWMutex that it had not locked to read" },
	{ NULL, NULL },
};

static const struct wording ends[] = {
	{ "all goroutines are asleep - deadlock!",
	  "deadlock: every goroutine waits, and none is left to wake one" },
	{ "no goroutines (main called runtime.Goexit) - deadlock!",
	  "the main goroutine called runtime.Goexit, and all others have ended or wait" },
	{ NULL, NULL },
};

static const char *did(const struct wording *list, const char *said, size_t len)
{
	for (; list->said; list++)
		if (strlen(list->said) == len && memcmp(list->said, said, len) == 0)
			return list->did;
	return NULL;
}

/* "runtime error: " is before what the runtime itself panics with. */
static size_t prefix_of(const struct go_text *said)
{
	static const char prefix[] = "runtime error: ";

	return said->len > strlen(prefix) &&
			       memcmp(said->bytes, prefix, strlen(prefix)) == 0
		       ? strlen(prefix)
		       : 0;
}

/* In one line. */
static void add_text(FILE *f, const char *text, size_t len)
{
	size_t n;
	uint32_t c;

	for (size_t i = 0; i < len && i < TEXT_MAX; i += n) {
		n = utf8_next(text + i, len - i, &c);
		if (n == 0) {
			fprintf(f, "\\x%02x", (uint8_t)text[i]);
			n = 1;
		} else if (c < ' ') {
			putc(' ', f);
		} else {
			fwrite(text + i, 1, n, f);
		}
	}
	fprintf(f, "%s", len > TEXT_MAX ? "..." : "");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void add_place(FILE *f, const char *how, const char *function, const char *file,
		      uint32_t line)
{
	if (!function)
		return;
	fprintf(f, "%s %s", how, function);
	if (file && line)
		fprintf(f, ", %s:%" PRIu32, base_name(file), line);
}

static void add_others(FILE *f, const struct fault *fault)
{
	for (size_t i = 0; i < fault->other_count; i++)
		fprintf(f, "%s %" PRIu64,
			i		  ? ","
			: fault->same_map ? "; using it, too: goroutine"
					  : "; using that or another map: goroutine",
			fault->others[i]);
}

static void add_places(FILE *f, const struct fault_printing *p)
{

	const struct fault *fault = p->fault;
	const struct fault_place *place = &fault->place, *caller = &fault->caller;
	struct code_frame created;

	if (fault->variable)
		fprintf(f, ": %s", fault->variable);
	if (place->known && !place->function)
		fprintf(f, " at pc 0x%" PRIx64, fault->signal.pc);
	else if (place->known)
		add_place(f, place->c ? " in C:" : " in", place->function, place->file,
			  place->line);
	if (caller->known)
		add_place(f, ", called by", caller->function, caller->file, caller->line);
	if (fault->goroutine && fault->goroutine->id != 1 &&
	    runtime_call_before(fault->runtime, fault->goroutine->created_pc, &created))
		add_place(f, ", created by", created.function, created.file,
			  created.line);
}

/* An address that the processor refused; code: of si_code in asm-generic/siginfo.h. */
static const char *did_with_memory(const struct fault_signal *s)
{
	if (s->number == SIGBUS)
		return "used memory that nothing stands behind, as past the end of a "
		       "mapped file";
	if (s->code == SEGV_ACCERR)
		return "used memory in a way that its protection forbids";
	return s->has_address && s->code == SEGV_MAPERR
		       ? "used an address where no memory is"
		       : "used an address that cannot be one";
}

/* Memory below is never mapped. */
enum { NEAR_NIL = 0x1000 };

/* Where the value of the panic is not known: what sigpanic in runtime/signal_unix.go makes of the signal
 * that the goroutine met. */
static const char *did_at_signal(const struct fault *fault)
{
	const struct fault_signal *s = &fault->signal;

	if (!fault->has_signal || !fault->place.known)
		return NULL;
	if (s->number == SIGFPE)
		return s->code == FPE_INTDIV ? "divided by zero" : NULL;
	if (s->number != SIGSEGV && s->number != SIGBUS)
		return NULL;
	return s->has_address && s->address < NEAR_NIL ? "used a nil pointer"
						       : did_with_memory(s);
}

static bool is_text(const struct go_text *text, const char *wanted)
{
	return text->bytes && text->len == strlen(wanted) &&
	       memcmp(text->bytes, wanted, text->len) == 0;
}

/* NULL: what its text says. */
static const char *did_panic(const struct fault *fault, const struct panic *panic)
{
	const struct go_text *said = &panic->printed;

	if (is_text(&panic->type, "*runtime.PanicNilError") ||
	    (!panic->type.bytes && is_text(said, "nil")))
		return "called panic(nil)";
	if (!fault->by_runtime || !said->bytes)
		return NULL;
	if (!is_text(said, BAD_ADDRESS))
		return did(panics, said->bytes, said->len);
	return fault->by_signal && fault->has_signal && fault->signal.address >= NEAR_NIL
		       ? did_with_memory(&fault->signal)
		       : "used a nil pointer";
}

static void add_panic(FILE *f, const struct fault_printing *p)
{
	const struct panic_list *list =
		runtime_panics(p->fault->runtime, p->fault->goroutine);
	const struct panic *panic = list && p->fault->panic < list->count
					    ? &list->list[p->fault->panic]
					    : NULL;
	const struct go_text *said = panic ? &panic->printed : NULL;
	const char *what = panic ? did_panic(p->fault, panic) : NULL;

	if (!what && panic && list->count == 1 && !said->bytes && !panic->type.bytes)
		what = did_at_signal(p->fault);
	if (what) {
		fprintf(f, "%s", what);
	} else if (said && said->bytes) {
		const size_t skip = p->fault->by_runtime ? prefix_of(said) : 0;
		fprintf(f, "panicked (");
		add_text(f, said->bytes + skip, said->len - skip);
		fprintf(f, ")");
	} else {
		fprintf(f, "panicked");
	}
}

/* What stands after "fatal error: "; NULL: not known. */
static const char *fatal_text(const struct fault *fault, size_t *ret_len)
{
	static const char begin[] = "fatal error: ";
	const char *found = fault->message ? strstr(fault->message, begin) : NULL;

	if (!found)
		return NULL;
	found += strlen(begin);
	*ret_len = strcspn(found, "\n");
	return found;
}

/* The calls that a stack which overflowed consists of. */
struct cycle {
	const char *functions[CYCLE_SHOWN]; /* the outermost last */
	uint32_t shown, count;
	uint32_t run; /* how many calls of the last function in a row */
	uint64_t times;
};

static void look_for_cycle(void *arg, const struct code_frame *f)
{
	struct cycle *c = arg;

	if (c->times)
		return;
	const char *before = c->functions[0];
	c->run = before && f->function && strcmp(before, f->function) == 0 ? c->run + 1
									   : 1;
	memmove(c->functions + 1, c->functions,
		(CYCLE_SHOWN - 1) * sizeof(*c->functions));
	c->functions[0] = f->function;
	c->times = f->repeated_times;
	c->count = f->repeated_frames;
	if (c->run >= c->count && c->times) {
		c->times = (c->times + 1) * c->count - 1;
		c->count = 1;
	}
	c->shown = c->count < CYCLE_SHOWN ? c->count : CYCLE_SHOWN;
}

/* Calls on a stack that is no regular cycle, as of what walks a tree: those of the functions that are
 * met first. */
struct calls {
	struct {
		const char *function;
		uint32_t count;
	} list[FUNCTIONS];
	uint32_t functions;
};

static void count_call(void *arg, const struct code_frame *f)
{
	struct calls *c = arg;
	uint32_t i = 0;

	if (!f->function)
		return;
	while (i < c->functions && strcmp(c->list[i].function, f->function) != 0)
		i++;
	if (i == FUNCTIONS)
		return;
	if (i == c->functions)
		c->list[c->functions++].function = f->function;
	c->list[i].count++;
}

static void add_most_called(FILE *f, const struct fault_printing *p)
{
	struct calls c = { .functions = 0 };
	uint32_t most = 0;

	runtimes_each_frame_of(p->runtimes, p->fault->goroutine, VARIABLES_OF_NONE,
			       count_call, &c);
	for (uint32_t i = 1; i < c.functions; i++)
		if (c.list[i].count > c.list[most].count)
			most = i;
	if (c.functions && c.list[most].count > CALLS_MIN)
		fprintf(f, ": %s is on its stack %s%" PRIu32 " times",
			c.list[most].function,
			p->fault->goroutine->state == STACK_COMPLETE ? "" : "at least ",
			c.list[most].count);
}

static void add_cycle(FILE *f, const struct fault_printing *p)
{
	struct cycle c = { .count = 0 };

	runtimes_each_frame_of(p->runtimes, p->fault->goroutine, VARIABLES_OF_NONE,
			       look_for_cycle, &c);
	if (!c.times) {
		add_most_called(f, p);
		return;
	}
	if (!c.functions[0]) {
		fprintf(f,
			": the same %" PRIu32 " calls are on its stack %" PRIu64 " times",
			c.count, c.times + 1);
		return;
	}
	fprintf(f, ": ");
	for (uint32_t i = 0; i < c.shown; i++)
		fprintf(f, "%s%s", i ? ", then " : "",
			c.functions[i] ? c.functions[i] : "?");
	if (c.count > c.shown)
		fprintf(f, ", then %" PRIu32 " more,", c.count - c.shown);
	fprintf(f, c.count == 1 ? " called itself" : " called each other");
	fprintf(f, " %s%" PRIu64 " times",
		p->fault->goroutine->state == STACK_COMPLETE ? "" : "at least ",
		c.times + 1);
}

static void add_fatal_error(FILE *f, const struct fault *fault)
{
	size_t len = 0;
	const char *said = fatal_text(fault, &len);
	const char *what = said ? did(fatal_errors, said, len) : NULL;

	if (said && len == strlen("fault") && memcmp(said, "fault", len) == 0 &&
	    fault->has_signal)
		what = did_with_memory(&fault->signal);
	if (what) {
		fprintf(f, "%s", what);
	} else {
		fprintf(f, "met a fatal error of the runtime");
		if (said) {
			fprintf(f, " (");
			add_text(f, said, len);
			fprintf(f, ")");
		}
	}
}

/* The panic of which no text could be made. */
static void add_unprinted(FILE *f, const struct fault *fault)
{
	const struct panic_list *list = runtime_panics(fault->runtime, fault->goroutine);
	const struct go_text *type = list && fault->panic < list->count
					     ? &list->list[fault->panic].type
					     : NULL;

	fprintf(f, "panicked");
	if (type && type->bytes)
		fprintf(f, " with a value of type %.*s", (int)type->len, type->bytes);
}

/* What happened when its text was made. */
static void add_printing(FILE *f, const struct fault_printing *p)
{
	const struct fault *fault = p->fault;
	const struct panic_list *list = runtime_panics(fault->runtime, fault->goroutine);
	const struct go_text *said = list && list->count ? &list->list[0].printed : NULL;

	fprintf(f, "; making its text ");
	if (fault->printing_panics == 0) {
		add_fatal_error(f, fault);
		add_cycle(f, p);
	} else {
		fprintf(f, "panicked again");
		if (said && said->bytes) {
			fprintf(f, " (");
			add_text(f, said->bytes + prefix_of(said),
				 said->len - prefix_of(said));
			fprintf(f, ")");
		}
	}
	add_place(f, " in", fault->printing.function, fault->printing.file,
		  fault->printing.line);
}

static void add_signal(FILE *f, const struct fault_printing *p)
{
	const struct fault_signal *s = &p->fault->signal;
	const char *text = fault_signal_text(s->number);

	if (text)
		fprintf(f, "got %.*s", (int)strcspn(text, ":"), text);
	else
		fprintf(f, "got signal %d", s->number);
	if (s->has_address)
		fprintf(f, " at address 0x%" PRIx64, s->address);
	else if (s->has_sender && s->sender == p->pid)
		fprintf(f, " from the process itself");
	else if (s->has_sender && s->sender > 0)
		fprintf(f, " from process %" PRId64 " of user %" PRId64, s->sender,
			s->sender_user);
}

/* The end of all goroutines is no goroutine's fault. NULL: it is one's. */
static const char *end_of_all(const struct fault *fault)
{
	size_t len = 0;
	const char *said =
		fault->kind == FAULT_FATAL_ERROR ? fatal_text(fault, &len) : NULL;

	return said ? did(ends, said, len) : NULL;
}

char *verdict_of(const struct fault_printing *p)
{
	const struct fault *fault = p->fault;
	const char *end = end_of_all(fault);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		out_of_memory();
	if (end) {
		fprintf(f, "%s", end);
	} else {
		if (fault->goroutine)
			fprintf(f, "goroutine %" PRIu64 " ", fault->goroutine->id);
		else
			fprintf(f, "thread %d ", (int)p->threads[fault->thread].tid);
		if (fault->kind == FAULT_PANIC && fault->goroutine)
			add_panic(f, p);
		else if (fault->printing.known)
			add_unprinted(f, fault);
		else if (fault->kind == FAULT_FATAL_ERROR)
			add_fatal_error(f, fault);
		else
			add_signal(f, p);
		if (fault->kind == FAULT_FATAL_ERROR && fault->goroutine &&
		    !fault->printing.known)
			add_cycle(f, p);
		add_places(f, p);
		if (fault->printing.known)
			add_printing(f, p);
		add_others(f, fault);
		if (fault->recovered)
			fprintf(f, "; it recovers");
	}
	if (fclose(f) != 0)
		out_of_memory();
	return text;
}
