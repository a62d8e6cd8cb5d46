/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/terminal/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/reader.h"

/* For so many more bytes, and NUL. */
static void make_room(struct text *text, size_t len)
{
	const size_t need = text->len + len + 1;

	if (need <= text->cap)
		return;
	text->cap = need * 2;
	text->words = xreallocarray(text->words, text->cap, 1);
}

void text_add(struct text *text, const char *format, ...)
{
	va_list ap, again;
	int len;
	va_start(ap, format);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (len > 0) {
		make_room(text, (size_t)len);
		vsnprintf(text->words + text->len, (size_t)len + 1, format, again);
		text->len += (size_t)len;
	}
	va_end(again);
}

void text_append(struct text *text, const char *words, size_t len)
{
	if (!len)
		return;
	make_room(text, len);
	memcpy(text->words + text->len, words, len);
	text->len += len;
	text->words[text->len] = '\0';
}

void text_shorten(struct text *text, size_t columns)
{
	size_t width = 0;
	for (size_t i = 0; i < text->len; i++) {
		width += text_starts_character(text->words[i]);
		if (width <= columns)
			continue;
		text->words[i] = '\0';
		text->len = i;
		text_add(text, "...");
		return;
	}
}

char *text_shortened(const char *words, size_t columns)
{
	struct text text = { .words = NULL };

	text_add(&text, "%s", words);
	text_shorten(&text, columns);
	char *ret = xstrdup(text_words(&text));
	text_done(&text);
	return ret;
}

void text_done(struct text *text)
{
	xfree(text->words);
	*text = (struct text){ .words = NULL };
}

const char *text_words(const struct text *text)
{
	return text->words ? text->words : "";
}

void text_add_count(struct text *text, uint64_t n)
{
	char digits[21];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
	for (size_t i = 0; i < len; i++)
		text_add(text, "%s%c", i && (len - i) % 3 == 0 ? "," : "", digits[i]);
}

void text_add_time(struct text *text, const char *time)
{
	if (strlen(time) < 19 || time[10] != 'T')
		text_add(text, "%s", time);
	else
		text_add(text, "%.10s %.8s UTC", time, time + 11);
}

void text_add_counted(struct text *text, uint64_t n, const char *noun)
{
	text_add_count(text, n);
	text_add(text, " %s%s", noun, n == 1 ? "" : "s");
}

static void add_pair(struct text *text, int64_t n, const char *unit, int64_t rest,
		     const char *rest_unit)
{
	text_add(text, "%" PRId64 " %s", n, unit);
	if (rest > 0)
		text_add(text, " %" PRId64 " %s", rest, rest_unit);
}

void text_add_duration(struct text *text, int64_t ns)
{
	static const struct {
		int64_t below, unit;
		const char *name;
		int decimals;
	} small[] = {
		{ 1000, 1, "ns", 0 },
		{ 1000000, 1000, "us", 0 },
		{ 10000000, 1000000, "ms", 1 },
		{ 1000000000, 1000000, "ms", 0 },
		{ 10000000000, 1000000000, "s", 1 },
		{ 60000000000, 1000000000, "s", 0 },
	};
	int64_t minutes = ns / 60000000000, hours = minutes / 60;
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		if (ns >= small[i].below)
			continue;
		/* Truncated: 999.96 ms are not 1000 ms. */
		text_add(text, "%" PRId64, ns / small[i].unit);
		if (small[i].decimals)
			text_add(text, ".%" PRId64,
				 ns % small[i].unit / (small[i].unit / 10));
		text_add(text, " %s", small[i].name);
		return;
	}
	if (minutes < 60)
		text_add(text, "%" PRId64 " min", minutes);
	else if (hours < 48)
		add_pair(text, hours, "h", minutes % 60, "min");
	else
		add_pair(text, hours / 24, "days", hours % 24, "h");
}

bool text_parse_duration(const char *words, int64_t *ret_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1e3 },
		{ "ms", 1e6 },
		{ "s", 1e9 },
		{ "sec", 1e9 },
		{ "second", 1e9 },
		{ "seconds", 1e9 },
		{ "m", 60e9 },
		{ "min", 60e9 },
		{ "minute", 60e9 },
		{ "minutes", 60e9 },
		{ "h", 3600e9 },
		{ "hour", 3600e9 },
		{ "hours", 3600e9 },
		{ "d", 24 * 3600e9 },
		{ "day", 24 * 3600e9 },
		{ "days", 24 * 3600e9 },
	};
	double sum = 0;
	do {
		char *end;
		size_t len, i;
		double n;
		if (!isdigit((unsigned char)*words))
			return false;
		n = strtod(words, &end);
		words = end + strspn(end, " ");
		len = strspn(words, "abcdefghijklmnopqrstuvwxyz");
		for (i = 0; i < ARRAY_SIZE(units); i++)
			if (len == strlen(units[i].name) &&
			    strncmp(words, units[i].name, len) == 0)
				break;
		if (i == ARRAY_SIZE(units))
			return false;
		sum += n * units[i].ns;
		words += len;
		words += strspn(words, " ");
	} while (*words);
	if (sum >= 0x1p63)
		return false;
	*ret_ns = (int64_t)sum;
	return true;
}

void text_add_size(struct text *text, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	uint64_t unit = 1024;
	size_t i = 0;
	if (bytes < 1024) {
		text_add_counted(text, bytes, "byte");
		return;
	}
	while (i + 1 < ARRAY_SIZE(units) && bytes / unit >= 1024) {
		unit *= 1024;
		i++;
	}
	text_add(text, "%" PRIu64, bytes / unit);
	/* Truncated, as for durations. */
	if (bytes / unit < 10 && bytes % unit / (unit / 1024) * 10 / 1024 > 0)
		text_add(text, ".%" PRIu64, bytes % unit / (unit / 1024) * 10 / 1024);
	text_add(text, " %s", units[i]);
}

const char *text_of(const struct reader_node *node, const char *fallback)
{
	return node_string(node, node_string(node_get(node, "hex"), fallback));
}

size_t text_width(const char *words)
{
	size_t width = 0;
	for (const char *c = words; *c; c++)
		width += text_starts_character(*c);
	return width;
}
