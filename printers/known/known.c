/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/known/known.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/utf8.h"
#include "printers/values/notes.h"

enum { INSIDE_MAX = 16, TEXTS_MAX = 256 };

/* Which values get the text: those of the type, pointers to it, interfaces holding
 * either. */
enum said_of { ITSELF = 1, POINTERS = 2, INTERFACES = 4, ALL = 7 };

/* Sorted by name as in debugging information, with the package path. */
static const struct known {
	const char *name, *printer;
	known_text *text; /* NULL: it only has members */
	enum said_of of;
	known_members *members; /* NULL: none */
} known[] = {
	{ "bytes.Buffer", "buffer", text_of_buffer, ITSELF, NULL },
	{ "container/list.List", "list", text_of_list, ALL, members_of_list },
	{ "context.afterFuncCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.backgroundCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.cancelCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.deadlineExceededError", "error", text_of_deadline_exceeded, ALL,
	  NULL },
	{ "context.emptyCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.stopCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.timerCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.todoCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.valueCtx", "context", text_of_context, INTERFACES, NULL },
	{ "context.withoutCancelCtx", "context", text_of_context, INTERFACES, NULL },
	{ "crypto/tls.Conn", "file", text_of_tls, ALL, NULL },
	{ "database/sql.DB", "pool", text_of_database, ALL, NULL },
	{ "errors.errorString", "error", text_of_error_string, ALL, NULL },
	{ "errors.joinError", "error", text_of_joined_errors, ALL, NULL },
	{ "fmt.wrapError", "error", text_of_error_string, ALL, NULL },
	{ "fmt.wrapErrors", "error", text_of_error_string, ALL, NULL },
	{ "github.com/pkg/errors.fundamental", "error", text_of_error_string, ALL, NULL },
	{ "github.com/pkg/errors.withMessage", "error", text_of_message_error, ALL,
	  NULL },
	{ "github.com/pkg/errors.withStack", "error", text_of_stack_error, ALL, NULL },
	{ "internal/poll.DeadlineExceededError", "error", text_of_constant_error, ALL,
	  NULL },
	{ "internal/poll.errNetClosing", "error", text_of_constant_error, ALL, NULL },
	{ "io/fs.PathError", "error", text_of_path_error, ALL, NULL },
	{ "log/slog.Level", "level", text_of_level, ITSELF, NULL },
	{ "math/big.Float", "number", text_of_big_float, ALL, NULL },
	{ "math/big.Int", "number", text_of_big_int, ALL, NULL },
	{ "math/big.Rat", "number", text_of_big_rat, ALL, NULL },
	{ "net.DNSError", "error", text_of_dns_error, ALL, NULL },
	{ "net.HardwareAddr", "ip", text_of_hardware_address, ITSELF, NULL },
	{ "net.IP", "ip", text_of_ip, ITSELF, NULL },
	{ "net.IPConn", "file", text_of_connection, ALL, NULL },
	{ "net.IPNet", "ip", text_of_ip_net, ALL, NULL },
	{ "net.OpError", "error", text_of_net_error, ALL, NULL },
	{ "net.TCPAddr", "ip", text_of_socket_address, ALL, NULL },
	{ "net.TCPConn", "file", text_of_connection, ALL, NULL },
	{ "net.TCPListener", "file", text_of_connection, ALL, NULL },
	{ "net.UDPAddr", "ip", text_of_socket_address, ALL, NULL },
	{ "net.UDPConn", "file", text_of_connection, ALL, NULL },
	{ "net.UnixAddr", "ip", text_of_unix_address, ALL, NULL },
	{ "net.UnixConn", "file", text_of_connection, ALL, NULL },
	{ "net.UnixListener", "file", text_of_connection, ALL, NULL },
	{ "net.timeoutError", "error", text_of_constant_error, ALL, NULL },
	{ "net/http.Request", "request", text_of_request, ALL, NULL },
	{ "net/http.Response", "request", text_of_response, ALL, NULL },
	{ "net/http.Server", "request", text_of_server, ALL, NULL },
	{ "net/netip.Addr", "ip", text_of_address, ITSELF, NULL },
	{ "net/netip.AddrPort", "ip", text_of_address_port, ITSELF, NULL },
	{ "net/netip.Prefix", "ip", text_of_prefix, ITSELF, NULL },
	{ "net/url.Error", "error", text_of_url_error, ALL, NULL },
	{ "net/url.URL", "url", text_of_url, ALL, NULL },
	{ "os.File", "file", text_of_file, ALL, NULL },
	{ "os.LinkError", "error", text_of_link_error, ALL, NULL },
	{ "os.PathError", "error", text_of_path_error, ALL, NULL },
	{ "os.SyscallError", "error", text_of_syscall_error, ALL, NULL },
	{ "reflect.Value", "reflection", NULL, ITSELF, members_of_reflection },
	{ "regexp.Regexp", "regexp", text_of_regexp, ALL, NULL },
	{ "strconv.NumError", "error", text_of_num_error, ALL, NULL },
	{ "strings.Builder", "buffer", text_of_builder, ITSELF, NULL },
	{ "sync.Cond", "lock", text_of_cond, ALL, NULL },
	{ "sync.Map", "map", text_of_sync_map, ALL, members_of_sync_map },
	{ "sync.Mutex", "lock", text_of_mutex, ITSELF, NULL },
	{ "sync.Once", "once", text_of_once, ITSELF, NULL },
	{ "sync.Pool", "pool", text_of_pool, ITSELF, NULL },
	{ "sync.RWMutex", "lock", text_of_rwmutex, ITSELF, NULL },
	{ "sync.WaitGroup", "lock", text_of_waitgroup, ITSELF, NULL },
	{ "sync/atomic.Bool", "atomic", text_of_atomic, ITSELF, NULL },
	{ "sync/atomic.Int32", "atomic", text_of_atomic, ITSELF, NULL },
	{ "sync/atomic.Int64", "atomic", text_of_atomic, ITSELF, NULL },
	{ "sync/atomic.Uint32", "atomic", text_of_atomic, ITSELF, NULL },
	{ "sync/atomic.Uint64", "atomic", text_of_atomic, ITSELF, NULL },
	{ "sync/atomic.Uintptr", "atomic", text_of_atomic, ITSELF, NULL },
	{ "sync/atomic.Value", "atomic", text_of_atomic_value, ITSELF, NULL },
	{ "syscall.Errno", "error", text_of_errno, ALL, NULL },
	{ "time.Duration", "time", text_of_duration, ITSELF, NULL },
	{ "time.Location", "time", text_of_location, ALL, NULL },
	{ "time.Month", "time", text_of_month, ITSELF, NULL },
	{ "time.Ticker", "time", text_of_ticker, ALL, NULL },
	{ "time.Time", "time", text_of_time, ITSELF, NULL },
	{ "time.Timer", "time", text_of_timer, ALL, NULL },
	{ "time.Weekday", "time", text_of_weekday, ITSELF, NULL },
};

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct known *)row)->name);
}

/* Types of this name in any package, C enumerations, and instances of a generic type. */
static const struct known *find_pattern(const struct type *type)
{
	static const struct known uuid = { "", "uuid", text_of_uuid, ITSELF, NULL };
	static const struct known enumeration = { "", "enum", text_of_enum, ITSELF,
						  NULL };
	static const struct known pointer = { "", "atomic", NULL, ITSELF,
					      members_of_atomic_pointer };
	static const char pointers[] = "sync/atomic.Pointer[";
	const char *name = type_name(type), *dot = strrchr(name, '.');

	if (dot && type_kind(type) == KIND_ARRAY && type_size(type) == UUID_BYTES &&
	    strcasecmp(dot, ".UUID") == 0)
		return &uuid;
	if (type_kind(type) == KIND_ENUM)
		return &enumeration;
	return strncmp(name, pointers, sizeof(pointers) - 1) == 0 ? &pointer : NULL;
}

static const struct known *known_row(const struct type *type)
{
	const struct known *row = bsearch(type_name(type), known, ARRAY_SIZE(known),
					  sizeof(known[0]), by_name);

	return row ? row : find_pattern(type);
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

bool known_read(struct printing *p, uint64_t addr, void *ret, size_t len)
{
	struct err ignored;

	if (!runtime_bytes(p->rt, addr, ret, len, &ignored))
		return false;
	p->of_secret |= redaction_of_bytes(p->redaction, addr, ret, len);
	return true;
}

/* By its content. */
static bool has_secret(struct printing *p, const char *bytes, size_t len)
{
	struct redacted left = redaction_of_text(p->redaction, 0, bytes, len);
	bool found = left.rule != NULL;

	redacted_done(&left);
	return found;
}

void known_reworded(struct printing *p, const struct known_words *from, const char *as,
		    size_t len)
{
	if (len == from->len && memcmp(as, from->bytes, len) == 0)
		return;
	p->of_secret |= redaction_of_bytes(p->redaction, 0, from->bytes, from->len) ||
			has_secret(p, from->bytes, from->len);
}

bool known_shown_number(struct printing *p, const struct value *v, const char *paths,
			uint64_t *ret)
{
	struct value field;

	if (!known_number(p, v, paths, ret) || !known_field(p, v, paths, &field))
		return false;
	p->of_secret |= redaction_of_bytes(p->redaction, field.addr, ret,
					   (size_t)type_size(field.type));
	return true;
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

/* It is secret by address, and its content would not be recognised in the text. */
static bool is_hidden_secret(struct printing *p, uint64_t addr, const char *bytes,
			     size_t len)
{
	return len && redaction_at(p->redaction, addr, len) && !has_secret(p, bytes, len);
}

bool known_letters(struct printing *p, uint64_t addr, char *ret, size_t len)
{
	struct err ignored;

	if (!runtime_bytes(p->rt, addr, ret, len, &ignored))
		return false;
	p->of_secret |= is_hidden_secret(p, addr, ret, len) ||
			redaction_used(p->redaction, addr, len) < len;
	return true;
}

bool known_add_string(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct text_value s;
	struct value at;
	struct err ignored;
	char bytes[sizeof(ret->bytes)];

	if (!runtime_behind(p->rt, v, &at) || type_kind(at.type) != KIND_STRING ||
	    !runtime_string(p->rt, &at, &s, &ignored))
		return false;
	size_t len = s.len < sizeof(bytes) ? (size_t)s.len : sizeof(bytes);
	if (!known_letters(p, s.addr, bytes, len))
		return false;
	known_add_bytes(ret, bytes, len);
	return true;
}

bool known_string(struct printing *p, const struct value *v, const char *paths,
		  struct known_words *ret)
{
	struct value field;

	return known_field(p, v, paths, &field) && known_add_string(p, &field, ret);
}

void known_quoted(struct printing *p, const struct value *v, struct known_words *ret)
{
	known_add(ret, "\"");
	if (!known_add_string(p, v, ret))
		known_add(ret, "?");
	known_add(ret, "\"");
}

bool known_length(struct printing *p, const struct value *v, const char *paths,
		  uint64_t *ret)
{
	struct value field;
	struct slice_value s;
	struct err ignored;

	if (!known_field(p, v, paths, &field) || type_kind(field.type) != KIND_SLICE ||
	    !runtime_slice(p->rt, &field, &s, &ignored))
		return false;
	*ret = s.len;
	return true;
}

bool known_same(const struct known_words *a, const struct known_words *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* Their texts are about the program, not its users, whatever the value is called. */
static bool is_harmless(const struct known *row)
{
	static const char *const printers[] = { "lock", "once", "time" };

	for (size_t i = 0; i < ARRAY_SIZE(printers); i++)
		if (strcmp(row->printer, printers[i]) == 0)
			return true;
	return false;
}

/* There is no text made from a secret's bytes. */
bool known_built_in(struct printing *p, const struct value *v, struct known_words *ret)
{
	const struct known *row = notes_of(p, v->type)->known;
	const bool before = p->of_secret;
	const size_t len = ret->len;

	p->of_secret = false;
	bool ok = row && row->text && row->text(p, v, ret);
	if (ok && p->of_secret && !is_harmless(row)) {
		ret->len = len;
		ok = false;
	}
	p->of_secret = before;
	return ok;
}

/* An error may wrap itself, and memory may be damaged into a cycle: the number of texts
 * within a text is limited. */
bool known_text_of(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct value at;

	if (p->text_depth == 0)
		p->texts = 0;
	if (p->text_depth == INSIDE_MAX || p->texts++ >= TEXTS_MAX ||
	    !runtime_behind(p->rt, v, &at))
		return false;
	p->text_depth++;
	const struct rule *rule = notes_of(p, at.type)->rule;
	bool ok = (rule && rule_text(p, rule, &at, ret)) || known_built_in(p, &at, ret);
	p->text_depth--;
	return ok;
}

static const struct known *row_of(struct printing *p, const struct value *v,
				  const struct known *own)
{
	const struct known *row = own;
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
		row = to ? notes_of(p, to)->known : NULL;
	return row && (row->of & of) ? row : NULL;
}

/* False: no text, or none that may be shown. rule: NULL, or a user's rule, which may show
 * anything. */
static bool make_text(struct printing *p, const struct value *v, const struct rule *rule,
		      const struct known *row, struct known_words *ret)
{
	if (p->redacted && (rule || !is_harmless(row)))
		return false;
	if (!(rule ? rule_text(p, rule, v, ret) : known_text_of(p, v, ret)))
		return false;
	p->redacted = NULL; /* restored when the value is printed */
	struct redacted left = redaction_of_text(p->redaction, 0, ret->bytes, ret->len);
	if (left.rule) {
		ret->len = 0;
		known_add_bytes(ret, left.text ? left.text : "", left.len);
	}
	redacted_done(&left);
	return ret->len > 0;
}

static void print_text(struct printing *p, const struct value *v, const struct rule *rule,
		       const struct known *row)
{
	struct known_words text;

	text.len = 0;
	text.steps = 0;
	p->has_text = make_text(p, v, row ? NULL : rule, row, &text);
	if (!p->has_text)
		return;
	sink_name(p->out, "text");
	sink_text(p->out, text.bytes, text.len);
	sink_named_string(p->out, "printer", row ? row->printer : rule->printer);
}

static void print_known(struct printing *p, const struct value *v,
			const struct type_notes *notes)
{
	const struct rule *rule = notes->rule;
	const struct known *row = NULL;

	if (!rule || !rule->piece_count)
		row = row_of(p, v, notes->known);
	p->has_text = false;
	if (rule || row)
		print_text(p, v, rule, row);
	p->depth++; /* they may hold the value itself */
	if (notes->is_context)
		print_contexts(p, v);
	if (notes->known && notes->known->members)
		notes->known->members(p, v);
	p->depth--;
}

const struct value_texts known_texts = { known_row, print_known };
