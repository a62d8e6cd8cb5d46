/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime prints before the stacks. Panics: printpanics in runtime/panic.go. Fatal errors:
 * the last 512 bytes that the runtime printed before it panicked are in printBacklog
 * (runtime/print.go). Signals: fatalsignal in runtime/signal_unix.go. Go 1.15 to 1.27. */
#include <inttypes.h>
#include <string.h>

#include "goruntime/fault/fault_backlog.h"
#include "goruntime/fault/fault_priv.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/goroutines/panic_message.h"

enum {
	REFERENCES_MAX = 32,
	INSTRUCTION_BYTES = 16, /* printed for bad instructions */
};

/* Releases differ in words, and the functions that they have tell them apart. If these are unknown, it
 * has those of newer ones. */
static bool has_function(const struct runtime *rt, const char *name)
{
	uint64_t end;

	return modules_unnamed(rt->modules) ||
	       modules_function(rt->modules, name, &end) != 0;
}

/* From 1.23 on lines after the first are indented: printindented in runtime/error.go. */
static void add_panic_text(const struct runtime *rt, const struct go_text *text,
			   struct panic_message *w)
{
	bool indented = has_function(rt, "runtime.printindented");
	size_t begin = 0;

	for (size_t i = 0; indented && i < text->len; i++) {
		if (text->bytes[i] != '\n')
			continue;
		panic_message_add(w, text->bytes + begin, i + 1 - begin);
		panic_message_add(w, "\t", 1);
		begin = i + 1;
	}
	panic_message_add(w, text->bytes + begin, text->len - begin);
	w->omitted += text->omitted;
}

static void add_panic(const struct runtime *rt, const struct panic *panic, bool recovered,
		      struct panic_message *w)
{
	/* The release that introduced repanicked says it instead of recovered. */
	const char *how = recovered && panic->repanicked ? " [recovered, repanicked]"
			  : recovered			 ? " [recovered]"
							 : "";

	panic_message_addf(w, "panic: ");
	if (panic->printed.bytes)
		add_panic_text(rt, &panic->printed, w);
	else if (panic->type.bytes)
		panic_message_addf(w, "(%.*s)", (int)panic->type.len, panic->type.bytes);
	panic_message_addf(w, "%s\n", how);
}

/* As if the innermost ended the process, although it is recovered. */
static void compose_panics(struct runtime *rt, const struct fault *fault,
			   struct panic_message *w)
{
	const struct panic_list *panics = runtime_panics(rt, fault->goroutine);

	for (size_t i = panics ? panics->count : 0; i-- > 0;) {
		const struct panic *outer =
			i + 1 < panics->count ? &panics->list[i + 1] : NULL;
		if (outer && outer->repanicked)
			continue;
		if (outer && !outer->goexit)
			panic_message_addf(w, "\t");
		if (!panics->list[i].goexit)
			add_panic(rt, &panics->list[i],
				  panics->list[i].recovered &&
					  !(fault->recovered && i == 0),
				  w);
	}
}

/* Type descriptors are constants, and may be missing with the names of functions. */
static bool has_texts(struct runtime *rt, const struct goroutine *g)
{
	const struct panic_list *panics =
		g && modules_unnamed(rt->modules) ? runtime_panics(rt, g) : NULL;

	for (size_t i = 0; panics && i < panics->count; i++)
		if (!panics->list[i].printed.bytes && !panics->list[i].goexit)
			return false;
	return true;
}

static uint64_t load(struct runtime *rt, uint64_t base, enum layout_slot slot)
{
	struct err ignored;
	uint64_t v;
	return base && layout_load(&rt->layout, rt->target, base, slot, &v, &ignored) ? v
										      : 0;
}

/* dopanic_m: a panic or fatal error that a signal caused. */
static void add_signal_of(struct runtime *rt, uint64_t g, struct panic_message *w)
{
	uint32_t number = (uint32_t)load(rt, g, L_g_sig);
	const char *text = fault_signal_text((int)number);

	if (number == 0)
		return;
	if (text)
		panic_message_addf(w, "[signal %s", text);
	else
		panic_message_addf(w, "[signal 0x%" PRIx32, number);
	panic_message_addf(w,
			   " code=0x%" PRIx64 " addr=0x%" PRIx64 " pc=0x%" PRIx64 "]\n",
			   load(rt, g, L_g_sigcode0), load(rt, g, L_g_sigcode1),
			   load(rt, g, L_g_sigpc));
}

/* The ring in the order in which it was written. False: index is not one of it. */
static bool read_ring(struct runtime *rt, uint64_t ring, uint64_t index, char *ret)
{
	char raw[BACKLOG_BYTES];
	struct err ignored;
	uint64_t at;

	if (ring == index || !target_read_uint(rt->target, index, WORD, &at, &ignored) ||
	    at > BACKLOG_BYTES ||
	    !target_read(rt->target, ring, raw, sizeof(raw), &ignored))
		return false;
	memcpy(ret, raw + at, BACKLOG_BYTES - at);
	memcpy(ret + (BACKLOG_BYTES - at), raw, at);
	return true;
}

/* The backlog has no pointers. */
static void search_fatal_error(struct runtime *rt, struct panic_message *w)
{
	enum { CHUNK = 1 << 16 };
	const struct module *m = modules_get(rt->modules, 0);
	const uint64_t end = target_scan_end(m->noptrbss, m->enoptrbss);
	AUTO(xfree) uint8_t *buf = xmalloc(CHUNK);
	struct err ignored;

	for (uint64_t at = m->noptrbss - BACKLOG_ALIGNMENT; at < end;
	     at += CHUNK - 2 * BACKLOG_BYTES) {
		const size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
		if (target_search(rt->target, at, buf, n, &ignored) &&
		    backlog_search(buf, at, n, w)) {
			target_found(rt->target, at, n);
			return;
		}
	}
}

/* What the runtime wrote last, if it explains the error that is to come. */
static void add_explanation(struct runtime *rt, struct panic_message *w)
{
	uint64_t refs[REFERENCES_MAX];
	const size_t n = modules_references(rt->modules, "runtime.recordForPanic", refs,
					    ARRAY_SIZE(refs));
	char text[BACKLOG_BYTES];
	const char *end = text + sizeof(text);

	for (size_t i = 0; i < n * n; i++) {
		const char *begin = read_ring(rt, refs[i / n], refs[i % n], text)
					    ? backlog_explanation(text, end)
					    : end;
		if (begin == end || end[-1] != '\n')
			continue;
		panic_message_add(w, begin, (size_t)(end - begin));
		return;
	}
}

static void compose_sighted(struct runtime *rt, const char *text, struct panic_message *w)
{
	const struct go_text error = { .bytes = text, .len = strlen(text) };

	add_explanation(rt, w);
	panic_message_addf(w, BACKLOG_ERROR);
	add_panic_text(rt, &error, w);
	panic_message_addf(w, "\n");
}

/* The backlog and its index are among the variables that recordForPanic refers to. Its code may be
 * missing. */
static void compose_fatal_error(struct runtime *rt, struct panic_message *w)
{
	bool (*const ways[])(const char *, size_t,
			     struct panic_message *) = { backlog_fatal_error,
							 backlog_interleaved };
	uint64_t refs[REFERENCES_MAX];
	size_t n = modules_references(rt->modules, "runtime.recordForPanic", refs,
				      ARRAY_SIZE(refs));
	char text[BACKLOG_BYTES];

	if (n == 0)
		search_fatal_error(rt, w);
	for (size_t way = 0; way < ARRAY_SIZE(ways); way++)
		for (size_t i = 0; i < n * n; i++)
			if (read_ring(rt, refs[i / n], refs[i % n], text) &&
			    ways[way](text, sizeof(text), w))
				return;
}

static void add_instruction(struct runtime *rt, uint64_t pc, struct panic_message *w)
{
	uint8_t code[INSTRUCTION_BYTES];
	struct err ignored;

	if (!modules_code(rt->modules, pc, code, sizeof(code)) &&
	    !target_read(rt->target, pc, code, sizeof(code), &ignored))
		return;
	panic_message_addf(w, "instruction bytes:");
	for (size_t i = 0; i < sizeof(code); i++)
		panic_message_addf(w, " 0x%x", code[i]);
	panic_message_addf(w, "\n");
}

/* On the thread's own stack. Up to 1.18, which has no function fatal, only calls of goroutines that
 * are locked to their threads counted. */
static bool is_in_cgo(struct runtime *rt, const struct go_m *m, const struct regs *regs)
{
	uint64_t sp = regs->value[target_arch(rt->target)->sp];

	if (!m->curg || on_stack(m->curg_stack, sp))
		return false;
	return load(rt, m->m, L_m_incgo) &&
	       (has_function(rt, "runtime.fatal") || load(rt, m->curg, L_g_lockedm) != 0);
}

static void compose_signal(struct runtime *rt, const struct fault *fault,
			   const struct go_m *m, struct panic_message *w)
{
	const struct fault_signal *s = &fault->signal;
	const char *text = fault_signal_text(s->number);

	if (text)
		panic_message_addf(w, "%s\n", text);
	else
		panic_message_addf(w, "signal %d\n", s->number);
	panic_message_addf(w, "PC=0x%" PRIx64 " m=%" PRIu64 " sigcode=%" PRIu64, s->pc,
			   load(rt, m->m, L_m_id), (uint64_t)(int64_t)s->code);
	/* From 1.22 on, whose _defer has no openDefer any more. */
	if ((s->number == SIGSEGV || s->number == SIGBUS) &&
	    !layout_has(&rt->layout, L_defer_open))
		panic_message_addf(w, " addr=0x%" PRIx64, s->address);
	panic_message_addf(w, "\n");
	if (is_in_cgo(rt, m, &fault->registers))
		panic_message_addf(w, "signal arrived during cgo execution\n");
	/* sighandler in runtime/signal_unix.go: 1.15 has them of SIGILL only, 1.19 of both. */
	if (s->number == SIGILL ||
	    (s->number == SIGFPE && has_function(rt, "runtime.fatal")))
		add_instruction(rt, s->pc, w);
}

void fault_compose(struct runtimes *all, struct fault *fault, const struct go_m *m)
{
	struct runtime *rt = fault->runtime;
	struct panic_message w = { .len = 0 };

	target_budget_unit(all->target);
	switch (fault->kind) {
	case FAULT_PANIC:
		if (!has_texts(rt, fault->goroutine))
			return;
		if (fault->goroutine)
			compose_panics(rt, fault, &w);
		add_signal_of(rt, fault_noting_g(fault, m), &w);
		break;
	case FAULT_FATAL_ERROR:
		if (all->sighted && *all->sighted->text)
			compose_sighted(rt, all->sighted->text, &w);
		else
			compose_fatal_error(rt, &w);
		if (w.len)
			add_signal_of(rt, fault_noting_g(fault, m), &w);
		break;
	case FAULT_SIGNAL:
		compose_signal(rt, fault, m, &w);
		break;
	}
	while (w.len > 0 && w.bytes[w.len - 1] == '\n')
		w.len--;
	if (w.len == 0)
		return;
	fault->message = xstrndup(w.bytes, w.len);
	fault->message_omitted = w.omitted;
}
