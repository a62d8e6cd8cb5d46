/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/runtime/reasons.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"

enum { REASONS_MAX = 256, OTHER_REASON = REASONS_MAX - 1 };

struct reasons {
	char **list;
	size_t count, cap;
};

struct reasons *reasons_new(void)
{
	struct reasons *r = xcalloc(1, sizeof(*r));

	reasons_add(r, "%s", "");
	return r;
}

void reasons_free(struct reasons *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++)
		xfree(r->list[i]);
	xfree(r->list);
	xfree(r);
}

uint32_t reasons_add(struct reasons *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (uint32_t i = 0; i < r->count; i++)
		if (strcmp(r->list[i], text) == 0)
			return i;
	if (r->count == REASONS_MAX)
		return OTHER_REASON;
	if (r->count == OTHER_REASON)
		snprintf(text, sizeof(text), "not listed: too many different reasons");
	GROW(r->list, r->count, r->cap);
	r->list[r->count] = xstrdup(text);
	return (uint32_t)r->count++;
}

const char *reasons_get(const struct reasons *r, uint32_t reason)
{
	return reason < r->count ? r->list[reason] : "?";
}
