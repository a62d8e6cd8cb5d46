/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the errors that cause most panics: errors that store their text, and the
 * runtime's own (runtime/error.go). */
#include <inttypes.h>
#include <string.h>

#include "goruntime/goroutines/panic_message.h"
#include "goruntime/runtime/runtime_priv.h"

/* Errors that are a string, or start with one. */
static const struct {
	const char *type, *prefix;
} texts[] = {
	{ "*errors.errorString", "" },
	{ "*fmt.wrapError", "" },
	{ "*fmt.wrapErrors", "" },
	{ "runtime.errorString", "runtime error: " },
	{ "runtime.errorAddressString", "runtime error: " },
	{ "runtime.plainError", "" },
};

/* runtime.boundsErrorFmts by code; the last one's text differs between releases. */
static const char *const bounds_formats[] = {
	"index out of range [%x] with length %y",
	"slice bounds out of range [:%x] with length %y",
	"slice bounds out of range [:%x] with capacity %y",
	"slice bounds out of range [%x:%y]",
	"slice bounds out of range [::%x] with length %y",
	"slice bounds out of range [::%x] with capacity %y",
	"slice bounds out of range [:%x:%y]",
	"slice bounds out of range [%x:%y:]",
};

/* If %x is negative. */
static const char *const bounds_negative_formats[] = {
	"index out of range [%x]",	    "slice bounds out of range [:%x]",
	"slice bounds out of range [:%x]",  "slice bounds out of range [%x:]",
	"slice bounds out of range [::%x]", "slice bounds out of range [::%x]",
	"slice bounds out of range [:%x:]", "slice bounds out of range [%x::]",
};

struct bounds_error { /* runtime.boundsError */
	int64_t x, y;
	uint8_t is_signed, code;
};

static bool bounds_words(struct runtime *rt, uint64_t data, struct panic_message *w,
			 bool *ret_known, struct err *err)
{
	struct bounds_error e;

	if (!target_read(rt->target, data, &e, sizeof(e), err))
		return false;
	if (e.code >= ARRAY_SIZE(bounds_formats))
		return true;
	*ret_known = true;
	panic_message_addf(w, "runtime error: ");
	const char *format = e.is_signed && e.x < 0 ? bounds_negative_formats[e.code]
						    : bounds_formats[e.code];
	for (; *format; format++) {
		if (*format != '%')
			panic_message_add(w, format, 1);
		else if (*++format == 'x' && !e.is_signed)
			panic_message_addf(w, "%" PRIu64, (uint64_t)e.x);
		else
			panic_message_addf(w, "%" PRId64, *format == 'x' ? e.x : e.y);
	}
	return true;
}

struct assertion_error { /* runtime.TypeAssertionError */
	uint64_t interface, concrete, asserted;
	uint64_t missing_method, missing_method_len;
};

static bool add_type(struct runtime *rt, uint64_t type, struct panic_message *w,
		     struct err *err)
{
	struct go_type t;

	if (!type_read(rt, type, &t, err))
		return false;
	panic_message_add(w, t.name, t.name_len);
	return true;
}

static bool assertion_words(struct runtime *rt, uint64_t data, struct panic_message *w,
			    bool *ret_known, struct err *err)
{
	struct assertion_error e;

	if (!target_read(rt->target, data, &e, sizeof(e), err))
		return false;
	*ret_known = true;
	panic_message_addf(w, "interface conversion: ");
	if (e.concrete && e.missing_method_len) {
		if (!add_type(rt, e.concrete, w, err))
			return false;
		panic_message_addf(w, " is not ");
		if (!add_type(rt, e.asserted, w, err))
			return false;
		panic_message_addf(w, ": missing method ");
		return panic_message_add_string(
			rt, w, data + offsetof(struct assertion_error, missing_method),
			err);
	}
	if (!e.interface)
		panic_message_addf(w, "interface");
	else if (!add_type(rt, e.interface, w, err))
		return false;
	panic_message_addf(w, " is ");
	if (!e.concrete)
		panic_message_addf(w, "nil");
	else if (!add_type(rt, e.concrete, w, err))
		return false;
	panic_message_addf(w, ", not ");
	return add_type(rt, e.asserted, w, err);
}

bool panic_message_of_error(struct runtime *rt, const struct go_type *type, uint64_t data,
			    struct panic_message *w, bool *ret_known, struct err *err)
{
	*ret_known = false;
	if (type_is_named(type, "runtime.boundsError"))
		return bounds_words(rt, data, w, ret_known, err);
	if (type_is_named(type, "*runtime.TypeAssertionError"))
		return assertion_words(rt, data, w, ret_known, err);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!type_is_named(type, texts[i].type))
			continue;
		*ret_known = true;
		panic_message_addf(w, "%s", texts[i].prefix);
		return panic_message_add_string(rt, w, data, err);
	}
	return true;
}
