/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of errors whose Error method is known: errors/errors.go, fmt/errors.go,
 * io/fs/fs.go, os/error.go, strconv/atoi.go, net/url/url.go. What they wrap is printed by
 * its own row. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "printers/known/known.h"

/* errors.errorString and fmt.wrapError start with their text. */
bool text_of_error_string(struct printing *p, const struct value *v,
			  struct known_words *ret)
{
	return known_string(p, v, "s|msg", ret);
}

static bool add_wrapped(struct printing *p, const struct value *v,
			struct known_words *ret)
{
	struct value wrapped;

	known_add(ret, ": ");
	return known_field(p, v, "Err", &wrapped) && known_text_of(p, &wrapped, ret);
}

bool text_of_path_error(struct printing *p, const struct value *v,
			struct known_words *ret)
{
	if (!known_string(p, v, "Op", ret))
		return false;
	known_add(ret, " ");
	return known_string(p, v, "Path", ret) && add_wrapped(p, v, ret);
}

bool text_of_syscall_error(struct printing *p, const struct value *v,
			   struct known_words *ret)
{
	return known_string(p, v, "Syscall", ret) && add_wrapped(p, v, ret);
}

bool text_of_link_error(struct printing *p, const struct value *v,
			struct known_words *ret)
{
	if (!known_string(p, v, "Op", ret))
		return false;
	known_add(ret, " ");
	if (!known_string(p, v, "Old", ret))
		return false;
	known_add(ret, " ");
	return known_string(p, v, "New", ret) && add_wrapped(p, v, ret);
}

/* The text of ESTALE changed between releases; the program's own table has the right
 * one. */
static bool add_own_words(struct printing *p, uint64_t number, struct known_words *ret)
{
	struct value table;
	struct err ignored;

	if (!runtime_global(p->rt, "syscall.errors", &table, &ignored) ||
	    type_kind(table.type) != KIND_ARRAY || number >= type_count(table.type))
		return false;
	const struct type *elem = type_elem(table.type);
	return elem &&
	       known_add_string(
		       p, &(struct value){ elem, table.addr + number * type_size(elem) },
		       ret);
}

/* Go's table of Linux errors is the C library's, mostly in lower case. */
bool text_of_errno(struct printing *p, const struct value *v, struct known_words *ret)
{
	enum { NUMBERS = 133 }; /* syscall/zerrors_linux_amd64.go */
	uint64_t number = 0;

	if (type_size(v->type) != sizeof(number) ||
	    !known_read(p, v->addr, &number, sizeof(number)))
		return false;
	if (number == ESTALE)
		return add_own_words(p, number, ret);
	const char *words =
		number && number < NUMBERS ? strerrordesc_np((int)number) : NULL;
	if (!words) {
		known_add(ret, "errno %" PRId64, (int64_t)number);
		return true;
	}
	/* "I/O" and "RPC" are unchanged. */
	bool acronym = words[1] >= 'A' && words[1] <= 'Z';
	acronym |= words[1] == '/' || words[1] == '.';
	char first = words[0];
	if (!acronym && first >= 'A' && first <= 'Z')
		first = (char)(first - 'A' + 'a');
	known_add(ret, "%c%s", first, words + 1);
	return true;
}

static bool add_quoted(struct printing *p, const struct value *v, const char *path,
		       struct known_words *ret)
{
	struct known_words s = { .len = 0 };

	if (!known_string(p, v, path, &s))
		return false;
	const size_t before = ret->len;
	if (!known_go_quoted(&s, ret))
		return false;
	const size_t len = ret->len - before; /* no quotes if there was no room */
	known_reworded(p, &s, ret->bytes + before + (len > 0), len > 1 ? len - 2 : 0);
	return true;
}

bool text_of_url_error(struct printing *p, const struct value *v, struct known_words *ret)
{
	if (!known_string(p, v, "Op", ret))
		return false;
	known_add(ret, " ");
	return add_quoted(p, v, "URL", ret) && add_wrapped(p, v, ret);
}

bool text_of_num_error(struct printing *p, const struct value *v, struct known_words *ret)
{
	known_add(ret, "strconv.");
	if (!known_string(p, v, "Func", ret))
		return false;
	known_add(ret, ": parsing ");
	return add_quoted(p, v, "Num", ret) && add_wrapped(p, v, ret);
}

bool text_of_joined_errors(struct printing *p, const struct value *v,
			   struct known_words *ret)
{
	struct value errors;
	struct slice_value s;
	struct err ignored;

	if (!known_field(p, v, "errs", &errors) || type_kind(errors.type) != KIND_SLICE ||
	    !type_elem(errors.type) || !runtime_slice(p->rt, &errors, &s, &ignored))
		return false;
	const struct type *elem = type_elem(errors.type);
	for (uint64_t i = 0; i < s.len && ret->len < sizeof(ret->bytes); i++) {
		known_add(ret, i ? "\n" : "%s", "");
		if (!known_text_of(p,
				   &(struct value){ elem, s.addr + i * type_size(elem) },
				   ret))
			return false;
	}
	return true;
}

bool text_of_deadline_exceeded(struct printing *p, const struct value *v,
			       struct known_words *ret)
{
	(void)p, (void)v;
	known_add(ret, CONTEXT_DEADLINE_WORDS);
	return true;
}

/* github.com/pkg/errors */
bool text_of_message_error(struct printing *p, const struct value *v,
			   struct known_words *ret)
{
	struct value cause;

	if (!known_string(p, v, "msg", ret))
		return false;
	known_add(ret, ": ");
	return known_field(p, v, "cause", &cause) && known_text_of(p, &cause, ret);
}

bool text_of_stack_error(struct printing *p, const struct value *v,
			 struct known_words *ret)
{
	struct value inside;

	return known_field(p, v, "error", &inside) && known_text_of(p, &inside, ret);
}

/* Types with a constant text. */
bool text_of_constant_error(struct printing *p, const struct value *v,
			    struct known_words *ret)
{
	static const struct {
		const char *type, *words;
	} constants[] = {
		{ "internal/poll.errNetClosing", "use of closed network connection" },
		{ "internal/poll.DeadlineExceededError", "i/o timeout" },
		{ "net.timeoutError", "i/o timeout" },
	};

	(void)p;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (strcmp(type_name(v->type), constants[i].type) != 0)
			continue;
		known_add(ret, "%s", constants[i].words);
		return true;
	}
	return false;
}
