/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/ere.h"
#include "lib/document/reader.h"
#include "src/viewer/terminal/text.h"

enum { MISSING_SHOWN = 8 };

struct filter_term {
	enum filter_kind kind;
	bool negated;
	bool met;		  /* for ids: seen in a goroutine */
	const char *name, *words; /* borrowed */
	struct ere *regex;	  /* NULL: search for words */
	int64_t low, high;	  /* ids, or nanoseconds */
};

struct filter {
	struct filter_term *terms;
	size_t count, cap;
	uint64_t passed[FILTER_KINDS]; /* counts of goroutines */
};

struct filter *filter_new(void)
{
	return xcalloc(1, sizeof(struct filter));
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->count; i++) {
		ere_free(filter->terms[i].regex);
	}
	xfree(filter->terms);
	xfree(filter);
}

static bool compile_pattern(struct filter_term *term, struct err *err)
{
	size_t len = strlen(term->words);
	AUTO(xfree) char *expression = NULL;
	uint64_t room = ERE_ROOM;
	if (len == 0)
		return err_set(err, ERR_USAGE, "--%s requires a pattern", term->name);
	if (len < 3 || term->words[0] != '/' || term->words[len - 1] != '/')
		return true;
	expression = xstrndup(term->words + 1, len - 2);
	term->regex = ere_new(expression, false, &room, err);
	if (!term->regex)
		err_prefix(err, "--%s", term->name);
	return term->regex != NULL;
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
static bool parse_range(const char **words, int64_t *ret_low, int64_t *ret_high)
{
	if (!parse_id(words, ret_low))
		return false;
	*ret_high = *ret_low;
	if (**words != '-')
		return true;
	++*words;
	return parse_id(words, ret_high) && *ret_low <= *ret_high;
}

static void add_term(struct filter *filter, const struct filter_term *term)
{
	GROW(filter->terms, filter->count, filter->cap);
	filter->terms[filter->count++] = *term;
}

static bool add_ranges(struct filter *filter, struct filter_term *term, struct err *err)
{
	const char *rest = term->words;
	for (;;) {
		if (!parse_range(&rest, &term->low, &term->high) ||
		    (*rest && *rest != ','))
			return err_set(
				err, ERR_USAGE,
				"--%s requires IDs like 12 or 12,15-20, not %.100s",
				term->name, term->words);
		add_term(filter, term);
		if (!*rest)
			return true;
		rest++;
	}
}

bool filter_add(struct filter *filter, enum filter_kind kind, bool negated,
		const char *name, const char *words, struct err *err)
{
	struct filter_term term = {
		.kind = kind,
		.negated = negated,
		.name = name,
		.words = words,
	};
	if (kind == FILTER_GOROUTINE)
		return add_ranges(filter, &term, err);
	if (kind == FILTER_LONGER && !text_parse_duration(words, &term.low))
		return err_set(err, ERR_USAGE,
			       "--%s requires a time like 90s, 5m or 1h30m, not %.100s",
			       name, words);
	if (kind == FILTER_LABEL && (!*words || *words == '='))
		return err_set(err, ERR_USAGE, "--%s requires a key", name);
	if (kind != FILTER_LONGER && kind != FILTER_LABEL && !compile_pattern(&term, err))
		return false;
	add_term(filter, &term);
	return true;
}

bool filter_is_empty(const struct filter *filter)
{
	return filter->count == 0;
}

bool filter_names_goroutines(const struct filter *filter)
{
	for (size_t i = 0; i < filter->count; i++)
		if (filter->terms[i].kind == FILTER_GOROUTINE &&
		    !filter->terms[i].negated)
			return true;
	return false;
}

static bool has_words(const struct filter_term *term, const struct reader_node *node)
{
	const char *words = text_of(node, NULL);
	if (!words)
		return false;
	size_t begin, end;
	if (term->regex)
		return ere_find(term->regex, words, strlen(words), 0, &begin, &end);
	return strcasestr(words, term->words) != NULL;
}

static bool has_function(const struct filter_term *term, const struct reader_node *frames)
{
	for (size_t i = 0; i < node_count(frames); i++)
		if (has_words(term, node_get(node_at(frames, i), "function")))
			return true;
	return false;
}

static bool waits_so(const struct filter_term *term, const struct reader_node *goroutine)
{
	static const char *const members[] = { "kind",	"address", "protocol",
					       "local", "remote",  "file" };
	const struct reader_node *what = node_get(goroutine, "waiting_for");
	const struct reader_node *cases = node_get(what, "cases");
	if (has_words(term, node_get(goroutine, "wait_reason")))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (has_words(term, node_get(what, members[i])))
			return true;
	for (size_t i = 0; i < node_count(cases); i++)
		if (has_words(term, node_get(node_at(cases, i), "address")))
			return true;
	return false;
}

static bool has_label(const struct filter_term *term, const struct reader_node *labels)
{
	for (size_t i = 0; i < node_count(labels); i++) {
		const char *key = text_of(node_get(node_at(labels, i), "key"), NULL);
		const char *value = text_of(node_get(node_at(labels, i), "value"), "");
		size_t len = key ? strlen(key) : 0;
		if (!key || strncmp(term->words, key, len) != 0)
			continue;
		if (!term->words[len] || (term->words[len] == '=' &&
					  strcmp(term->words + len + 1, value) == 0))
			return true;
	}
	return false;
}

/* node: the goroutine, or its frames for FILTER_FUNCTION. */
static bool term_matches(const struct filter_term *term, const struct reader_node *node)
{
	int64_t id;
	switch (term->kind) {
	case FILTER_STATUS:
		return has_words(term, node_get(node, "status"));
	case FILTER_WAIT:
		return waits_so(term, node);
	case FILTER_LONGER:
		return node_int(node_get(node, "waiting_ns"), -1) >= term->low;
	case FILTER_FUNCTION:
		return has_function(term, node);
	case FILTER_CREATOR:
		return has_words(term,
				 node_get(node_get(node, "created_by"), "function"));
	case FILTER_LABEL:
		return has_label(term, node_get(node, "labels"));
	case FILTER_GOROUTINE:
		id = node_int(node_get(node, "id"), -1);
		return id >= term->low && id <= term->high;
	case FILTER_KINDS:
		break;
	}
	return false;
}

static bool kind_passes(const struct filter *filter, enum filter_kind kind,
			const struct reader_node *node)
{
	bool wanted = true, found = false;
	for (size_t i = 0; i < filter->count; i++) {
		const struct filter_term *term = &filter->terms[i];
		if (term->kind != kind)
			continue;
		if (term->negated && term_matches(term, node))
			return false;
		if (!term->negated) {
			wanted = false;
			found = found || term_matches(term, node);
		}
	}
	return wanted || found;
}

bool filter_passes_frames(const struct filter *filter, const struct reader_node *frames)
{
	return kind_passes(filter, FILTER_FUNCTION, frames);
}

static void note_id(struct filter *filter, const struct reader_node *goroutine)
{
	for (size_t i = 0; i < filter->count; i++)
		if (filter->terms[i].kind == FILTER_GOROUTINE && !filter->terms[i].met)
			filter->terms[i].met = term_matches(&filter->terms[i], goroutine);
}

bool filter_passes(struct filter *filter, const struct reader_node *goroutine,
		   bool frames_pass)
{
	bool all = true;
	note_id(filter, goroutine);
	for (enum filter_kind kind = 0; kind < FILTER_KINDS; kind++) {
		bool passes = kind == FILTER_FUNCTION
				      ? frames_pass
				      : kind_passes(filter, kind, goroutine);
		filter->passed[kind] += passes;
		all = all && passes;
	}
	return all;
}

/* Each range of ids is a separate term. */
static bool is_same_option(const struct filter_term *term, size_t i)
{
	return i > 0 && term[-1].words == term->words;
}

void filter_blame(const struct filter *filter, struct text *text)
{
	size_t before = text->len;
	for (size_t i = 0; i < filter->count; i++) {
		const struct filter_term *term = &filter->terms[i];
		if (filter->passed[term->kind] > 0 || is_same_option(term, i))
			continue;
		text_add(text, "%s%s--%s '%s'", text->len == before ? "" : ", ",
			 term->negated ? "--not " : "", term->name, term->words);
	}
	if (text->len == before)
		text_add(text, "all filters together");
}

void filter_add_missing(const struct filter *filter, struct text *text)
{
	uint64_t n = 0;
	for (size_t i = 0; i < filter->count; i++) {
		const struct filter_term *term = &filter->terms[i];
		if (term->kind != FILTER_GOROUTINE || term->negated || term->met ||
		    n++ >= MISSING_SHOWN)
			continue;
		text_add(text, "%s%" PRId64, n == 1 ? "" : ", ", term->low);
		if (term->high > term->low)
			text_add(text, "-%" PRId64, term->high);
	}
	if (n > MISSING_SHOWN) {
		text_add(text, " and ");
		text_add_count(text, n - MISSING_SHOWN);
		text_add(text, " more");
	}
}
