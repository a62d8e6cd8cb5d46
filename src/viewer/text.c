/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

void text_add(struct text *text, const char *format, ...)
{
	va_list ap, again;
	int len;
	va_start(ap, format);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (len > 0) {
		size_t need = text->len + (size_t)len + 1;
		if (need > text->cap) {
			text->cap = need * 2;
			text->words = xreallocarray(text->words, text->cap, 1);
		}
		vsnprintf(text->words + text->len, (size_t)len + 1, format, again);
		text->len += (size_t)len;
	}
	va_end(again);
}

void text_done(struct text *text)
{
	xfree(text->words);
	*text = (struct text){ .words = NULL };
}

void text_add_count(struct text *text, uint64_t n)
{
	char digits[21];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
	for (size_t i = 0; i < len; i++)
		text_add(text, "%s%c", i && (len - i) % 3 == 0 ? "," : "", digits[i]);
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
		/* Cut, not rounded: 999.96 ms are not 1000 ms. */
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

const char *text_of(const struct reader_node *node, const char *fallback)
{
	return node_string(node, node_string(node_get(node, "hex"), fallback));
}

/* Length of a sequence that a terminal might obey: control characters, and those that
 * turn the direction of writing. The reader lets only UTF-8 through. */
static size_t harmful(const unsigned char *c)
{
	if (c[0] < ' ' || c[0] == 0x7f)
		return 1;
	if (c[0] == 0xc2 && c[1] < 0xa0)
		return 2;
	if (c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae)
		return 3;
	if (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)
		return 3;
	return 0;
}

size_t text_width(const char *words)
{
	size_t width = 0;
	for (const char *c = words; *c; c++)
		width += ((unsigned char)*c & 0xc0) != 0x80;
	return width;
}

static void print_some(FILE *out, const char *words, size_t len)
{
	const unsigned char *c = (const unsigned char *)words, *end = c + len;
	while (c < end) {
		size_t bad = harmful(c);
		putc(bad ? '?' : *c, out);
		c += bad ? bad : 1;
	}
}

void text_print(FILE *out, const char *words)
{
	print_some(out, words, strlen(words));
}

void text_paragraph(FILE *out, int first, int rest, const char *words)
{
	size_t column = (size_t)first;
	bool fresh = true;
	fprintf(out, "%*s", first, "");
	while (*words) {
		size_t len = strcspn(words, " "), width = 0;
		for (size_t i = 0; i < len; i++)
			width += ((unsigned char)words[i] & 0xc0) != 0x80;
		if (!fresh && column + 1 + width > TEXT_COLUMNS) {
			fprintf(out, "\n%*s", rest, "");
			column = (size_t)rest;
			fresh = true;
		}
		if (!fresh)
			putc(' ', out);
		column += width + !fresh;
		fresh = false;
		print_some(out, words, len);
		words += len;
		words += strspn(words, " ");
	}
	putc('\n', out);
}
