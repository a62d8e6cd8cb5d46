/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime prints before the stacks. Panics: printpanics in runtime/panic.go. Fatal errors:
 * the last 512 bytes that the runtime printed before it panicked are in printBacklog
 * (runtime/print.go). Signals: fatalsignal in runtime/signal_unix.go. Go 1.15 to 1.27. */
#include <inttypes.h>
#include <string.h>

#include "goruntime/fault/fault_priv.h"
#include "goruntime/goroutines/extras.h"
#include "goruntime/goroutines/panic_message.h"

enum {
	BACKLOG = 512,	/* printBacklog, runtime/print.go */
	ALIGNMENT = 32, /* of a variable of that size */
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
	char raw[BACKLOG];
	struct err ignored;
	uint64_t at;

	if (ring == index || !target_read_uint(rt->target, index, WORD, &at, &ignored) ||
	    at > BACKLOG || !target_read(rt->target, ring, raw, sizeof(raw), &ignored))
		return false;
	memcpy(ret, raw + at, BACKLOG - at);
	memcpy(ret + (BACKLOG - at), raw, at);
	return true;
}

static const char fatal_error[] = "fatal error: ";

/* All that follows the first line is part of it: printindented. */
static bool is_all_of_it(const char *error, const char *end)
{
	if (end - error <= (ptrdiff_t)strlen(fatal_error) + 1)
		return false;
	for (const char *at = error; at < end; at++)
		if (*at == '\0' || (*at == '\n' && at + 1 < end && at[1] != '\t'))
			return false;
	return end[-1] == '\n';
}

/* The last fatal error in text, and its end; NULL: there is none, or text is not what the runtime printed
 * last. Behind it may be the beginning of another goroutine's, which is cut: once one panics, what others
 * print is not recorded (recordForPanic in runtime/print.go). */
static const char *last_fatal_error(const char *text, size_t len, const char **ret_end)
{
	const char *found = NULL, *before = NULL;

	for (const char *at = text; (at = memmem(at, len - (size_t)(at - text),
						 fatal_error, strlen(fatal_error)));
	     at++) {
		before = found;
		found = at;
	}
	*ret_end = text + len;
	if (found && is_all_of_it(found, *ret_end))
		return found;
	*ret_end = found;
	return before && is_all_of_it(before, found) ? before : NULL;
}

/* Lines in which the runtime explains the error before it. */
static const char *with_explanation(const char *text, const char *error)
{
	static const char *const begins[] = { "runtime: ", "unexpected fault address " };
	const char *ret = error;

	while (ret > text) {
		const char *line = ret - 1;
		bool explains = false;
		while (line > text && line[-1] != '\n' && line[-1] != '\0')
			line--;
		/* The last line may be cut. */
		for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
			explains |= (size_t)(ret - line) >= strlen(begins[i]) &&
				    memcmp(line, begins[i], strlen(begins[i])) == 0;
		if (!explains)
			break;
		ret = line;
	}
	return ret;
}

/* Of a text that is something several times, the length of that. */
static size_t period(const char *text, size_t len, size_t times)
{
	while (times > 1 && (len % times != 0 ||
			     memcmp(text, text + len / times, len - len / times) != 0))
		times--;
	return len / times;
}

/* Several threads die of the same at once, as of a map that all of them write. Each prints the words, the
 * error, and the end of the line by itself (fatal in runtime/panic.go), which may come in any order; of all
 * but one, some may be missing. */
static bool add_interleaved(const char *text, size_t len, struct panic_message *w)
{
	const size_t word = strlen(fatal_error);
	const char *first = memmem(text, len, fatal_error, word), *end = text + len;
	char errors[BACKLOG];
	size_t n = 0, times = 0;

	for (const char *at = first; at && at < end;) {
		if ((size_t)(end - at) >= word && memcmp(at, fatal_error, word) == 0) {
			at += word;
			times++;
			continue;
		}
		if (*at == '\0' || *at == '\t')
			return false;
		if (*at != '\n')
			errors[n++] = *at;
		at++;
	}
	if (n == 0)
		return false;
	const char *begin = with_explanation(text, first);
	panic_message_add(w, begin, (size_t)(first - begin) + word);
	panic_message_add(w, errors, period(errors, n, times));
	panic_message_add(w, "\n", 1);
	return true;
}

/* Where the backlog begins and what was written last is not known: behind a line may be an older one. */
static const char *end_of_error(const char *error, const char *end)
{
	const char *line = memchr(error, '\n', (size_t)(end - error));
	const char *all = memchr(error, '\0', (size_t)(end - error));

	if (!line || (all && all < line))
		return NULL;
	return all && is_all_of_it(error, all) ? all : line + 1;
}

/* False: there is none, or there are several. */
static bool take_fatal_error(const uint8_t *bytes, size_t len, struct panic_message *w)
{
	const char *text = (const char *)bytes, *end = text + len;
	const char *error = memmem(text, len, fatal_error, strlen(fatal_error));
	const char *behind = error ? end_of_error(error, end) : NULL;

	if (!behind || behind - error > BACKLOG ||
	    memmem(behind, (size_t)(end - behind), fatal_error, strlen(fatal_error)))
		return false;
	error = with_explanation(text, error);
	panic_message_add(w, error, (size_t)(behind - error));
	return true;
}

/* Is that the backlog after it was filled? The linker aligns it (symalign in cmd/link/internal/ld/data.go),
 * and other variables are mostly zero. */
static bool is_full(const uint8_t *bytes, size_t at)
{
	return bytes[at - 1] == '\0' && bytes[at + BACKLOG] == '\0' &&
	       !memchr(bytes + at, '\0', BACKLOG);
}

/* The error is the last that was written, so the line behind it is the first. */
static bool take_full(const uint8_t *bytes, struct panic_message *w)
{
	char twice[2 * BACKLOG];
	const char *line, *end;

	memcpy(twice, bytes, BACKLOG);
	memcpy(twice + BACKLOG, bytes, BACKLOG);
	const char *error =
		memmem(twice, sizeof(twice), fatal_error, strlen(fatal_error));
	if (!error ||
	    !(line = memchr(error, '\n', sizeof(twice) - (size_t)(error - twice))))
		return false;
	const char *text = twice + (size_t)(line + 1 - twice) % BACKLOG;
	error = last_fatal_error(text, BACKLOG, &end);
	if (!error)
		return false;
	error = with_explanation(text, error);
	panic_message_add(w, error, (size_t)(end - error));
	return true;
}

static bool look_for_fatal_error(const uint8_t *bytes, uint64_t addr, size_t len,
				 struct panic_message *w)
{
	for (size_t at = ALIGNMENT - addr % ALIGNMENT; at + BACKLOG < len;
	     at += ALIGNMENT)
		if (is_full(bytes, at) && take_full(bytes + at, w))
			return true;
	return take_fatal_error(bytes, len, w);
}

/* The backlog has no pointers. */
static void search_fatal_error(struct runtime *rt, struct panic_message *w)
{
	enum { CHUNK = 1 << 16 };
	const struct module *m = modules_get(rt->modules, 0);
	const uint64_t end = target_scan_end(m->noptrbss, m->enoptrbss);
	AUTO(xfree) uint8_t *buf = xmalloc(CHUNK);
	struct err ignored;

	for (uint64_t at = m->noptrbss - ALIGNMENT; at < end; at += CHUNK - 2 * BACKLOG) {
		const size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
		if (target_search(rt->target, at, buf, n, &ignored) &&
		    look_for_fatal_error(buf, at, n, w)) {
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
	char text[BACKLOG];
	const char *end = text + sizeof(text);

	for (size_t i = 0; i < n * n; i++) {
		const char *begin = read_ring(rt, refs[i / n], refs[i % n], text)
					    ? with_explanation(text, end)
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
	panic_message_addf(w, "%s", fatal_error);
	add_panic_text(rt, &error, w);
	panic_message_addf(w, "\n");
}

static bool add_fatal_error(const char *text, size_t len, struct panic_message *w)
{
	const char *end, *error = last_fatal_error(text, len, &end);

	if (!error)
		return false;
	error = with_explanation(text, error);
	panic_message_add(w, error, (size_t)(end - error));
	return true;
}

/* The backlog and its index are among the variables that recordForPanic refers to. Its code may be
 * missing. */
static void compose_fatal_error(struct runtime *rt, struct panic_message *w)
{
	bool (*const ways[])(const char *, size_t,
			     struct panic_message *) = { add_fatal_error,
							 add_interleaved };
	uint64_t refs[REFERENCES_MAX];
	size_t n = modules_references(rt->modules, "runtime.recordForPanic", refs,
				      ARRAY_SIZE(refs));
	char text[BACKLOG];

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
