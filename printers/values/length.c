/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and lengths, of variables that may never have been set. Without memory at the
 * address they are not addresses or lengths but arbitrary bytes, perhaps of another
 * goroutine's key. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "printers/values/value_printers.h"

static const char nowhere[] = "no readable memory there";

static bool shows_all(const struct printing *p)
{
	return redaction_mode(p->redaction) == REDACT_NOTHING;
}

bool has_memory(struct printing *p, uint64_t addr)
{
	return is_common_word(addr) || runtime_is_mapped(p->rt, addr) || shows_all(p);
}

bool ends_in_memory(struct printing *p, uint64_t n, uint64_t addr, uint64_t size)
{
	uint64_t bytes, last;

	if (size == 0)
		return n <= UINT32_MAX;
	return !__builtin_mul_overflow(n, size, &bytes) &&
	       !__builtin_add_overflow(addr, bytes - 1, &last) &&
	       runtime_is_readable(p->rt, addr, last);
}

/* Values in pieces have no address, and smaller ones are many, and lead to little. */
const char *reaches_beyond(struct printing *p, uint64_t addr, uint64_t size)
{
	enum { LARGE = 512 };

	if (size < LARGE || !value_has_address(&(struct value){ .addr = addr }))
		return NULL;
	const struct memory_place place = runtime_memory_place(p->rt, addr);
	if (!place.end || size <= place.end - addr)
		return NULL;
	return place.is_stack ? "reaches beyond the stack that it is in"
			      : "reaches beyond the object that it is in";
}

const char *row_reaches_beyond(struct printing *p, uint64_t n, uint64_t addr,
			       uint64_t size)
{
	uint64_t bytes;

	if (n > UINT16_MAX && !ends_in_memory(p, n, addr, size))
		return nowhere;
	return reaches_beyond(
		p, addr, __builtin_mul_overflow(n, size, &bytes) ? UINT64_MAX : bytes);
}

bool is_length(struct printing *p, uint64_t n, uint64_t addr, uint64_t size)
{
	if (n <= UINT16_MAX || shows_all(p))
		return true;
	return (is_common_word(n) || ends_in_memory(p, n, addr, size)) &&
	       !redaction_of_word(p->redaction, n);
}

void print_nowhere(struct printing *p)
{
	print_unreadable(p, nowhere);
}

static bool is_inside_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Parses the number, with sign, at text[at]. Returns its length; 0: none. */
static size_t number_at(const char *text, size_t at, uint64_t *ret)
{
	char *end;

	if ((at > 0 && is_inside_word(text[at - 1])) ||
	    !isdigit((unsigned char)text[at + (text[at] == '-')]))
		return 0;
	*ret = text[at] == '-' ? (uint64_t)strtoll(text + at, &end, 10)
			       : strtoull(text + at, &end, 10);
	return is_inside_word(*end) ? 0 : (size_t)(end - (text + at));
}

/* Redacts lengths that are not lengths. Messages only have real addresses:
 * target_may_name(). */
void print_reason(struct printing *p, const char *member, const char *why)
{
	static const char redacted[] = "redacted";
	char text[512];
	size_t n = 0, len;
	uint64_t number;

	for (size_t i = 0; why[i] && n + sizeof(redacted) < sizeof(text); i += len) {
		bool is_number = (len = number_at(why, i, &number)) > 0;
		len = is_number ? len : 1;
		if (is_number && !is_length(p, number, 0, 1)) {
			memcpy(text + n, redacted, sizeof(redacted) - 1);
			n += sizeof(redacted) - 1;
		} else if (n + len < sizeof(text)) {
			memcpy(text + n, why + i, len);
			n += len;
		}
	}
	text[n] = '\0';
	sink_named_string(p->out, member, text);
}
