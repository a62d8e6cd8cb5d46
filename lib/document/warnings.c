/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/document/warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/limit.h"

struct warning {
	char *where, *what;
};

struct warnings {
	struct warning *list;
	size_t count, cap, left_out;
};

struct warnings *warnings_new(void)
{
	return xcalloc(1, sizeof(struct warnings));
}

void warnings_free(struct warnings *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->count; i++) {
		xfree(w->list[i].where);
		xfree(w->list[i].what);
	}
	xfree(w->list);
	xfree(w);
}

static bool said(const struct warnings *w, const char *where, const char *what)
{
	for (size_t i = 0; i < w->count; i++)
		if (strcmp(w->list[i].what, what) == 0 &&
		    strcmp(w->list[i].where, where) == 0)
			return true;
	return false;
}

void warnings_add(struct warnings *w, const char *where, const char *format, ...)
{
	char what[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (w->count == LIMIT_WARNINGS) {
		w->left_out++;
		return;
	}
	if (said(w, where, what))
		return;
	GROW(w->list, w->count, w->cap);
	w->list[w->count++] = (struct warning){ xstrdup(where), xstrdup(what) };
}

size_t warnings_count(const struct warnings *w)
{
	return w->count;
}

void warnings_cut(struct warnings *w, size_t n)
{
	while (w->count > n) {
		w->count--;
		xfree(w->list[w->count].where);
		xfree(w->list[w->count].what);
	}
}

size_t warnings_left_out(const struct warnings *w)
{
	return w->left_out;
}

const char *warnings_where(const struct warnings *w, size_t i)
{
	return w->list[i].where;
}

const char *warnings_what(const struct warnings *w, size_t i)
{
	return w->list[i].what;
}
