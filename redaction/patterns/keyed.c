/* SPDX-License-Identifier: Apache-2.0 */
/* keyed.c - secrets that a text gives otherwise than by assignment: markup, forms,
 * commands. */
#include "redaction/patterns/patterns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Where the name begins in the tag that ends before `end`: <password, <wsse:Password
 * Type="x". */
static size_t name_in_tag(const char *text, size_t end, size_t *ret_end)
{
	enum { TAG_MAX = 256 };
	size_t open = end, least = end > TAG_MAX ? end - TAG_MAX : 0, begin;

	while (open > least && !strchr("<>", text[open - 1]))
		open--;
	begin = open;
	if (open == 0 || text[open - 1] != '<')
		return *ret_end = end;
	for (*ret_end = begin; *ret_end < end; (*ret_end)++) {
		if (text[*ret_end] == ':')
			begin = *ret_end + 1;
		else if (!is_name_letter(text[*ret_end]))
			break;
	}
	return begin;
}

/* <password>abc</password>, <password><![CDATA[abc]]></password> */
bool is_element(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
		void *arg, struct span *ret)
{
	static const char quote[] = "<![CDATA[";
	size_t end, begin = name_in_tag(text, at, &end), given = at + 1;

	if (end == begin || text[at - 1] == '/' ||
	    !is_secret(arg, text + begin, end - begin))
		return false;
	if (follows(text, len, given, quote))
		given += strlen(quote);
	const char *to = memchr(text + given, '<', len - given);
	*ret = (struct span){ given, to ? (size_t)(to - text) : len, "key_value" };
	return ret->end > ret->begin;
}

static size_t skip_back(const char *text, size_t end, const char *letters)
{
	while (end > 0 && text[end - 1] && strchr(letters, text[end - 1]))
		end--;
	return end;
}

/* The word that ends at `end`, or before it with blanks and quotes in between. */
static struct span word_before(const char *text, size_t end, const char *between)
{
	enum { WORD_MAX = 128 };
	struct span word = { .end = skip_back(text, end, between) };

	for (word.begin = word.end; word.begin > 0 && word.end - word.begin < WORD_MAX &&
				    is_name_letter(text[word.begin - 1]);)
		word.begin--;
	return word;
}

bool is_value_of_secret(const char *text, size_t begin, size_t end,
			secret_name_fn *is_secret, void *arg)
{
	if (!span_is(text, (struct span){ begin, end, NULL }, "value"))
		return false;
	struct span secret = word_before(text, begin, " \t\r\n\"'`\\,;");
	struct span key = word_before(text, secret.begin, " \t\"'`\\:=");
	return secret.end < begin && key.end < secret.begin &&
	       secret.end > secret.begin &&
	       (span_is(text, key, "name") || span_is(text, key, "key")) &&
	       is_secret(arg, text + secret.begin, secret.end - secret.begin);
}

bool is_part_of_form(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
		     void *arg, struct span *ret)
{
	static const char before[] = "\"\r\n\r\n";
	const size_t n = strlen(before);

	if (at + 1 < n || memcmp(text + at + 1 - n, before, n) != 0)
		return false;
	struct span name = word_before(text, at + 1 - n, "");
	struct span key = word_before(text, name.begin, "\"=");
	if (!span_is(text, key, "name") ||
	    !is_secret(arg, text + name.begin, name.end - name.begin))
		return false;
	const char *end = memmem(text + at, len - at, "\r\n--", strlen("\r\n--"));
	*ret = (struct span){ at + 1, end ? (size_t)(end - text) : len, "key_value" };
	return ret->end > ret->begin;
}

/* ALTER USER bob IDENTIFIED BY 'abc' */
bool is_identified(const char *text, size_t len, size_t at, struct span *ret)
{
	static const char words[] = "identified by ";
	size_t begin = at + strlen(words);

	if (len - at <= strlen(words) + 1 ||
	    strncasecmp(text + at, words, strlen(words)) != 0 ||
	    (text[begin] != '\'' && text[begin] != '"'))
		return false;
	const char *end = memchr(text + begin + 1, text[begin], len - begin - 1);
	*ret = (struct span){ begin + 1, end ? (size_t)(end - text) : len, "key_value" };
	return ret->end > ret->begin;
}

/* Redis, "AUTH\r\n$3\r\nbob\r\n$5\r\nabcde\r\n": each argument is preceded by its
 * length. */
static size_t end_of_arguments(const char *text, size_t len, size_t at)
{
	enum { ARGUMENTS_MAX = 2, DIGITS_MAX = 4 };

	for (int i = 0; i < ARGUMENTS_MAX && follows(text, len, at, "\r\n$"); i++) {
		size_t n = 0, to = at + strlen("\r\n$");
		for (int d = 0;
		     d < DIGITS_MAX && to < len && isdigit((unsigned char)text[to]); d++)
			n = 10 * n + (size_t)(text[to++] - '0');
		if (!follows(text, len, to, "\r\n"))
			break;
		at = to + strlen("\r\n");
		at += n < len - at ? n : len - at;
	}
	return at;
}

/* Which is no secret: "AUTH LOGIN\r\n" */
static bool is_mechanism(const char *text, size_t len, size_t at)
{
	static const char *const words[] = { "CRAM-MD5\r\n", "LOGIN\r\n", "PLAIN\r\n",
					     "XOAUTH2\r\n" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (follows(text, len, at, words[i]))
			return true;
	return false;
}

/* The end of an answer in base64 that is the rest of the line, whose end may have been cut off; 0: it is
 * none. */
static size_t end_of_response(const char *text, size_t len, size_t at)
{
	enum { LEAST = 4 };
	const size_t n = count_letters(text, len, at, LETTERS_BASE64);

	return is_random(text + at, n, LEAST) && (at + n == len || text[at + n] == '\n')
		       ? at + n
		       : 0;
}

bool is_command(const char *text, size_t len, size_t at, struct span *ret)
{
	/* The first ones have an answer in base64. */
	enum { IN_BASE64 = 2 };
	static const char *const words[] = { "AUTH PLAIN ", "AUTH XOAUTH2 ", "AUTH ",
					     "PASS " };
	size_t end = at;

	if (!begins_line(text, at))
		return false;
	if (is_mail_login(text, len, at, ret))
		return true;
	if (len - at > 4 && strncasecmp(text + at, "auth", 4) == 0)
		end = end_of_arguments(text, len, at + 4);
	if (end > at + 4) {
		*ret = (struct span){ at + 4, end, "key_value" };
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!follows(text, len, at, words[i]))
			continue;
		if (is_mechanism(text, len, at + strlen(words[i])))
			return false;
		const char *to = memmem(text + at, len - at, "\r\n", 2);
		const size_t begin = at + strlen(words[i]);
		*ret = (struct span){ begin,
				      to	      ? (size_t)(to - text)
				      : i < IN_BASE64 ? end_of_response(text, len, begin)
						      : 0,
				      "key_value" };
		return ret->end > ret->begin;
	}
	return false;
}

/* Is the document around text[at] one with "kind: Secret"? Documents of YAML are divided
 * by lines of dashes. */
static bool is_of_kind_secret(const char *text, size_t len, size_t at)
{
	enum { AROUND = 8192, KINDS_MAX = 64 };
	static const char kind[] = "kind", secret[] = "Secret";
	const char *from = text + (at > AROUND ? at - AROUND : 0);
	const char *to = text + (len - at > AROUND ? at + AROUND : len);
	const char *dashes;

	while ((dashes = memmem(from, (size_t)(text + at - from), "\n---", 4)))
		from = dashes + 1;
	if ((dashes = memmem(text + at, (size_t)(to - text) - at, "\n---", 4)))
		to = dashes;
	const char *word = from;
	for (int i = 0; i < KINDS_MAX; i++) {
		if (!(word = memmem(word, (size_t)(to - word), kind, strlen(kind))))
			break;
		word += strlen(kind);
		while (word < to && strchr("\": \t", *word) && *word)
			word++;
		if ((size_t)(to - word) >= strlen(secret) &&
		    memcmp(word, secret, strlen(secret)) == 0 &&
		    (word + strlen(secret) == to ||
		     !is_name_letter(word[strlen(secret)])))
			return true;
	}
	return false;
}

bool is_data_of_secret(const char *text, size_t len, size_t at, struct span *ret)
{
	size_t to = at + (follows(text, len, at, "data")	 ? strlen("data")
			  : follows(text, len, at, "stringData") ? strlen("stringData")
								 : 0);
	const bool quoted = to > at && to < len && text[to] == '"';

	to += quoted;
	if (to == at || to >= len || text[to] != ':' ||
	    (!quoted && skip_back(text, at, " \t") > 0 &&
	     text[skip_back(text, at, " \t") - 1] != '\n'))
		return false;
	to += 1 + count_letters(text, len, to + 1, quoted ? " \t\r\n" : " \t\r");
	if (to >= len || text[to] != (quoted ? '{' : '\n') ||
	    !is_of_kind_secret(text, len, at))
		return false;
	const char *brace = memchr(text + to, '}', len - to);
	ret->begin = to + 1;
	ret->end = !quoted ? end_of_block(text, len, to)
		   : brace ? (size_t)(brace - text)
			   : len;
	ret->rule = "key_value";
	return ret->end > ret->begin;
}
