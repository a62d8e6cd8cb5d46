/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "printers/document/print_document.h"
#include "printers/known/known.h"
#include "printers/values/objects.h"

/* Without the package path, whose words do not name secrets. */
static const char *name_in_package(const char *name)
{
	const char *slash = strrchr(name, '/'), *dot = strchr(slash ? slash : name, '.');

	return dot ? dot + 1 : name;
}

static void print_once(void *arg)
{
	const struct one_value *one = arg;
	const struct value_path *path = one->path;
	AUTO(xfree)
	char *variable = xstrndup(one->name, path ? path->name_len : strlen(one->name));
	const char *name = name_in_package(variable);
	struct printing p;

	printing_begin(&p, one->out, one->bounds, one->moment, &known_texts,
		       one->redaction);
	p.rt = one->rt;
	p.objects = one->objects;
	sink_begin(p.out, SINK_OBJECT);
	sink_named_string(p.out, "name", one->name);
	redact_named(&p, name, strlen(name));
	if (path)
		redact_behind(&p, path);
	print_value_members(&p, &one->value);
	sink_end(p.out);
	*one->redacted = p.redacted_count;
	printing_end(&p);
}

uint64_t print_one_value(const struct one_value *value)
{
	struct one_value one = *value;
	uint64_t redacted;

	one.redacted = &redacted;
	runtime_budget_unit(one.rt);
	if (one.objects) {
		struct source source = { .objects = one.objects,
					 .redaction = one.redaction,
					 .memory = runtime_memory(one.rt),
					 .a = one.value.addr,
					 .b = (uintptr_t)one.value.type };
		source_begin(&source);
		print_once(&one);
		source_end(&source);
		return redacted;
	}
	print_to_fixpoint(&(struct print_again){
		one.out, one.redaction, runtime_memory(one.rt), print_once, &one });
	return redacted;
}
