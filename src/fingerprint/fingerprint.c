/* SPDX-License-Identifier: Apache-2.0 */
#include "src/fingerprint/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"

/* What waits in a channel's name is the same whichever of the runtime's functions the compiler
 * calls for it. Others, such as those of maps and memory, a goroutine only passes through. */
static const struct {
	const char *function, *operation;
} operations[] = {
	{ "runtime.chansend", "chan send" },	  { "runtime.chansend1", "chan send" },
	{ "runtime.chanrecv", "chan receive" },	  { "runtime.chanrecv1", "chan receive" },
	{ "runtime.chanrecv2", "chan receive" },  { "runtime.selectgo", "select" },
	{ "runtime.block", "select (no cases)" },
};

void fingerprint_of(const struct text *text, char ret[static FINGERPRINT_TEXT])
{
	snprintf(ret, FINGERPRINT_TEXT, "%016" PRIx64, hash_text(text_words(text)));
}

bool fingerprint_is(const char *text)
{
	return strlen(text) == FINGERPRINT_TEXT - 1 &&
	       strspn(text, "0123456789abcdef") == FINGERPRINT_TEXT - 1;
}

static bool has_line(const struct text *text, const char *line)
{
	const size_t len = strlen(line);

	for (const char *at = text_words(text); *at; at = strchr(at, '\n') + 1)
		if (strncmp(at, line, len) == 0 && at[len] == '\n')
			return true;
	return false;
}

static void add_line(struct stack_text *stack, const char *line)
{
	if (stack->lines == STACK_LINES || has_line(&stack->text, line))
		return;
	text_append(&stack->text, line, strlen(line));
	text_append(&stack->text, "\n", 1);
	stack->lines++;
}

static bool is_full(const struct stack_text *stack)
{
	return stack->lines == STACK_LINES || (stack->most && stack->own == stack->most);
}

static void replace(struct text *text, const char *words)
{
	text->len = 0;
	text_append(text, words, strlen(words));
}

/* What the program's innermost function does by the runtime; nothing if it calls the library for it. */
static void note_runtime(struct stack_text *stack, const char *function)
{
	static const char *const ends[] = { "runtime.goexit", "runtime.mstart",
					    "runtime.mcall", "runtime.rt0_go" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (strcmp(function, ends[i]) == 0)
			return;
	replace(&stack->runtime, function);
	stack->operation.len = 0;
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (strcmp(function, operations[i].function) == 0)
			replace(&stack->operation, operations[i].operation);
}

/* What the library's functions call of each other is its own affair: of those that follow each
 * other, the outermost counts, which the program knows. */
static void flush_library(struct stack_text *stack)
{
	if (stack->library.len)
		add_line(stack, stack->library.words);
	else if (stack->operation.len && !stack->own)
		add_line(stack, stack->operation.words);
	stack->library.len = 0;
}

static void add_own(struct stack_text *stack, const char *function)
{
	flush_library(stack);
	add_line(stack, function);
	/* Of package main, or of a closure. */
	stack->is_ambiguous |= !strchr(function, '/');
	if (stack->own++ == 0)
		text_add(&stack->place, "%s", text_words(&stack->text));
}

static void add_c(struct stack_text *stack, const char *function)
{
	static const char *const variants[] = { ".part.", ".isra.", ".constprop.",
						".cold", "@" };
	size_t len = strlen(function);

	if (stack->c_lines == STACK_LINES)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		const char *end = strstr(function, variants[i]);
		if (end && (size_t)(end - function) < len)
			len = (size_t)(end - function);
	}
	AUTO(xfree) char *name = xstrndup(function, len);
	if (has_line(&stack->c, name))
		return;
	text_add(&stack->c, "%s\n", name);
	stack->c_lines++;
}

void stack_text_call(struct stack_text *stack, const struct stack_call *call)
{
	struct text name = { .words = NULL };

	if (!call->function || call->wrapper || is_full(stack))
		return;
	if (call->c) {
		add_c(stack, call->function);
		return;
	}
	enum function_kind kind = function_name_add(&name, call->function, call->file);
	if (kind == FUNCTION_RUNTIME)
		note_runtime(stack, text_words(&name));
	else if (kind == FUNCTION_LIBRARY)
		replace(&stack->library, text_words(&name));
	else if (kind == FUNCTION_OWN && !call->hidden)
		add_own(stack, text_words(&name));
	text_done(&name);
}

void stack_text_end(struct stack_text *stack)
{
	if (!is_full(stack) && stack->library.len)
		flush_library(stack);
	stack->of_runtime = !stack->text.len;
	if (!stack->text.len && stack->runtime.len)
		add_line(stack, stack->runtime.words);
	if (!stack->text.len)
		text_add(&stack->text, "%s", text_words(&stack->c));
}

void stack_text_done(struct stack_text *stack)
{
	text_done(&stack->text);
	text_done(&stack->place);
	text_done(&stack->operation);
	text_done(&stack->library);
	text_done(&stack->runtime);
	text_done(&stack->c);
}

void fingerprint_add_group(struct text *text, const struct stack_text *stack)
{
	text_add(text, "gosnap " FINGERPRINT_RULE " group\n%s", text_words(&stack->text));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In which of the functions that call each other a stack overflows is chance. */
static void add_sorted(struct text *text, const struct stack_text *stack)
{
	AUTO(xfree) char *lines = xstrdup(text_words(&stack->text));
	char *list[STACK_LINES], *rest = NULL;
	size_t n = 0;

	for (char *line = strtok_r(lines, "\n", &rest); line && n < STACK_LINES;
	     line = strtok_r(NULL, "\n", &rest))
		list[n++] = line;
	qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < n; i++)
		text_add(text, "%s\n", list[i]);
}

void fingerprint_add_fault(struct text *text, const char *kind, const char *cause,
			   const struct stack_text *stack)
{
	text_add(text, "gosnap " FINGERPRINT_RULE " fault %s%s%s\n", kind,
		 cause ? ": " : "", cause ? cause : "");
	if (cause && strcmp(cause, "stack overflow") == 0)
		add_sorted(text, stack);
	else
		text_add(text, "%s", text_words(&stack->text));
}

const char *stack_text_place(const struct stack_text *stack)
{
	return text_words(stack->place.len ? &stack->place : &stack->text);
}

void stack_text_say(struct text *text, const struct stack_text *stack)
{
	for (const char *c = stack_text_place(stack); *c; c++)
		if (*c != '\n')
			text_add(text, "%c", *c);
		else if (c[1])
			text_add(text, " in ");
}

char *stack_text_entry(const struct stack_text *stack)
{
	const char *words = text_words(&stack->text);
	const size_t len = stack->text.len;

	if (stack->of_runtime || !len || stack->lines == STACK_LINES)
		return NULL;
	const char *end = memrchr(words, '\n', len - 1);
	const char *last = end ? end + 1 : words;
	return xstrndup(last, (size_t)(words + len - 1 - last));
}

void places_add(struct places *places, const char *place)
{
	for (size_t i = 0; i < places->count; i++)
		if (strcmp(places->list[i], place) == 0)
			return;
	if (places->count < PLACES)
		places->list[places->count++] = xstrdup(place);
}

void places_done(struct places *places)
{
	for (size_t i = 0; i < places->count; i++)
		xfree(places->list[i]);
	places->count = 0;
}

void fingerprint_add_finding(struct text *text, const char *kind, struct places *places)
{
	text_add(text, "gosnap " FINGERPRINT_RULE " finding %s\n", kind);
	if (places->count)
		qsort(places->list, places->count, sizeof(*places->list), by_name);
	for (size_t i = 0; i < places->count; i++)
		text_add(text, "%s", places->list[i]);
}

char *fault_cause(const char *message)
{
	static const char *const heads[] = { "panic: ", "fatal error: ",
					     "runtime error: " };
	const char *fatal = strstr(message, "\nfatal error: ");
	size_t len;

	if (fatal) /* after what the runtime says besides */
		message = fatal + 1;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (strncmp(message, heads[i], strlen(heads[i])) == 0)
			message += strlen(heads[i]);
	len = strcspn(message, "[\n0123456789");
	/* What is converted to what is named by types, whose folders may change. */
	if (strncmp(message, "interface conversion:", 21) == 0)
		len = 20;
	while (len > 0 && message[len - 1] == ' ')
		len--;
	return xstrndup(message, len);
}
