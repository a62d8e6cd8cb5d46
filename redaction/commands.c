/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - passwords in command arguments whose options do not name them. */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "redaction/redaction_priv.h"

enum how {
	ATTACHED = 1, /* -psecret */
	NEXT = 2,     /* -p secret */
	USER = 4,     /* only what follows the colon in user:secret */
	ONCE = 8,     /* another command follows */
	JOINED = 16,  /* -su secret: other options may precede its letter */
};

/* option NULL: -p means something else. */
static const struct program {
	const char *name; /* an fnmatch(3) pattern */
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
	{ "curl", "-u", ATTACHED | NEXT | USER | JOINED },
	{ "curl", "--user", NEXT | USER },
	{ "curl", "-U", ATTACHED | NEXT | USER | JOINED },
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

/* What the word after an option is: one more than the row's index; below zero, of no
 * row. */
enum { NOTHING_KNOWN = 0, ANY_NAME = -1, ANY_P = -2, ANY_DOUBTFUL = -3 };

/* Options of which only the value tells, see doubtful.c: ANY_DOUBTFUL and below. */
static const char *const doubtful[] = { "--key", "--license" };

static const struct program *row(int number)
{
	return &programs[number - 1];
}

/* For "/usr/bin/mysql" the first row of mysql; 0: none. */
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

/* Where in the word the secret begins, given as the row says. */
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

/* How much of the word is the option; 0: it is another option. */
static size_t end_of_option(const struct program *p, const char *word, size_t len)
{
	static const char flags[] = "fgijklqsvLNSkI#46"; /* curl's, without a value */
	size_t n = p->option ? strlen(p->option) : len + 1, at = 1;

	if (n <= len && memcmp(word, p->option, n) == 0)
		return n;
	if (!(p->how & JOINED))
		return 0;
	while (at < len && word[at] && strchr(flags, word[at]))
		at++;
	return at < len && word[at] == p->option[1] ? at + 1 : 0;
}

static size_t of_option(struct arguments *c, const char *word, size_t len)
{
	for (int i = c->program; i <= (int)ARRAY_SIZE(programs); i++) {
		const struct program *p = row(i);
		if (p->name != row(c->program)->name &&
		    strcmp(p->name, row(c->program)->name) != 0)
			break;
		size_t n = end_of_option(p, word, len);
		if (!n)
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

/* --db-password, without its value. */
static bool is_option(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_name_letter(word[i]))
			return false;
	return len > 0;
}

/* ANY_DOUBTFUL or below; NOTHING_KNOWN: it is none. */
static int doubtful_option(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(doubtful); i++)
		if (is_doubtful_name(word, len, DOUBTFUL_ANYWHERE) &&
		    tolower((unsigned char)word[len - 1]) ==
			    doubtful[i][strlen(doubtful[i]) - 1])
			return ANY_DOUBTFUL - (int)i;
	return NOTHING_KNOWN;
}

static bool is_value_of_doubtful(int option, const char *word, size_t len)
{
	if (option > ANY_DOUBTFUL)
		return false;
	const char *name = doubtful[ANY_DOUBTFUL - option];
	return is_doubtful_value(name, strlen(name), DOUBTFUL_ANYWHERE, word, len);
}

size_t redaction_of_argument(struct redaction *r, struct arguments *c, const char *word,
			     size_t len)
{
	const int before = c->next;
	size_t begin = of_program(c, word, len);

	c->doubtful = before == ANY_P;
	if (redaction_mode(r) == REDACT_NOTHING || before > 0 || begin < len)
		return redaction_mode(r) == REDACT_NOTHING ? len : begin;
	if (before == ANY_NAME || (before == ANY_P && !is_harmless(word, len)) ||
	    is_value_of_doubtful(before, word, len))
		return 0;
	if (len < 2 || word[0] != '-' || c->next > 0)
		return len;
	if (!c->program && len == 2 && word[1] == 'p')
		c->next = ANY_P;
	else if (is_option(word, len) && redaction_of_name(r, word, len))
		c->next = ANY_NAME;
	else if (is_option(word, len))
		c->next = doubtful_option(word, len);
	return len;
}

/* Operators that end a command have a blank next to them. "x?a=1&b=2" does not end,
 * unless a known program follows. */
enum {
	BLANK = 1,
	QUOTE = 2,
	SIGN = 4,
	OTHER = 8, /* between the words of lists and lines */
};
static const uint8_t classes[UINT8_MAX + 1] = {
	[' '] = BLANK, ['\t'] = BLANK, ['"'] = QUOTE,  ['\''] = QUOTE, [';'] = SIGN,
	['|'] = SIGN,  ['&'] = SIGN,   ['('] = SIGN,   ['`'] = SIGN,   ['['] = OTHER,
	[','] = OTHER, ['\\'] = OTHER, ['\r'] = OTHER, ['\n'] = OTHER,
};

static bool is_one_of(char c, uint8_t wanted)
{
	return classes[(uint8_t)c] & wanted;
}

/* A backslash continues the line. */
static bool ends_command(const char *text, size_t len, size_t at)
{
	const char before = at ? text[at - 1] : ' ',
		   next = at + 1 < len ? text[at + 1] : ' ';

	if (text[at] == '\n' || text[at] == '\r')
		return before != '\\' && before != '\r';
	return is_one_of(text[at], SIGN) &&
	       (is_one_of(before, BLANK | SIGN) || is_one_of(next, BLANK));
}

/* The next word, after skipping what is between words; false: none before the end. */
static bool next_word(const char *text, size_t end, uint8_t between, struct span *word)
{
	size_t at = word->end;

	while (at < end && is_one_of(text[at], between))
		at++;
	word->begin = at;
	while (at < end && !is_one_of(text[at], between))
		at++;
	word->end = at;
	return at > word->begin;
}

static size_t begin_of_command(const char *text, size_t len, size_t at)
{
	enum { COMMAND_MAX = 256 };
	size_t least = at > COMMAND_MAX ? at - COMMAND_MAX : 0;

	while (at > least && !ends_command(text, len, at - 1))
		at--;
	return at;
}

/* Reads the words up to at. A list may have more between them: ["mysql", "-pabc"] */
static void read_command(const char *text, size_t at, struct span word,
			 struct arguments *c)
{
	while (next_word(text, at, BLANK | QUOTE | SIGN | OTHER, &word)) {
		struct arguments other = { .program = 0 };
		const char *begin = text + word.begin;
		const size_t n = word.end - word.begin;
		if (word.begin > 0 && is_one_of(begin[-1], SIGN))
			of_program(&other, begin, n);
		if (other.program)
			*c = other;
		else
			of_program(c, begin, n);
	}
}

/* Is the next word a one-letter option, or the previous word any option? */
static bool may_be_option(const char *text, size_t len, size_t at)
{
	enum { OPTION_MAX = 16 };
	const size_t least = at > OPTION_MAX ? at - OPTION_MAX : 0;

	if (at + 2 < len && text[at + 1] == '-' && isalpha((unsigned char)text[at + 2]))
		return true;
	while (at > least && is_one_of(text[at - 1], BLANK | QUOTE | OTHER))
		at--;
	while (at > least && !is_one_of(text[at - 1], BLANK | QUOTE))
		at--;
	return at > 0 && text[at] == '-';
}

/* If the word is quoted as a whole, as 'bob:a b', extends it past its first blank or
 * quote. If the secret in it is quoted, as -p'a b', moves *ret_from too. */
static void read_quotes(const char *text, size_t len, const struct arguments *c,
			struct span *word, size_t *ret_from)
{
	struct arguments copy = *c;
	const size_t n = word->end - word->begin, end = word->end;
	const char before = word->begin ? text[word->begin - 1] : '\0';

	if (*ret_from < n && is_one_of(before, QUOTE) &&
	    (word->begin < 2 || text[word->begin - 2] != '\\')) {
		word->end = end_of_quoted(text, len, word->begin, before);
	} else if (*ret_from == n && end < len && is_one_of(text[end], QUOTE)) {
		size_t to = end_of_quoted(text, len, end + 1, text[end]);
		if (to < len &&
		    of_program(&copy, text + word->begin, to - word->begin) == n) {
			word->end = to;
			*ret_from = n + 1;
		}
	}
}

bool is_argument(const char *text, size_t len, size_t at, struct span *ret)
{
	struct arguments c = { .program = 0 }, before;
	struct span word = { .rule = "key_value" };

	if (!may_be_option(text, len, at))
		return false;
	word.end = begin_of_command(text, len, at);
	read_command(text, at, word, &c);
	word.end = at;
	if (!c.program || !next_word(text, len, BLANK | QUOTE, &word))
		return false;
	before = c;
	size_t from = of_program(&c, text + word.begin, word.end - word.begin);
	read_quotes(text, len, &before, &word, &from);
	word.begin += from;
	*ret = word;
	return word.end > word.begin;
}
