/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/goroutines/panic_message.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/runtime/go_text_priv.h"
#include "goruntime/runtime/runtime_priv.h"
#include "lib/base/limit.h"
#include "lib/base/utf8.h"

void panic_message_add(struct panic_message *w, const char *bytes, size_t len)
{
	size_t room = sizeof(w->bytes) - w->len, n = len < room ? len : room;

	memcpy(w->bytes + w->len, bytes, n);
	w->len += n;
	w->omitted += len - n;
}

void panic_message_addf(struct panic_message *w, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	panic_message_add(w, text, strlen(text));
}

bool panic_message_add_string(struct runtime *rt, struct panic_message *w,
			      uint64_t header, struct err *err)
{
	char text[LIMIT_TEXT_BYTES];
	struct go_string s;

	if (!target_read(rt->target, header, &s, sizeof(s), err) ||
	    !target_read(rt->target, s.addr, text, text_room(s), err))
		return false;
	size_t len = text_room(s);
	if (s.len > len)
		len = utf8_cut(text, len);
	panic_message_add(w, text, len);
	w->omitted += s.len - len;
	return true;
}

/* runtime/print.go printfloat, up to 1.25: seven digits, always a sign and an
 * exponent. */
static void add_fixed(struct panic_message *w, double v)
{
	enum { DIGITS = 7 };
	char digits[DIGITS + 1] = "";
	bool minus = signbit(v);
	int e = 0;
	double half = 5;

	v = fabs(v);
	for (; v >= 10; v /= 10)
		e++;
	for (; v != 0 && v < 1; v *= 10)
		e--;
	for (int i = 0; i < DIGITS; i++)
		half /= 10;
	v += v != 0 ? half : 0;
	if (v >= 10) {
		e++;
		v /= 10;
	}
	for (int i = 0; i < DIGITS; i++) {
		digits[i] = (char)('0' + (int)v);
		v = (v - (int)v) * 10;
	}
	panic_message_addf(w, "%c%c.%se%c%03d", minus ? '-' : '+', digits[0], digits + 1,
			   e < 0 ? '-' : '+', abs(e));
}

static bool reads_back(const char *text, double v, bool narrow)
{
	return narrow ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v;
}

/* strconv.AppendFloat(v, 'g', -1), from 1.26: the shortest that reads back as v. */
static void add_shortest(struct panic_message *w, double v, bool narrow)
{
	char text[64];
	int digits = 0;

	do
		snprintf(text, sizeof(text), "%.*e", digits, v);
	while (!reads_back(text, v, narrow) && ++digits < 17);
	int exponent = atoi(strchr(text, 'e') + 1);
	if (exponent >= -4 && exponent < 6)
		snprintf(text, sizeof(text), "%.*f",
			 digits > exponent ? digits - exponent : 0, v);
	panic_message_addf(w, "%s", text);
}

struct float_form {
	bool shortest, narrow;
};

static void add_float(struct panic_message *w, double v, struct float_form form)
{
	if (isnan(v))
		panic_message_addf(w, "NaN");
	else if (isinf(v))
		panic_message_addf(w, v > 0 ? "+Inf" : "-Inf");
	else if (form.shortest)
		add_shortest(w, v, form.narrow);
	else
		add_fixed(w, v);
}

static void add_complex(struct panic_message *w, double real, double imaginary,
			struct float_form form)
{
	panic_message_addf(w, "(");
	add_float(w, real, form);
	if (form.shortest && !signbit(imaginary) && !isinf(imaginary))
		panic_message_addf(w, "+");
	add_float(w, imaginary, form);
	panic_message_addf(w, "i)");
}

static double narrow_float(const uint8_t *bytes)
{
	float v;

	memcpy(&v, bytes, sizeof(v));
	return (double)v;
}

static double wide_float(const uint8_t *bytes)
{
	double v;

	memcpy(&v, bytes, sizeof(v));
	return v;
}

/* The kinds that are printed by value. */
static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} kinds[] = {
	[KIND_BOOL] = { "bool", 1, false },
	[KIND_INT] = { "int", 8, true },
	[KIND_INT8] = { "int8", 1, true },
	[KIND_INT16] = { "int16", 2, true },
	[KIND_INT32] = { "int32", 4, true },
	[KIND_INT64] = { "int64", 8, true },
	[KIND_UINT] = { "uint", 8, false },
	[KIND_UINT8] = { "uint8", 1, false },
	[KIND_UINT16] = { "uint16", 2, false },
	[KIND_UINT32] = { "uint32", 4, false },
	[KIND_UINT64] = { "uint64", 8, false },
	[KIND_UINTPTR] = { "uintptr", 8, false },
	[KIND_FLOAT32] = { "float32", 4, true },
	[KIND_FLOAT64] = { "float64", 8, true },
	[KIND_COMPLEX64] = { "complex64", 8, true },
	[KIND_COMPLEX128] = { "complex128", 16, true },
	[KIND_STRING] = { "string", 16, false },
};

static bool is_simple(enum type_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(kinds) && kinds[kind].size;
}

static void add_integer(struct panic_message *w, enum type_kind kind,
			const uint8_t *bytes)
{
	unsigned unused = 64 - 8u * kinds[kind].size;
	uint64_t v = 0;

	memcpy(&v, bytes, kinds[kind].size);
	if (kinds[kind].is_signed)
		panic_message_addf(w, "%" PRId64, (int64_t)(v << unused) >> unused);
	else
		panic_message_addf(w, "%" PRIu64, v);
}

static bool add_simple(struct runtime *rt, enum type_kind kind, uint64_t data,
		       struct panic_message *w, struct err *err)
{
	uint8_t b[16];
	uint64_t end;
	struct float_form wide = {
		.shortest =
			modules_function(rt->modules, "runtime.printfloat64", &end) != 0,
	};
	struct float_form narrow = { wide.shortest, true };

	if (kind == KIND_STRING)
		return panic_message_add_string(rt, w, data, err);
	if (!target_read(rt->target, data, b, kinds[kind].size, err))
		return false;
	switch ((int)kind) {
	case KIND_BOOL:
		panic_message_addf(w, b[0] ? "true" : "false");
		break;
	case KIND_FLOAT32:
		add_float(w, narrow_float(b), narrow);
		break;
	case KIND_FLOAT64:
		add_float(w, wide_float(b), wide);
		break;
	case KIND_COMPLEX64:
		add_complex(w, narrow_float(b), narrow_float(b + 4), narrow);
		break;
	case KIND_COMPLEX128:
		add_complex(w, wide_float(b), wide_float(b + 8), wide);
		break;
	default:
		add_integer(w, kind, b);
	}
	return true;
}

/* Printed around a value of a named type: printanycustomtype. */
static const char *around(enum type_kind kind, bool before)
{
	if (kind == KIND_STRING)
		return before ? "(\"" : "\")";
	if (kind == KIND_COMPLEX64 || kind == KIND_COMPLEX128)
		return ""; /* they have their own parentheses */
	return before ? "(" : ")";
}

bool panic_message_of_value(struct runtime *rt, const struct go_type *type, uint64_t data,
			    struct panic_message *w, struct err *err)
{
	bool known, named;

	if (!panic_message_of_error(rt, type, data, w, &known, err))
		return false;
	if (known)
		return true;
	if (!is_simple(type->kind)) {
		panic_message_addf(w, "(");
		panic_message_add(w, type->name, type->name_len);
		panic_message_addf(w, ") 0x%" PRIx64, data);
		return true;
	}
	named = !type_is_named(type, kinds[type->kind].name);
	if (named) {
		panic_message_add(w, type->name, type->name_len);
		panic_message_addf(w, "%s", around(type->kind, true));
	}
	if (!add_simple(rt, type->kind, data, w, err))
		return false;
	if (named)
		panic_message_addf(w, "%s", around(type->kind, false));
	return true;
}
