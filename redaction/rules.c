/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - reads a file with these lines:
 *   name GLOB   redact what has this name     keep name GLOB   never redact by this name
 *   type GLOB   ... is of this type           keep type GLOB
 *   value ERE   ... matches in any text
 * Blank lines and lines starting with # are ignored. */
#include "redaction/redaction_priv.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/ere.h"

enum { FILE_MAX = 1 << 20 };

enum about { ABOUT_NAME, ABOUT_TYPE, ABOUT_VALUE };

struct rule {
	enum about about;
	bool keep;
	char *pattern;
	struct ere *value;
};

struct rules {
	struct rule *list;
	size_t count, cap;
	uint64_t room; /* for expressions */
};

static bool take_word(char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0 || !strchr(" \t", (*at)[len]) || !(*at)[len])
		return false;
	*at += len + strspn(*at + len, " \t");
	return true;
}

static bool parse_line(char *line, uint64_t *room, struct rule *ret, struct err *err)
{
	static const char *const abouts[] = { "name", "type", "value" };
	char *at = line + strspn(line, " \t");
	size_t about = 0;

	for (size_t n = strlen(at); n > 0 && strchr(" \t\r", at[n - 1]); n--)
		at[n - 1] = '\0';
	ret->keep = take_word(&at, "keep");
	while (about < ARRAY_SIZE(abouts) && !take_word(&at, abouts[about]))
		about++;
	if (about == ARRAY_SIZE(abouts) || !*at || (ret->keep && about == ABOUT_VALUE))
		return err_set(err, ERR_USAGE,
			       "expected name PATTERN, type PATTERN, value EXPRESSION, "
			       "keep name PATTERN or keep type PATTERN");
	ret->about = (enum about)about;
	if (about == ABOUT_VALUE && !(ret->value = ere_new(at, true, room, err)))
		return false;
	ret->pattern = xstrdup(at);
	return true;
}

static bool parse(struct rules *rules, char *text, const char *path, struct err *err)
{
	rules->room = ERE_ROOM;
	for (size_t n = 1; text; n++) {
		char *line = strsep(&text, "\n");
		char first = line[strspn(line, " \t\r")];
		if (!first || first == '#')
			continue;
		struct rule rule = { .keep = false };
		if (!parse_line(line, &rules->room, &rule, err)) {
			err_prefix(err, "%.200s, line %zu", path, n);
			return false;
		}
		GROW(rules->list, rules->count, rules->cap);
		rules->list[rules->count++] = rule;
	}
	return true;
}

struct rules *rules_read(const char *path, struct err *err)
{
	size_t len;
	AUTO(xfree) char *text = slurp(path, FILE_MAX, &len);

	if (!text) {
		err_set(err, ERR_USAGE, "cannot read the rules in %.200s: %s", path,
			strerror(errno));
		return NULL;
	}
	if (len == FILE_MAX || strlen(text) != len) {
		err_set(err, ERR_USAGE,
			"%.200s is not a rules file: expected less than 1 MB of text",
			path);
		return NULL;
	}
	struct rules *rules = xcalloc(1, sizeof(*rules));
	if (!parse(rules, text, path, err)) {
		rules_free(rules);
		return NULL;
	}
	return rules;
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->count; i++) {
		ere_free(rules->list[i].value);
		xfree(rules->list[i].pattern);
	}
	xfree(rules->list);
	xfree(rules);
}

/* The last match decides. */
static enum verdict judge(const struct rules *rules, enum about about, const char *word)
{
	enum verdict verdict = VERDICT_NONE;

	for (size_t i = 0; i < rules->count; i++)
		if (rules->list[i].about == about &&
		    fnmatch(rules->list[i].pattern, word, FNM_CASEFOLD) == 0)
			verdict = rules->list[i].keep ? VERDICT_KEEP : VERDICT_REDACT;
	return verdict;
}

enum verdict rules_of_name(const struct rules *rules, const char *name)
{
	return judge(rules, ABOUT_NAME, name);
}

enum verdict rules_of_type(const struct rules *rules, const char *type)
{
	return judge(rules, ABOUT_TYPE, type);
}

/* Finds the next match that is not empty. */
static bool next_match(const struct rule *rule, const char *text, size_t len, size_t from,
		       struct span *ret)
{
	size_t begin, end;

	for (; rule->value && from < len; from = end + 1) {
		if (!ere_find(rule->value, text, len, from, &begin, &end))
			return false;
		if (end > begin) {
			*ret = (struct span){ begin, end, "user_rule" };
			return true;
		}
	}
	return false;
}

/* Extends a match by those of all rules that begin in it and end behind it, and by those that begin in these. A cursor for
 * each rule: the work is linear in the text. */
static void extend(const struct rules *rules, const char *text, size_t len,
		   struct span *span)
{
	AUTO(xfree) struct span *next = xcalloc(rules->count, sizeof(*next));
	bool grown;

	for (size_t i = 0; i < rules->count; i++)
		next[i] = (struct span){ span->begin, span->begin, NULL };
	do {
		grown = false;
		for (size_t i = 0; i < rules->count; i++)
			while (next[i].begin < span->end) {
				if (next[i].end > span->end) {
					span->end = next[i].end;
					grown = true;
				}
				if (!next_match(&rules->list[i], text, len, next[i].end,
						&next[i]))
					next[i].begin = SIZE_MAX;
			}
	} while (grown);
}

bool rules_find(const struct rules *rules, const char *text, size_t len, size_t from,
		struct span *ret)
{
	struct span match;
	bool found = false;

	for (size_t i = 0; i < rules->count; i++)
		if (next_match(&rules->list[i], text, len, from, &match) &&
		    (!found || match.begin < ret->begin)) {
			*ret = match;
			found = true;
		}
	if (found)
		extend(rules, text, len, ret);
	return found;
}
