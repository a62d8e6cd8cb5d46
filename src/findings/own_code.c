/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/own_code.h"

#include <stdio.h>
#include <string.h>

enum { STACKS_MAX = 16 /* searched for goroot */ };

void own_code_note(struct own_code *own, const struct code_frame *frame)
{
	const char *runtime = frame->file ? strstr(frame->file, "/runtime/asm_") : NULL;

	if (runtime)
		snprintf(own->goroot, sizeof(own->goroot), "%.*s",
			 (int)(runtime + 1 - frame->file), frame->file);
}

static void own_code_look_at(void *arg, const struct code_frame *frame)
{
	own_code_note(arg, frame);
}

void own_code_find(struct own_code *ret, const struct findings_about *about)
{
	const struct groups *groups = about->groups;

	for (size_t i = 0; i < groups->count && i < STACKS_MAX && !*ret->goroot; i++) {
		const uint32_t first = groups->members[groups->list[i].first];
		const struct goroutine *g =
			runtimes_goroutine(about->all, first).goroutine;
		runtimes_each_frame(about->all, g->stack, own_code_look_at, ret);
	}
}

bool own_code_is_of_go(const char *function)
{
	static const char *const packages[] = { "runtime.", "sync.",	"internal/",
						"runtime/", "syscall.", "time." };

	for (size_t i = 0; i < ARRAY_SIZE(packages); i++)
		if (strncmp(function, packages[i], strlen(packages[i])) == 0)
			return true;
	return strstr(function, "._Cfunc_") != NULL; /* written by cgo */
}

bool own_code_is_of_module(const char *name)
{
	const char *slash = strchr(name, '/');

	return strncmp(name, "main.", strlen("main.")) == 0 ||
	       (slash && memchr(name, '.', (size_t)(slash - name)));
}

bool own_code_has(const struct own_code *own, const struct code_frame *frame)
{
	const size_t len = strlen(own->goroot);

	if (!frame->function || frame->c || own_code_is_of_go(frame->function))
		return false;
	if (len && frame->file)
		return strncmp(frame->file, own->goroot, len) != 0;
	return own_code_is_of_module(frame->function);
}
