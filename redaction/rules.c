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

/* Of two matches at the same place, prefers the longer one: the shorter one would leave its rest visible. */
static bool is_before(size_t begin, size_t end, const struct span *other)
{
	return begin < other->begin || (begin == other->begin && end > other->end);
}

bool rules_find(const struct rules *rules, const char *text, size_t len, size_t from,
		struct span *ret)
{
	bool found = false;
	size_t begin, end;

	for (size_t i = 0; i < rules->count; i++) {
		struct ere *value = rules->list[i].value;
		if (!value || !ere_find(value, text, len, from, &begin, &end) ||
		    end <= begin || (found && !is_before(begin, end, ret)))
			continue;
		*ret = (struct span){ begin, end, "user_rule" };
		found = true;
	}
	return found;
}
