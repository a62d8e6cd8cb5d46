/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

enum { INSIDE_MAX = 16 };

/* Sorted by name, which is that of debugging information: with the path of the package. What an
 * error says is said of pointers to it and interfaces with it, too. */
static const struct known {
	const char *name, *printer;
	known_text *text;
	bool is_error;
} known[] = {
	{ "bytes.Buffer", "buffer", text_of_buffer, false },
	{ "context.deadlineExceededError", "error", text_of_deadline_exceeded, true },
	{ "errors.errorString", "error", text_of_error_string, true },
	{ "errors.joinError", "error", text_of_joined_errors, true },
	{ "fmt.wrapError", "error", text_of_error_string, true },
	{ "fmt.wrapErrors", "error", text_of_error_string, true },
	{ "io/fs.PathError", "error", text_of_path_error, true },
	{ "net.IP", "ip", text_of_ip, false },
	{ "net/netip.Addr", "ip", text_of_address, false },
	{ "net/url.Error", "error", text_of_url_error, true },
	{ "net/url.URL", "url", text_of_url, false },
	{ "os.LinkError", "error", text_of_link_error, true },
	{ "os.PathError", "error", text_of_path_error, true },
	{ "os.SyscallError", "error", text_of_syscall_error, true },
	{ "strconv.NumError", "error", text_of_num_error, true },
	{ "strings.Builder", "buffer", text_of_builder, false },
	{ "sync.Mutex", "lock", text_of_mutex, false },
	{ "sync.Once", "once", text_of_once, false },
	{ "sync.RWMutex", "lock", text_of_rwmutex, false },
	{ "sync.WaitGroup", "lock", text_of_waitgroup, false },
	{ "sync/atomic.Bool", "atomic", text_of_atomic, false },
	{ "sync/atomic.Int32", "atomic", text_of_atomic, false },
	{ "sync/atomic.Int64", "atomic", text_of_atomic, false },
	{ "sync/atomic.Uint32", "atomic", text_of_atomic, false },
	{ "sync/atomic.Uint64", "atomic", text_of_atomic, false },
	{ "syscall.Errno", "error", text_of_errno, true },
	{ "time.Duration", "time", text_of_duration, false },
	{ "time.Month", "time", text_of_month, false },
	{ "time.Time", "time", text_of_time, false },
	{ "time.Weekday", "time", text_of_weekday, false },
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

static bool field_by_path(const struct value *v, const char *path, size_t len,
			  struct value *ret)
{
	struct value at = *v;

	for (const char *end = path + len; path < end;) {
		size_t n = strcspn(path, ".|");
		AUTO(xfree) char *name = xstrndup(path, n);
		const struct type_field *f = type_field_named(at.type, name);
		if (!f || !f->type)
			return false;
		at = (struct value){ f->type, at.addr + f->off };
		path += n + 1;
	}
	*ret = at;
	return true;
}

bool known_field(const struct value *v, const char *paths, struct value *ret)
{
	while (*paths) {
		size_t len = strcspn(paths, "|");
		if (field_by_path(v, paths, len, ret))
			return true;
		paths += len + (paths[len] == '|');
	}
	return false;
}

bool known_number(struct printing *p, const struct value *v, const char *paths,
		  uint64_t *ret)
{
	struct value field;
	struct err ignored;

	*ret = 0;
	return known_field(v, paths, &field) && type_size(field.type) >= 1 &&
	       type_size(field.type) <= sizeof(*ret) &&
	       runtime_bytes(p->rt, field.addr, ret, (size_t)type_size(field.type),
			     &ignored);
}

bool known_string(struct printing *p, const struct value *v, const char *paths,
		  struct known_words *ret)
{
	struct value field;
	struct text_value s;
	struct err ignored;
	char bytes[sizeof(ret->bytes)];

	if (!known_field(v, paths, &field) || type_kind(field.type) != KIND_STRING ||
	    !runtime_string(p->rt, &field, &s, &ignored))
		return false;
	size_t len = s.len < sizeof(bytes) ? (size_t)s.len : sizeof(bytes);
	if (!runtime_bytes(p->rt, s.addr, bytes, len, &ignored))
		return false;
	known_add_bytes(ret, bytes, len);
	return true;
}

/* What a pointer or interface leads to; itself where it is neither. */
static bool inside(struct printing *p, const struct value *v, struct value *ret)
{
	struct interface_value in;
	struct err ignored;
	uint64_t to;

	*ret = *v;
	if (type_kind(ret->type) == KIND_INTERFACE) {
		if (!runtime_interface(p->rt, v, &in, &ignored) || !in.inside.type)
			return false;
		*ret = in.inside;
	}
	if (type_kind(ret->type) != KIND_POINTER)
		return true;
	const struct type *elem = type_elem(ret->type);
	if (!elem || !runtime_bytes(p->rt, ret->addr, &to, sizeof(to), &ignored) || !to)
		return false;
	*ret = (struct value){ elem, to };
	return true;
}

bool known_text_of(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct value at;
	const struct known *row;

	return ret->depth++ < INSIDE_MAX && inside(p, v, &at) && (row = find(at.type)) &&
	       row->text(p, &at, ret);
}

/* Of pointers and interfaces only what leads to an error has a text of its own. */
static const struct known *row_of(struct printing *p, const struct value *v)
{
	const struct known *row = find(v->type);
	struct interface_value in;
	const struct type *to = NULL;
	struct err ignored;

	if (row)
		return row;
	if (type_kind(v->type) == KIND_POINTER)
		to = type_elem(v->type);
	else if (type_kind(v->type) == KIND_INTERFACE && type_has_methods(v->type) &&
		 runtime_interface(p->rt, v, &in, &ignored))
		to = in.inside.type;
	if (to && type_kind(to) == KIND_POINTER)
		to = type_elem(to);
	row = to ? find(to) : NULL;
	return row && row->is_error ? row : NULL;
}

void print_known(struct printing *p, const struct value *v)
{
	const struct known *row = row_of(p, v);
	struct known_words text = { .len = 0 };

	p->has_text = row && known_text_of(p, v, &text);
	if (!p->has_text)
		return;
	sink_name(p->out, "text");
	sink_text(p->out, text.bytes, text.len);
	sink_named_string(p->out, "printer", row->printer);
}
