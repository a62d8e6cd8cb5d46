/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of errors whose Error method is known: errors/errors.go, fmt/errors.go,
 * io/fs/fs.go, os/error.go, strconv/atoi.go, net/url/url.go. What they wrap is said by its own
 * row. */
#include <inttypes.h>
#include <string.h>

#include "known.h"

/* errors.errorString and fmt.wrapError begin with their text. */
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

/* Go's table of Linux errors is that of the C library, in lower case but for a few. */
bool text_of_errno(struct printing *p, const struct value *v, struct known_words *ret)
{
	enum { NUMBERS = 256 };
	uint64_t number = 0;
	struct err ignored;

	if (type_size(v->type) != sizeof(number) ||
	    !runtime_bytes(p->rt, v->addr, &number, sizeof(number), &ignored) ||
	    number >= NUMBERS)
		return false;
	const char *words = number ? strerrordesc_np((int)number) : NULL;
	if (!words) {
		known_add(ret, "errno %" PRIu64, number);
		return true;
	}
	/* "I/O" and "RPC" stay as they are. */
	bool acronym = words[1] >= 'A' && words[1] <= 'Z';
	acronym |= words[1] == '/' || words[1] == '.';
	char first = words[0];
	if (!acronym && first >= 'A' && first <= 'Z')
		first = (char)(first - 'A' + 'a');
	known_add(ret, "%c%s", first, words + 1);
	return true;
}

bool text_of_url_error(struct printing *p, const struct value *v, struct known_words *ret)
{
	if (!known_string(p, v, "Op", ret))
		return false;
	known_add(ret, " \"");
	if (!known_string(p, v, "URL", ret))
		return false;
	known_add(ret, "\"");
	return add_wrapped(p, v, ret);
}

bool text_of_num_error(struct printing *p, const struct value *v, struct known_words *ret)
{
	known_add(ret, "strconv.");
	if (!known_string(p, v, "Func", ret))
		return false;
	known_add(ret, ": parsing \"");
	if (!known_string(p, v, "Num", ret))
		return false;
	known_add(ret, "\"");
	return add_wrapped(p, v, ret);
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

/* Types that always say the same. */
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
