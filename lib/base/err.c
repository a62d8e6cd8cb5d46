/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Uses a second buffer: err->text may be among the arguments. */
__attribute__((format(printf, 3, 0))) static void
format_into(struct err *err, const char *suffix, const char *format, va_list ap)
{
	char text[sizeof(err->text)];
	int n = vsnprintf(text, sizeof(text), format, ap);

	if (n < 0)
		n = 0;
	if ((size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - (size_t)n, "%s", suffix);
	memcpy(err->text, text, sizeof(text));
}

bool err_set(struct err *err, enum err_code code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	format_into(err, "", format, ap);
	va_end(ap);
	err->code = code;
	return false;
}

bool err_sys(struct err *err, const char *format, ...)
{
	char suffix[128];
	va_list ap;

	snprintf(suffix, sizeof(suffix), ": %s", strerror(errno));
	va_start(ap, format);
	format_into(err, suffix, format, ap);
	va_end(ap);
	err->code = ERR_SYS;
	return false;
}

bool err_prefix(struct err *err, const char *format, ...)
{
	char suffix[sizeof(err->text) + 2];
	va_list ap;

	snprintf(suffix, sizeof(suffix), ": %s", err->text);
	va_start(ap, format);
	format_into(err, suffix, format, ap);
	va_end(ap);
	return false;
}
