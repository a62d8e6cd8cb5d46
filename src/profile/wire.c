/* SPDX-License-Identifier: Apache-2.0 */
#include "src/profile/wire.h"

#include <string.h>

enum { VARINT = 0, LENGTH = 2, VARINT_BYTES = 10 };

static size_t varint(uint8_t ret[VARINT_BYTES], uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		ret[n++] = (uint8_t)(value | 0x80);
	ret[n++] = (uint8_t)value;
	return n;
}

static void add(struct wire *w, const void *bytes, size_t len)
{
	while (w->len + len > w->cap)
		w->bytes = grow_(w->bytes, w->cap, &w->cap, 1);
	if (len)
		memcpy(w->bytes + w->len, bytes, len);
	w->len += len;
}

static void add_varint(struct wire *w, uint64_t value)
{
	uint8_t bytes[VARINT_BYTES];

	add(w, bytes, varint(bytes, value));
}

void wire_number(struct wire *w, unsigned field, uint64_t value)
{
	if (!value)
		return;
	add_varint(w, field << 3 | VARINT);
	add_varint(w, value);
}

void wire_bytes(struct wire *w, unsigned field, const void *bytes, size_t len)
{
	add_varint(w, field << 3 | LENGTH);
	add_varint(w, len);
	add(w, bytes, len);
}

void wire_message(struct wire *w, unsigned field, struct wire *message)
{
	wire_bytes(w, field, message->bytes, message->len);
	message->len = 0;
}

void wire_numbers(struct wire *w, unsigned field, const uint64_t *values, size_t n)
{
	uint8_t bytes[VARINT_BYTES];
	size_t len = 0;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		len += varint(bytes, values[i]);
	add_varint(w, field << 3 | LENGTH);
	add_varint(w, len);
	for (size_t i = 0; i < n; i++)
		add_varint(w, values[i]);
}

void wire_append(struct wire *w, const struct wire *fields)
{
	add(w, fields->bytes, fields->len);
}

void wire_done(struct wire *w)
{
	xfree(w->bytes);
	*w = (struct wire){ .bytes = NULL };
}
