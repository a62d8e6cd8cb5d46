/* SPDX-License-Identifier: Apache-2.0 */
/* login.c - passwords in what logs in: .netrc, .pgpass, mail, PostgreSQL, and in
 * what logs say of it. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "redaction/patterns/patterns.h"

enum { WORD_MAX = 128 };

static struct span word_before(const char *text, size_t end)
{
	struct span word;
	size_t least = end > WORD_MAX ? end - WORD_MAX : 0;

	while (end > least && isspace((unsigned char)text[end - 1]))
		end--;
	word = (struct span){ .begin = end, .end = end };
	while (word.begin > least && !isspace((unsigned char)text[word.begin - 1]))
		word.begin--;
	return word;
}

/* machine example.org login bob password abc */
static bool is_of_netrc(const char *text, size_t begin)
{
	static const char *const words[] = { "account", "login", "machine" };
	struct span name = word_before(text, begin), key = word_before(text, name.begin);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (name.end > name.begin && span_is(text, key, words[i]))
			return true;
	return false;
}

/* Not "password authentication", "password Policy", "password 30", "password INVALID". */
static bool is_chosen(const char *text, size_t len)
{
	enum { LEAST = 5 };
	bool mixed = false;

	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)text[i];
		mixed |= isdigit(c) || (c && strchr("!@#$^&*+~", c)) ||
			 (i > 0 && isupper(c) && islower((unsigned char)text[i - 1]));
	}
	return len >= LEAST && mixed;
}

/* "token main.go:55" is where one is. */
static bool is_chosen_token(const char *text, size_t len)
{
	enum { LEAST = 8 };

	return count_letters(text, len, 0, LETTERS_TOKEN) == len &&
	       is_random(text, len, LEAST);
}

bool is_said_password(const char *text, size_t len, size_t at, struct span *ret)
{
	static const char *const words[] = { "passcode", "passphrase", "passwd",
					     "password", "token" };
	struct span word = { .begin = at, .end = at };
	size_t which = 0, begin = at + 1, end;

	/* Most words are none of these. */
	if (at == 0 || !text[at - 1] || !strchr("deDEnN", text[at - 1]))
		return false;
	while (word.begin > 0 && at - word.begin < WORD_MAX &&
	       is_name_letter(text[word.begin - 1]))
		word.begin--;
	const char first = (char)(text[word.begin] | ' ');
	if ((first != 'p' && first != 't') || at - word.begin < strlen("token"))
		return false;
	while (which < ARRAY_SIZE(words) && !span_is(text, word, words[which]))
		which++;
	if (which == ARRAY_SIZE(words))
		return false;
	end = end_of_word(text, len, begin);
	const bool certain = is_of_netrc(text, word.begin);
	while (!certain && end > begin && strchr(".:!?", text[end - 1]))
		end--;
	*ret = (struct span){ begin, end, "key_value" };
	if (certain)
		return end > begin;
	return which + 1 == ARRAY_SIZE(words) ? is_chosen_token(text + begin, end - begin)
					      : is_chosen(text + begin, end - begin);
}

/* A host name, or all. *ret_named: it is no number of hexadecimal digits, as in an address of IPv6. */
static bool is_host_before(const char *text, size_t at, bool *ret_named)
{
	size_t begin = at;

	*ret_named = false;

	while (begin > 0 && at - begin < WORD_MAX &&
	       (isalnum((unsigned char)text[begin - 1]) ||
		strchr("*.-_/", text[begin - 1])) &&
	       text[begin - 1]) {
		begin--;
		*ret_named |= text[begin] && (strchr("*./-", text[begin]) ||
					      !isxdigit((unsigned char)text[begin]));
	}
	return begin < at && begins_line(text, begin);
}

/* The colon after the field; len: none in this line. */
static size_t end_of_field(const char *text, size_t len, size_t at)
{
	size_t to = at;

	while (to < len && to - at < WORD_MAX && text[to] != ':' &&
	       !isspace((unsigned char)text[to]))
		to += text[to] == '\\' ? 2 : 1;
	return to < len && text[to] == ':' && to > at ? to : len;
}

bool is_password_line(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { FIELDS = 2, PORT_MIN = 4, PORT_MAX = 5 };
	size_t port = at + 1, to, n;
	bool named;

	if (port >= len || (text[port] != '*' && !isdigit((unsigned char)text[port])))
		return false;
	n = text[port] == '*' ? 1 : count_letters(text, len, port, LETTERS_DIGITS);
	to = port + n;
	if (to >= len || text[to] != ':' ||
	    (text[port] != '*' && (n < PORT_MIN || n > PORT_MAX)) ||
	    !is_host_before(text, at, &named))
		return false;
	for (int i = 0; i < FIELDS && to < len; i++)
		to = end_of_field(text, len, to + 1);
	if (to >= len)
		return false;
	for (size_t i = port + n; i < to; i++)
		named |= text[i] != ':' && !isxdigit((unsigned char)text[i]);
	if (!named)
		return false;
	*ret = (struct span){ to + 1, end_of_line(text, len, to), "key_value" };
	return ret->end > ret->begin && end_of_field(text, ret->end, to + 1) == ret->end;
}

/* RFC 4954: a line in base64 for each question. */
bool is_mail_login(const char *text, size_t len, size_t at, struct span *ret)
{
	static const char login[] = "AUTH LOGIN", ask[] = "334 UGFzc3dvcmQ6";
	enum { LINES_MAX = 6, LEAST = 4 };
	const bool asked = follows(text, len, at, ask);
	size_t to = at + (asked ? strlen(ask) : strlen(login)), n;
	int answers = asked ? 1 : 0;

	if (!begins_line(text, at) || (!asked && !follows(text, len, at, login)))
		return false;
	*ret = (struct span){ .rule = "key_value" };
	for (int i = 0; i < LINES_MAX && answers < 2; i++) {
		const bool first = i == 0 && to < len && text[to] == ' ';
		if (!first && !follows(text, len, to, "\r\n"))
			break;
		to += first ? 1 : 2;
		if (follows(text, len, to, "334 ")) {
			to = end_of_line(text, len, to);
			continue;
		}
		n = count_letters(text, len, to, LETTERS_BASE64);
		if (n < LEAST || (to + n < len && !follows(text, len, to + n, "\r\n")))
			break;
		if (!ret->end)
			ret->begin = to;
		ret->end = to += n;
		answers++;
	}
	return ret->end > ret->begin;
}

/* PostgreSQL, 55.7: the length counts itself, and the text ends with a zero. SASL has a
 * mechanism's name, a length and bytes instead. */
bool is_password_message(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { HEAD = 5, LENGTH = 4, MOST = 1024 };
	const uint8_t *head = (const uint8_t *)text + at;

	if (len - at < HEAD + 1 || head[0] != 'p' || head[1] || head[2])
		return false;
	const size_t n = (size_t)head[3] << 8 | head[4], begin = at + HEAD;
	if (n < LENGTH + 2 || n > MOST)
		return false;
	const size_t end = begin + n - LENGTH - 1;
	for (size_t i = begin; i < end && i < len; i++)
		if (!isprint((unsigned char)text[i]))
			return false;
	*ret = (struct span){ begin, end < len ? end : len, "key_value" };
	return end >= len || !text[end];
}
