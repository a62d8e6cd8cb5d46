/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/utf8.h"
#include "printers/rules/rules_priv.h"

enum {
	FILE_MAX = 1 << 20, /* bytes */
	RULES_MAX = 4096,   /* in all files */
	PIECES_MAX = 64,
	FIELDS_MAX = 256, /* hidden or renamed by one rule */
	WORDS_MAX = 256,  /* in one format */
	SHOWN = 60,	  /* bytes of the user's text in a message */
};

struct reading {
	struct value_rules *rules;
	const char *path;
	unsigned line;
	struct rule *rule; /* the rule that lines belong to; NULL: none yet */
	struct err *err;
};

static bool expected(const struct reading *r, const char *what, const char *found)
{
	return err_set(r->err, ERR_USAGE, "%.200s:%u: expected %s, not \"%.*s\"", r->path,
		       r->line, what, SHOWN, found);
}

static bool too_many(const struct reading *r, const char *what, int max)
{
	return err_set(r->err, ERR_USAGE, "%.200s:%u: expected at most %d %s", r->path,
		       r->line, max, what);
}

static const char spaces[] = " \t";

/* The next word; NULL: none. */
static char *next_word(char **rest)
{
	char *word;

	if (!*rest)
		return NULL;
	*rest += strspn(*rest, spaces);
	word = strsep(rest, spaces);
	return *word ? word : NULL;
}

/* The rest of the line; NULL: empty. */
static char *rest_of(char *rest)
{
	if (rest)
		rest += strspn(rest, spaces);
	return rest && *rest ? rest : NULL;
}

static bool read_unit(const struct reading *r, const char *word, uint64_t otherwise,
		      uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }
	};

	*ret = otherwise;
	if (!word)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].name, word) != 0)
			continue;
		*ret = units[i].ns;
		return true;
	}
	return expected(r, "a unit: s, ms, us or ns", word);
}

/* "4=write", "0x10=exec", "-1=none". */
static bool read_name(const struct reading *r, char *word, struct rule_format *f)
{
	char *name = strchr(word, '='), *end;

	if (!name || !name[1] || name == word)
		return expected(r, "NUMBER=NAME", word);
	if (f->count == WORDS_MAX)
		return too_many(r, "names", WORDS_MAX);
	*name++ = '\0';
	errno = 0;
	unsigned long long value = strtoull(word, &end, 0);
	if (*end || errno || !(isdigit((unsigned char)*word) || *word == '-'))
		return expected(r, "a number before \"=\"", word);
	GROW(f->words, f->count, f->cap);
	f->words[f->count++] = (struct rule_word){ value, xstrdup(name) };
	return true;
}

static bool read_names(const struct reading *r, char *rest, struct rule_format *f)
{
	char *word;

	while ((word = next_word(&rest)))
		if (!read_name(r, word, f))
			return false;
	return f->count || expected(r, "NUMBER=NAME", "");
}

/* "duration ms", "enum 0=idle 1=busy". */
static bool read_format(const struct reading *r, char *text, struct rule_format *f)
{
	static const char *const names[FORMAT_KINDS] = {
		[FORMAT_TIME] = "time",	  [FORMAT_DURATION] = "duration",
		[FORMAT_IP] = "ip",	  [FORMAT_HEX] = "hex",
		[FORMAT_FLAGS] = "flags", [FORMAT_ENUM] = "enum",
		[FORMAT_LEN] = "len",	  [FORMAT_QUOTED] = "quoted",
	};
	char *rest = text, *word = next_word(&rest), *more;

	for (int i = 0; word && i < FORMAT_KINDS; i++)
		if (names[i] && strcmp(names[i], word) == 0)
			f->kind = (enum format_kind)i;
	if (f->kind == FORMAT_PLAIN)
		return expected(r, "time, duration, ip, hex, flags, enum, len or quoted",
				word ? word : "");
	if (f->kind == FORMAT_FLAGS || f->kind == FORMAT_ENUM)
		return read_names(r, rest, f);
	more = next_word(&rest);
	if ((f->kind == FORMAT_TIME || f->kind == FORMAT_DURATION) &&
	    !read_unit(r, more, f->kind == FORMAT_TIME ? 1000000000 : 1, &f->unit_ns))
		return false;
	if (more && (f->kind == FORMAT_TIME || f->kind == FORMAT_DURATION))
		more = next_word(&rest);
	return !more || expected(r, "nothing after the format", more);
}

static struct rule_piece *add_piece(const struct reading *r)
{
	struct rule *rule = r->rule;

	if (rule->piece_count == PIECES_MAX) {
		too_many(r, "parts in a text", PIECES_MAX);
		return NULL;
	}
	GROW(rule->pieces, rule->piece_count, rule->piece_cap);
	rule->pieces[rule->piece_count] = (struct rule_piece){ .words = NULL };
	return &rule->pieces[rule->piece_count++];
}

/* Names separated by dots. */
static bool is_path(const char *path)
{
	if (!*path)
		return true;
	for (const char *at = path;; at++) {
		size_t len = strcspn(at, ".");
		if (!len || strcspn(at, " \t{}\"'()") < len)
			return false;
		at += len;
		if (!*at)
			return true;
	}
}

/* The part between braces. */
static bool add_path(const struct reading *r, const char *text, size_t len)
{
	AUTO(xfree) char *inside = xstrndup(text, len);
	char *format = strchr(inside, ':');
	struct rule_piece *piece = add_piece(r);

	if (!piece)
		return false;
	piece->words = xasprintf("{%s}", inside);
	if (format)
		*format++ = '\0';
	if (!is_path(inside))
		return expected(r, "a field, or fields separated by dots", inside);
	piece->path = xstrdup(inside);
	return !format || read_format(r, format, &piece->format);
}

static bool add_words(const struct reading *r, const char *text, size_t len)
{
	struct rule_piece *piece = len ? add_piece(r) : NULL;

	if (piece)
		piece->words = xstrndup(text, len);
	return piece || !len;
}

/* Reads a template: literal text up to the next brace that is not doubled. */
static bool read_template(const struct reading *r, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "{}");
		bool doubled = text[len] && text[len] == text[len + 1];
		if (!add_words(r, text, len + doubled))
			return false;
		text += len + 2 * doubled;
		if (doubled || !*text)
			continue;
		if (*text == '}')
			return expected(r, "\"}}\" for a literal brace", text);
		len = strcspn(++text, "{}");
		if (text[len] != '}')
			return expected(r, "a \"}\" after the field", text);
		if (!add_path(r, text, len))
			return false;
		text += len + 1;
	}
	return true;
}

static bool read_type(struct reading *r, char *rest)
{
	struct value_rules *rules = r->rules;
	const char *pattern = rest_of(rest), *slash = strrchr(r->path, '/');

	if (!pattern)
		return expected(r, "a type name after \"type\"", "");
	if (rules->count == RULES_MAX)
		return too_many(r, "types", RULES_MAX);
	GROW(rules->list, rules->count, rules->cap);
	r->rule = &rules->list[rules->count++];
	*r->rule = (struct rule){ .pattern = xstrdup(pattern),
				  .printer = xstrdup(slash ? slash + 1 : r->path) };
	return true;
}

static bool read_printer(struct reading *r, char *rest)
{
	const char *name = rest_of(rest);

	if (!name)
		return expected(r, "a name after \"name\"", "");
	xfree(r->rule->printer);
	r->rule->printer = xstrdup(name);
	return true;
}

static bool one_text(const struct reading *r, const char *text)
{
	return !r->rule->piece_count ||
	       expected(r, "only one \"text\" or \"as\" per type", text);
}

static bool read_text(struct reading *r, char *rest)
{
	const char *text = rest_of(rest);

	if (!text)
		return expected(r, "a text after \"text\"", "");
	return one_text(r, text) && read_template(r, text);
}

/* "as FORMAT" is "text {:FORMAT}". */
static bool read_as(struct reading *r, char *rest)
{
	char *format = rest_of(rest);

	if (!format)
		return expected(r, "a format after \"as\"", "");
	if (!one_text(r, format))
		return false;
	struct rule_piece *piece = add_piece(r);
	piece->words = xasprintf("{:%s}", format);
	piece->path = xstrdup("");
	return read_format(r, format, &piece->format);
}

static bool read_hide(struct reading *r, char *rest)
{
	struct rule *rule = r->rule;
	char *word = next_word(&rest);

	if (!word)
		return expected(r, "field names after \"hide\"", "");
	for (; word; word = next_word(&rest)) {
		if (rule->hidden_count == FIELDS_MAX)
			return too_many(r, "hidden fields", FIELDS_MAX);
		GROW(rule->hidden, rule->hidden_count, rule->hidden_cap);
		rule->hidden[rule->hidden_count++] = xstrdup(word);
	}
	return true;
}

static bool read_rename(struct reading *r, char *rest)
{
	struct rule *rule = r->rule;
	char *from = next_word(&rest), *to = next_word(&rest), *more = next_word(&rest);

	if (!from || !to || more)
		return expected(r, "\"rename FIELD NAME\"",
				more   ? more
				: from ? from
				       : "");
	if (rule->renaming_count == FIELDS_MAX)
		return too_many(r, "renamed fields", FIELDS_MAX);
	GROW(rule->renamings, rule->renaming_count, rule->renaming_cap);
	rule->renamings[rule->renaming_count++] =
		(struct rule_renaming){ xstrdup(from), xstrdup(to) };
	return true;
}

static bool read_line(struct reading *r, char *line)
{
	static const struct {
		const char *word;
		bool (*read)(struct reading *r, char *rest);
	} lines[] = {
		{ "type", read_type }, { "name", read_printer },
		{ "text", read_text }, { "as", read_as },
		{ "hide", read_hide }, { "rename", read_rename },
	};
	char *rest = line, *word = next_word(&rest);

	if (!word || *word == '#')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (strcmp(lines[i].word, word) != 0)
			continue;
		if (i && !r->rule)
			return expected(r, "\"type PATTERN\" before anything else", word);
		return lines[i].read(r, rest);
	}
	return expected(r, "type, name, text, as, hide or rename", word);
}

static bool read_lines(struct reading *r, char *text, size_t len)
{
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		size_t n = strlen(line);
		r->line++;
		/* A NUL would end the line early. */
		if (!utf8_valid(line, n) || (!rest && line + n != text + len))
			return err_set(r->err, ERR_USAGE,
				       "%.200s:%u: expected UTF-8 text", r->path,
				       r->line);
		while (n && strchr(" \t\r", line[n - 1]))
			line[--n] = '\0';
		if (!read_line(r, line))
			return false;
	}
	return true;
}

/* Reads a regular file, or a pipe, if that was named. */
static char *read_file(int fd, const char *path, size_t *ret_len, struct err *err)
{
	AUTO(xfree) char *text = xmalloc(FILE_MAX + 2);
	size_t len = 0;

	while (len <= FILE_MAX) {
		ssize_t n = read(fd, text + len, FILE_MAX + 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err_sys(err, "cannot read %.200s", path);
			return NULL;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	text[len] = '\0';
	*ret_len = len;
	if (len <= FILE_MAX)
		return TAKE(text);
	err_set(err, ERR_USAGE, "%.200s: expected at most %d bytes", path, FILE_MAX);
	return NULL;
}

bool value_rules_read(struct value_rules *rules, const char *path, struct err *err)
{
	struct reading r = { .rules = rules, .path = path, .err = err };
	size_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return err_sys(err, "cannot open %.200s", path);
	AUTO(xfree) char *text = read_file(fd, path, &len, err);
	close(fd);
	if (!text || !read_lines(&r, text, len))
		return false;
	GROW(rules->files, rules->file_count, rules->file_cap);
	rules->files[rules->file_count++] = xrealpath(path);
	return true;
}

size_t value_rules_files(const struct value_rules *rules)
{
	return rules ? rules->file_count : 0;
}

const char *value_rules_file(const struct value_rules *rules, size_t i)
{
	return rules->files[i];
}
