/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { INSIDE_MAX = 16 };

/* Of which values a text is said: those of the type, pointers to it, interfaces with either. */
enum said_of { ITSELF = 1, POINTERS = 2, INTERFACES = 4, ALL = 7 };

/* Sorted by name, which is that of debugging information: with the path of the package. */
static const struct known {
	const char *name, *printer;
	known_text *text;
	enum said_of of;
} known[] = {
	{ "bytes.Buffer", "buffer", text_of_buffer, ITSELF },
	{ "context.afterFuncCtx", "context", text_of_context, INTERFACES },
	{ "context.backgroundCtx", "context", text_of_context, INTERFACES },
	{ "context.cancelCtx", "context", text_of_context, INTERFACES },
	{ "context.deadlineExceededError", "error", text_of_deadline_exceeded, ALL },
	{ "context.emptyCtx", "context", text_of_context, INTERFACES },
	{ "context.stopCtx", "context", text_of_context, INTERFACES },
	{ "context.timerCtx", "context", text_of_context, INTERFACES },
	{ "context.todoCtx", "context", text_of_context, INTERFACES },
	{ "context.valueCtx", "context", text_of_context, INTERFACES },
	{ "context.withoutCancelCtx", "context", text_of_context, INTERFACES },
	{ "errors.errorString", "error", text_of_error_string, ALL },
	{ "errors.joinError", "error", text_of_joined_errors, ALL },
	{ "fmt.wrapError", "error", text_of_error_string, ALL },
	{ "fmt.wrapErrors", "error", text_of_error_string, ALL },
	{ "io/fs.PathError", "error", text_of_path_error, ALL },
	{ "net.IP", "ip", text_of_ip, ITSELF },
	{ "net/netip.Addr", "ip", text_of_address, ITSELF },
	{ "net/url.Error", "error", text_of_url_error, ALL },
	{ "net/url.URL", "url", text_of_url, ITSELF },
	{ "os.LinkError", "error", text_of_link_error, ALL },
	{ "os.PathError", "error", text_of_path_error, ALL },
	{ "os.SyscallError", "error", text_of_syscall_error, ALL },
	{ "strconv.NumError", "error", text_of_num_error, ALL },
	{ "strings.Builder", "buffer", text_of_builder, ITSELF },
	{ "sync.Mutex", "lock", text_of_mutex, ITSELF },
	{ "sync.Once", "once", text_of_once, ITSELF },
	{ "sync.RWMutex", "lock", text_of_rwmutex, ITSELF },
	{ "sync.WaitGroup", "lock", text_of_waitgroup, ITSELF },
	{ "sync/atomic.Bool", "atomic", text_of_atomic, ITSELF },
	{ "sync/atomic.Int32", "atomic", text_of_atomic, ITSELF },
	{ "sync/atomic.Int64", "atomic", text_of_atomic, ITSELF },
	{ "sync/atomic.Uint32", "atomic", text_of_atomic, ITSELF },
	{ "sync/atomic.Uint64", "atomic", text_of_atomic, ITSELF },
	{ "syscall.Errno", "error", text_of_errno, ALL },
	{ "time.Duration", "time", text_of_duration, ITSELF },
	{ "time.Month", "time", text_of_month, ITSELF },
	{ "time.Time", "time", text_of_time, ITSELF },
	{ "time.Weekday", "time", text_of_weekday, ITSELF },
};

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct known *)row)->name);
}

static const struct known *find(const struct type *type)
{
	return bsearch(type_name(type), known, ARRAY_SIZE(known), sizeof(known[0]),
		       by_name);
}

void known_add_bytes(struct known_words *t, const char *bytes, size_t len)
{
	size_t room = sizeof(t->bytes) - t->len;

	if (len > room)
		len = utf8_cut(bytes, room);
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
}

void known_add(struct known_words *t, const char *format, ...)
{
	char words[256];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (n > 0)
		known_add_bytes(t, words,
				(size_t)n < sizeof(words) ? (size_t)n
							  : sizeof(words) - 1);
}

bool known_field(struct printing *p, const struct value *v, const char *paths,
		 struct value *ret)
{
	return runtime_field(p->rt, v, paths, ret);
}

bool known_number(struct printing *p, const struct value *v, const char *paths,
		  uint64_t *ret)
{
	return runtime_number(p->rt, v, paths, ret);
}

static bool add_string(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct text_value s;
	struct err ignored;
	char bytes[sizeof(ret->bytes)];

	if (type_kind(v->type) != KIND_STRING || !runtime_string(p->rt, v, &s, &ignored))
		return false;
	size_t len = s.len < sizeof(bytes) ? (size_t)s.len : sizeof(bytes);
	if (!runtime_bytes(p->rt, s.addr, bytes, len, &ignored))
		return false;
	known_add_bytes(ret, bytes, len);
	return true;
}

bool known_string(struct printing *p, const struct value *v, const char *paths,
		  struct known_words *ret)
{
	struct value field;

	return known_field(p, v, paths, &field) && add_string(p, &field, ret);
}

void known_quoted(struct printing *p, const struct value *v, struct known_words *ret)
{
	known_add(ret, "\"");
	if (!add_string(p, v, ret))
		known_add(ret, "?");
	known_add(ret, "\"");
}

bool known_same(const struct known_words *a, const struct known_words *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

bool known_text_of(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct value at;
	const struct known *row;

	return ret->depth++ < INSIDE_MAX && runtime_behind(p->rt, v, &at) &&
	       (row = find(at.type)) && row->text(p, &at, ret);
}

static const struct known *row_of(struct printing *p, const struct value *v)
{
	const struct known *row = find(v->type);
	struct interface_value in;
	const struct type *to = NULL;
	struct err ignored;
	unsigned of = ITSELF;

	if (type_kind(v->type) == KIND_POINTER) {
		of = POINTERS;
		to = type_elem(v->type);
	} else if (type_kind(v->type) == KIND_INTERFACE && type_has_methods(v->type)) {
		of = INTERFACES;
		to = runtime_interface(p->rt, v, &in, &ignored) ? in.inside.type : NULL;
		if (to && type_kind(to) == KIND_POINTER)
			to = type_elem(to);
	}
	if (of != ITSELF)
		row = to ? find(to) : NULL;
	return row && (row->of & of) ? row : NULL;
}

/* What they say is of the program, not of its users, whatever it is called. */
static bool is_harmless(const struct known *row)
{
	static const char *const printers[] = { "lock", "once", "time" };

	for (size_t i = 0; i < ARRAY_SIZE(printers); i++)
		if (strcmp(row->printer, printers[i]) == 0)
			return true;
	return false;
}

/* False: it has no text, or none that may be seen. */
static bool make_text(struct printing *p, const struct value *v, const struct known *row,
		      struct known_words *ret)
{
	if (p->withheld && !is_harmless(row))
		return false;
	if (!known_text_of(p, v, ret))
		return false;
	p->withheld = NULL; /* until the value is printed */
	struct redacted left = redaction_of_text(p->redaction, 0, ret->bytes, ret->len);
	if (left.rule) {
		ret->len = 0;
		known_add_bytes(ret, left.text ? left.text : "", left.len);
	}
	redacted_done(&left);
	return ret->len > 0;
}

static void print_text(struct printing *p, const struct value *v)
{
	const struct known *row = row_of(p, v);
	struct known_words text = { .len = 0 };

	p->has_text = row && make_text(p, v, row, &text);
	if (!p->has_text)
		return;
	sink_name(p->out, "text");
	sink_text(p->out, text.bytes, text.len);
	sink_named_string(p->out, "printer", row->printer);
}

void print_known(struct printing *p, const struct value *v)
{
	print_text(p, v);
	print_contexts(p, v);
}
