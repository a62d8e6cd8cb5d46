/* SPDX-License-Identifier: Apache-2.0 */
#include "printers/rules/rules_priv.h"

#include <string.h>

/* "*" matches any bytes, "?" one. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = NULL, *again = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			again = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star;
			name = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

const struct rule *rule_for(const struct value_rules *rules, const struct type *type)
{
	for (size_t i = 0; rules && i < rules->count; i++)
		if (matches(rules->list[i].pattern, type_name(type)))
			return &rules->list[i];
	return NULL;
}

bool rule_hides(const struct rule *rule, const char *field)
{
	for (size_t i = 0; rule && i < rule->hidden_count; i++)
		if (matches(rule->hidden[i], field))
			return true;
	return false;
}

const char *rule_name(const struct rule *rule, const char *field)
{
	for (size_t i = 0; rule && i < rule->renaming_count; i++)
		if (strcmp(rule->renamings[i].from, field) == 0)
			return rule->renamings[i].to;
	return field;
}

struct value_rules *value_rules_new(void)
{
	return xcalloc(1, sizeof(struct value_rules));
}

static void free_piece(struct rule_piece *piece)
{
	for (size_t i = 0; i < piece->format.count; i++)
		xfree(piece->format.words[i].name);
	xfree(piece->format.words);
	xfree(piece->words);
	xfree(piece->path);
}

static void free_rule(struct rule *rule)
{
	for (size_t i = 0; i < rule->piece_count; i++)
		free_piece(&rule->pieces[i]);
	for (size_t i = 0; i < rule->hidden_count; i++)
		xfree(rule->hidden[i]);
	for (size_t i = 0; i < rule->renaming_count; i++) {
		xfree(rule->renamings[i].from);
		xfree(rule->renamings[i].to);
	}
	xfree(rule->pieces);
	xfree(rule->hidden);
	xfree(rule->renamings);
	xfree(rule->pattern);
	xfree(rule->printer);
}

void value_rules_free(struct value_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->count; i++)
		free_rule(&rules->list[i]);
	xfree(rules->list);
	for (size_t i = 0; i < rules->file_count; i++)
		xfree(rules->files[i]);
	xfree(rules->files);
	xfree(rules);
}
