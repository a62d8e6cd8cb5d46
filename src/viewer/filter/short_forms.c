/* SPDX-License-Identifier: Apache-2.0 */
/* Options, as the expressions for which they stand. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/ere.h"
#include "src/viewer/filter/filter_priv.h"
#include "src/viewer/terminal/text.h"

struct option {
	const char *name, *words;
	struct err *err;
};

/* FIELD ~ "..." or contains(FIELD, "..."). NULL: not a pattern. */
static struct expression *pattern(const struct option *option, const char *field)
{
	const char *words = option->words;
	const size_t len = strlen(words);
	const bool regex = len >= 3 && words[0] == '/' && words[len - 1] == '/';
	uint64_t room = ERE_ROOM;
	AUTO(expression_free)
	struct expression *x = expression_of_field(EXPRESSION_COMPARE, field_find(field));

	if (len == 0) {
		err_set(option->err, ERR_USAGE, "--%s requires a pattern", option->name);
		return NULL;
	}
	x->how = regex ? COMPARE_MATCHES : COMPARE_CONTAINS;
	struct literal *literal = expression_literal(x, LITERAL_TEXT);
	literal->words = regex ? xstrndup(words + 1, len - 2) : xstrdup(words);
	if (!regex)
		return TAKE(x);
	x->ere = ere_new(literal->words, false, &room, option->err);
	if (x->ere)
		return TAKE(x);
	err_prefix(option->err, "--%s", option->name);
	return NULL;
}

static struct expression *of_status(const struct option *option)
{
	return pattern(option, "status");
}

static struct expression *of_creator(const struct option *option)
{
	return pattern(option, "creator");
}

/* contains(reason, "...") || contains(waits, "...") */
static struct expression *of_wait(const struct option *option)
{
	struct expression *reason = pattern(option, "reason");

	if (!reason)
		return NULL;
	AUTO(expression_free) struct expression *x = expression_new(EXPRESSION_OR);
	expression_add(x, reason);
	struct expression *waits = pattern(option, "waits");
	if (!waits)
		return NULL;
	expression_add(x, waits);
	return TAKE(x);
}

/* any(frames, contains(function, "...")) */
static struct expression *of_function(const struct option *option)
{
	struct expression *function = pattern(option, "function");

	if (!function)
		return NULL;
	struct expression *x = expression_new(EXPRESSION_ANY);
	expression_add(x, function);
	return x;
}

/* waiting >= 5m */
static struct expression *of_longer(const struct option *option)
{
	int64_t ns;

	if (!text_parse_duration(option->words, &ns)) {
		err_set(option->err, ERR_USAGE,
			"--%s requires a time like 90s, 5m or 1h30m, not %.100s",
			option->name, option->words);
		return NULL;
	}
	struct expression *x =
		expression_of_field(EXPRESSION_COMPARE, field_find("waiting"));
	x->how = COMPARE_GREATER_OR_EQUAL;
	expression_literal(x, LITERAL_NUMBER)->low = (long double)ns;
	return x;
}

static struct expression *label(enum expression_kind kind, const char *key, size_t len)
{
	struct expression *x = expression_of_field(kind, field_find("label"));

	x->path.key = xstrndup(key, len);
	return x;
}

/* has(label["a=b"]) || label.a == "b": keys may have a = in them. */
static struct expression *of_label(const struct option *option)
{
	const char *words = option->words;

	if (!*words || *words == '=') {
		err_set(option->err, ERR_USAGE, "--%s requires a key", option->name);
		return NULL;
	}
	struct expression *x = expression_new(EXPRESSION_OR);
	expression_add(x, label(EXPRESSION_HAS, words, strlen(words)));
	for (const char *at = strchr(words, '='); at; at = strchr(at + 1, '=')) {
		struct expression *equal =
			label(EXPRESSION_COMPARE, words, (size_t)(at - words));
		equal->how = COMPARE_EQUAL;
		expression_literal(equal, LITERAL_TEXT)->words = xstrdup(at + 1);
		expression_add(x, equal);
	}
	return x;
}

static bool parse_id(const char **words, int64_t *ret)
{
	char *end;
	if (!isdigit((unsigned char)**words))
		return false;
	errno = 0;
	*ret = strtoll(*words, &end, 10);
	*words = end;
	return errno == 0;
}

/* Parses "12" or "15-20" at *words and advances it. */
static bool parse_range(const char **words, struct expression *x)
{
	int64_t low, high;
	if (!parse_id(words, &low))
		return false;
	high = low;
	if (**words == '-') {
		++*words;
		if (!parse_id(words, &high) || low > high)
			return false;
	}
	struct literal *range = expression_literal(x, LITERAL_NUMBER);
	range->low = (long double)low;
	range->high = (long double)high;
	return true;
}

/* id in (12, 15-20) */
static struct expression *of_goroutine(const struct option *option)
{
	const char *rest = option->words;
	AUTO(expression_free)
	struct expression *x = expression_of_field(EXPRESSION_COMPARE, field_find("id"));

	x->how = COMPARE_IN;
	for (;; rest++) {
		if (!parse_range(&rest, x) || (*rest && *rest != ',')) {
			err_set(option->err, ERR_USAGE,
				"--%s requires IDs like 12 or 12,15-20, not %.100s",
				option->name, option->words);
			return NULL;
		}
		if (!*rest)
			return TAKE(x);
	}
}

/* One list for all ids, so that it is known which of them there are. */
static bool join_ids(struct expression *to, struct expression *from)
{
	if (!expression_names_ids(to) || !expression_names_ids(from))
		return false;
	for (size_t i = 0; i < from->count; i++)
		*expression_literal(to, LITERAL_NUMBER) = from->literals[i];
	expression_free(from);
	return true;
}

/* a || b */
static void join(struct expression **to, struct expression *x)
{
	if (!*to) {
		*to = x;
		return;
	}
	if (join_ids(*to, x))
		return;
	struct expression *either = expression_new(EXPRESSION_OR);
	expression_add(either, *to);
	expression_add(either, x);
	*to = either;
}

bool filter_add(struct filter *filter, enum filter_kind kind, bool negated,
		const char *name, const char *words, struct err *err)
{
	static struct expression *(*const forms[])(const struct option *option) = {
		[FILTER_STATUS] = of_status,	   [FILTER_WAIT] = of_wait,
		[FILTER_LONGER] = of_longer,	   [FILTER_FUNCTION] = of_function,
		[FILTER_CREATOR] = of_creator,	   [FILTER_LABEL] = of_label,
		[FILTER_GOROUTINE] = of_goroutine,
	};
	const struct option option = { name, words, err };
	struct expression *x = forms[kind](&option);

	if (!x)
		return false;
	if (!filter->of_kind[kind])
		filter->of_kind[kind] = 1 + filter_add_conjunct(filter);
	const size_t conjunct = filter->of_kind[kind] - 1;
	struct conjunct *c = &filter->conjuncts[conjunct];
	join(negated ? &c->unwanted : &c->wanted, x);
	filter_note_given(filter, conjunct, negated, name, xstrdup(words));
	return true;
}
