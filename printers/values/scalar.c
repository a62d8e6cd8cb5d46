/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "printers/values/value_printers.h"

/* Above it a double cannot represent every integer. */
#define EXACT_MAX (UINT64_C(1) << 53)

static void print_signed(struct sink *out, int64_t value)
{
	char text[24];

	if (value <= (int64_t)EXACT_MAX && value >= -(int64_t)EXACT_MAX) {
		sink_int(out, value);
		return;
	}
	snprintf(text, sizeof(text), "%" PRId64, value);
	sink_string(out, text);
}

static void print_unsigned(struct sink *out, uint64_t value)
{
	char text[24];

	if (value <= EXACT_MAX) {
		sink_uint(out, value);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	sink_string(out, text);
}

static int64_t sign_extended(uint64_t bits, size_t size)
{
	unsigned unused = 8 * (unsigned)(WORD - size);

	return (int64_t)(bits << unused) >> unused;
}

static void print_float(struct sink *out, const uint8_t *bytes, size_t size)
{
	float single;
	double value;

	if (size == sizeof(single)) {
		memcpy(&single, bytes, sizeof(single));
		sink_float(out, single, SINK_SINGLE);
		return;
	}
	memcpy(&value, bytes, sizeof(value));
	sink_float(out, value, SINK_DOUBLE);
}

static bool is_signed(const struct type *type)
{
	enum type_kind kind = type_kind(type);

	return (kind >= KIND_INT && kind <= KIND_INT64) ||
	       (kind == KIND_ENUM && type_is_signed_enum(type));
}

void print_scalar(struct printing *p, const struct value *v)
{
	enum type_kind kind = type_kind(v->type);
	uint64_t size = type_size(v->type), bits = 0;

	if (size < 1 || size > WORD) {
		print_unreadable(p, "unsupported type");
		return;
	}
	if (p->has_number)
		bits = p->number;
	else if (!read_value(p, v, &bits, (size_t)size))
		return;
	sink_name(p->out, "value");
	if (kind == KIND_BOOL)
		sink_bool(p->out, bits != 0);
	else if (kind == KIND_FLOAT32 || kind == KIND_FLOAT64)
		print_float(p->out, (const uint8_t *)&bits, (size_t)size);
	else if (is_signed(v->type))
		print_signed(p->out, sign_extended(bits, (size_t)size));
	else
		print_unsigned(p->out, bits);
}

void print_complex(struct printing *p, const struct value *v)
{
	uint8_t bytes[2 * WORD];
	size_t half = type_kind(v->type) == KIND_COMPLEX64 ? WORD / 2 : WORD;

	if (!read_value(p, v, bytes, 2 * half))
		return;
	sink_name(p->out, "real");
	print_float(p->out, bytes, half);
	sink_name(p->out, "imag");
	print_float(p->out, bytes + half, half);
}
