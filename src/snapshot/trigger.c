/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/trigger.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/sink.h"
#include "printers/printers.h"

enum { ATTRIBUTES_MAX = 256 };

static const char *const kinds[TRIGGER_KINDS] = {
	[TRIGGER_API] = "api",		 [TRIGGER_PANIC] = "panic",
	[TRIGGER_SIGNAL] = "signal",	 [TRIGGER_EXIT] = "exit",
	[TRIGGER_TIMEOUT] = "timeout",	 [TRIGGER_THRESHOLD] = "threshold",
	[TRIGGER_FUNCTION] = "function", [TRIGGER_OOM] = "oom",
};

static const struct {
	const char *name;
	size_t off; /* in struct trigger */
	uint64_t most;
} numbers[] = {
	{ "goroutine", offsetof(struct trigger, goroutine), INT64_MAX },
	{ "thread", offsetof(struct trigger, thread), INT32_MAX },
	{ "signal", offsetof(struct trigger, signal), 64 },
};

static bool is_called(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && memcmp(name, text, len) == 0;
}

static enum trigger_kind kind_of(const char *text, size_t len)
{
	for (int kind = TRIGGER_NONE + 1; kind <= TRIGGER_TIMEOUT; kind++)
		if (is_called(kinds[kind], text, len))
			return (enum trigger_kind)kind;
	return TRIGGER_NONE;
}

static bool read_number(const char *text, size_t len, struct trigger *ret)
{
	const char *value = memchr(text, '=', len);
	char *end;

	for (size_t i = 0; value && i < ARRAY_SIZE(numbers); i++) {
		if (!is_called(numbers[i].name, text, (size_t)(value - text)))
			continue;
		errno = 0;
		unsigned long long n = strtoull(value + 1, &end, 10);
		memcpy((char *)ret + numbers[i].off, &(uint64_t){ n }, sizeof(uint64_t));
		return isdigit((unsigned char)value[1]) && !errno && end == text + len &&
		       n > 0 && n <= numbers[i].most;
	}
	return false;
}

bool trigger_read(const char *text, struct trigger *ret, struct err *err)
{
	const char *at = text;
	size_t len = strcspn(at, ",");
	struct trigger trigger = { .kind = kind_of(at, len) };

	if (trigger.kind == TRIGGER_NONE)
		return err_set(err, ERR_USAGE,
			       "--trigger requires api, panic, signal, exit or timeout, "
			       "not %.40s",
			       text);
	for (at += len; *at; at += len) {
		at++;
		len = strcspn(at, ",");
		if (!read_number(at, len, &trigger))
			return err_set(err, ERR_USAGE,
				       "--trigger knows goroutine=, thread= and signal= "
				       "with a number, not %.40s",
				       at);
	}
	trigger.attributes = ret->attributes;
	trigger.attribute_count = ret->attribute_count;
	*ret = trigger;
	return true;
}

bool trigger_add_attribute(const char *text, struct trigger *ret, struct err *err)
{
	const char *value = strchr(text, '=');

	if (!value || value == text)
		return err_set(err, ERR_USAGE,
			       "--attribute requires KEY=VALUE, not %.40s", text);
	if (ret->attribute_count == ATTRIBUTES_MAX)
		return err_set(err, ERR_USAGE, "more than %d attributes", ATTRIBUTES_MAX);
	ret->attributes = xreallocarray(ret->attributes, ret->attribute_count + 1,
					sizeof(*ret->attributes));
	ret->attributes[ret->attribute_count++] = (struct attribute){
		.key = xstrndup(text, (size_t)(value - text)),
		.value = value + 1,
	};
	return true;
}

uint64_t trigger_panicking(const struct trigger *trigger)
{
	return trigger->kind == TRIGGER_PANIC ? trigger->goroutine : 0;
}

bool trigger_lacks_goroutine(const struct trigger *trigger)
{
	return !trigger->goroutine &&
	       (trigger->kind == TRIGGER_FUNCTION || trigger->recovered);
}

static void print_measured(struct sink *out, const struct trigger *trigger)
{
	if (!trigger->condition)
		return;
	sink_named_string(out, "condition", trigger->condition);
	if (!trigger->measure_count)
		return;
	sink_named_begin(out, "measured", SINK_ARRAY);
	for (size_t i = 0; i < trigger->measure_count; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "quantity", trigger->measures[i].quantity);
		sink_named_uint(out, "value", trigger->measures[i].value);
		sink_end(out);
	}
	sink_end(out);
}

static void print_sender(struct sink *out, const struct trigger_sender *sender)
{
	if (!*sender->name)
		return;
	sink_named_begin(out, "sender", SINK_OBJECT);
	sink_named_uint(out, "pid", sender->pid);
	sink_named_uint(out, "uid", sender->uid);
	sink_named_string(out, "name", sender->name);
	sink_end(out);
}

void trigger_print(struct sink *out, const struct trigger *trigger,
		   struct redaction *redaction, bool is_core)
{
	const char *signal = trigger->signal ? sigabbrev_np((int)trigger->signal) : NULL;
	char name[16];

	sink_named_begin(out, "trigger", SINK_OBJECT);
	sink_named_string(out, "kind",
			  trigger->kind ? kinds[trigger->kind]
			  : is_core	? "core"
					: "manual");
	if (trigger->goroutine)
		sink_named_uint(out, "goroutine", trigger->goroutine);
	if (trigger->thread)
		sink_named_uint(out, "thread", trigger->thread);
	if (signal && snprintf(name, sizeof(name), "SIG%s", signal) > 0)
		sink_named_string(out, "signal", name);
	sink_named_string(out, "function", trigger->function);
	print_sender(out, &trigger->sender);
	if (trigger->attribute_count) {
		sink_name(out, "attributes");
		print_attributes(out, redaction, trigger->attributes,
				 trigger->attribute_count);
	}
	print_measured(out, trigger);
	sink_end(out);
}
