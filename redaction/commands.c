/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - passwords among the arguments of commands, whose options do not name them. */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "redaction_priv.h"

enum how {
	ATTACHED = 1, /* -psecret */
	NEXT = 2,     /* -p secret */
	USER = 4,     /* only what is behind the colon of user:secret */
	ONCE = 8,     /* another command follows */
};

/* An option NULL: -p has another meaning. */
static const struct program {
	const char *name; /* as fnmatch(3) has it */
	const char *option;
	unsigned how;
} programs[] = {
	{ "sshpass", "-p", ATTACHED | NEXT | ONCE },
	{ "mysql", "-p", ATTACHED },
	{ "mysqldump", "-p", ATTACHED },
	{ "mysqladmin", "-p", ATTACHED },
	{ "mysqlimport", "-p", ATTACHED },
	{ "mysqlcheck", "-p", ATTACHED },
	{ "mysqlshow", "-p", ATTACHED },
	{ "mysqlbinlog", "-p", ATTACHED },
	{ "mariadb", "-p", ATTACHED },
	{ "mariadb-*", "-p", ATTACHED },
	{ "curl", "-u", ATTACHED | NEXT | USER },
	{ "curl", "--user", NEXT | USER },
	{ "curl", "-U", ATTACHED | NEXT | USER },
	{ "curl", "--proxy-user", NEXT | USER },
	{ "redis-cli", "-a", NEXT },
	{ "mongo", "-p", NEXT },
	{ "mongosh", "-p", NEXT },
	{ "mongodump", "-p", NEXT },
	{ "mongorestore", "-p", NEXT },
	{ "ldap[acdemswu]*", "-w", ATTACHED | NEXT },
	{ "mosquitto_[ps]ub", "-P", NEXT },
	{ "sqlcmd", "-P", ATTACHED | NEXT },
	{ "cargo", NULL, 0 },
	{ "cp", NULL, 0 },
	{ "docker-compose", NULL, 0 },
	{ "git", NULL, 0 },
	{ "install", NULL, 0 },
	{ "mkdir", NULL, 0 },
};

/* What the word behind an option is: one more than the row, which may be that of no program. */
enum { NOTHING_KNOWN = 0, ANY_NAME = -1, ANY_P = -2 };

static const struct program *row(int number)
{
	return &programs[number - 1];
}

/* Of "/usr/bin/mysql" the first row that is of mysql; 0: it has none. */
static int find_program(const char *word, size_t len)
{
	enum { NAME_MAX = 32 };
	const char *slash = memrchr(word, '/', len);
	const char *begin = slash ? slash + 1 : word;
	size_t n = len - (size_t)(begin - word);
	char name[NAME_MAX];

	if (n < 2 || n >= sizeof(name) || !islower((unsigned char)begin[0]))
		return NOTHING_KNOWN;
	memcpy(name, begin, n);
	name[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (programs[i].name[0] == name[0] &&
		    fnmatch(programs[i].name, name, 0) == 0)
			return (int)i + 1;
	return NOTHING_KNOWN;
}

/* Where in the word the secret begins, of which the row says how it is given. */
static size_t given(struct arguments *c, const struct program *program, const char *word,
		    size_t len, size_t from)
{
	const char *colon = memchr(word + from, ':', len - from);

	if (program->how & ONCE)
		c->program = NOTHING_KNOWN;
	if (!(program->how & USER))
		return from;
	return colon ? (size_t)(colon - word) + 1 : len;
}

static size_t of_option(struct arguments *c, const char *word, size_t len)
{
	for (int i = c->program; i <= (int)ARRAY_SIZE(programs); i++) {
		const struct program *p = row(i);
		if (p->name != row(c->program)->name &&
		    strcmp(p->name, row(c->program)->name) != 0)
			break;
		size_t n = p->option ? strlen(p->option) : len + 1;
		if (n > len || memcmp(word, p->option, n) != 0)
			continue;
		if (n == len && p->how & NEXT)
			c->next = i;
		else if (n < len && p->how & ATTACHED)
			return given(c, p, word, len, n);
	}
	return len;
}

/* By the table alone. */
static size_t of_program(struct arguments *c, const char *word, size_t len)
{
	const int next = c->next;

	c->next = NOTHING_KNOWN;
	if (next > 0)
		return given(c, row(next), word, len, 0);
	if (len && word[0] != '-' && !c->program)
		c->program = find_program(word, len);
	return len && word[0] == '-' && c->program ? of_option(c, word, len) : len;
}

/* -p 8080:80, -p /tmp/x, -p {"a":1}, -p -v: a port, a path, a patch, no value. */
static bool is_harmless(const char *word, size_t len)
{
	size_t digits = len;

	while (digits > 0 && (isdigit((unsigned char)word[digits - 1]) ||
			      strchr(",.-", word[digits - 1])))
		digits--;
	return !digits || word[0] == '-' || word[0] == '{' || memchr(word, '/', len) ||
	       (digits < len && word[digits - 1] == ':');
}

/* --db-password, without what it is set to. */
static bool is_option(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_name_letter(word[i]))
			return false;
	return len > 0;
}

size_t redaction_of_argument(struct redaction *r, struct arguments *c, const char *word,
			     size_t len)
{
	const int before = c->next;
	size_t begin = of_program(c, word, len);

	c->doubtful = before == ANY_P;
	if (redaction_mode(r) == REDACT_NOTHING || before > 0 || begin < len)
		return redaction_mode(r) == REDACT_NOTHING ? len : begin;
	if (before == ANY_NAME || (before == ANY_P && !is_harmless(word, len)))
		return 0;
	if (len < 2 || word[0] != '-' || c->next > 0)
		return len;
	if (!c->program && len == 2 && word[1] == 'p')
		c->next = ANY_P;
	else if (is_option(word, len) && redaction_of_name(r, word, len))
		c->next = ANY_NAME;
	return len;
}

static bool is_blank_or_quote(char c)
{
	return c == ' ' || c == '\t' || c == '"' || c == '\'';
}

static bool ends_command(char c)
{
	return c == '\n' || c == '\r' || c == ';' || c == '|' || c == '&' || c == '(' ||
	       c == '`';
}

/* The next word, without quotes; false: there is none before the end. */
static bool next_word(const char *text, size_t end, struct span *word)
{
	size_t at = word->end;

	while (at < end && is_blank_or_quote(text[at]))
		at++;
	word->begin = at;
	while (at < end && !is_blank_or_quote(text[at]))
		at++;
	word->end = at;
	return at > word->begin;
}

static size_t begin_of_command(const char *text, size_t at)
{
	enum { COMMAND_MAX = 128 };
	size_t least = at > COMMAND_MAX ? at - COMMAND_MAX : 0;

	while (at > least && !ends_command(text[at - 1]))
		at--;
	return at;
}

/* Is the word behind it an option of one letter, or the one before it any? */
static bool may_be_option(const char *text, size_t len, size_t at)
{
	enum { OPTION_MAX = 16 };
	size_t i = at;

	if (at + 2 < len && text[at + 1] == '-' && isalpha((unsigned char)text[at + 2]))
		return true;
	while (i > 0 && at - i < OPTION_MAX && !is_blank_or_quote(text[i - 1]))
		i--;
	return i < at && i > 0 && text[i] == '-';
}

bool is_argument(const char *text, size_t len, size_t at, struct span *ret)
{
	struct arguments c = { .program = 0 };
	struct span word = { .rule = "assignment" };

	if (!may_be_option(text, len, at))
		return false;
	word.end = begin_of_command(text, at);
	while (next_word(text, at, &word))
		of_program(&c, text + word.begin, word.end - word.begin);
	word.end = at;
	if (!c.program || !next_word(text, len, &word))
		return false;
	size_t n = word.end - word.begin, from = of_program(&c, text + word.begin, n);
	word.begin += from;
	*ret = word;
	return from < n;
}
