/* SPDX-License-Identifier: Apache-2.0 */
#include "redaction/redaction_priv.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool begins_word(const char *text, size_t at)
{
	return at == 0 || !isalnum((unsigned char)text[at - 1]);
}

/* RFC 7468. */
static bool is_pem(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { LABEL_MAX = 200 };
	static const char begin[] = "-----BEGIN ", end[] = "-----END ";

	if (!follows(text, len, at, begin))
		return false;
	size_t label = at + strlen(begin);
	const char *dashes = memmem(text + label, len - label, "-----", 5);
	if (dashes && (size_t)(dashes - text) - label < LABEL_MAX &&
	    !memmem(text + label, (size_t)(dashes - text) - label, "PRIVATE KEY",
		    strlen("PRIVATE KEY")))
		return false;
	const char *last = memmem(text + at, len - at, end, strlen(end));
	size_t to = last ? (size_t)(last - text) + strlen(end) : len;
	while (to < len && text[to] != '\n')
		to++;
	*ret = (struct span){ at, to, "pem" };
	return true;
}

bool redaction_of_piece(const char *text, size_t len, bool *in_key)
{
	static const char begin[] = "-----BEGIN ", end[] = "-----END ",
			  letters[] = LETTERS_BASE64 "\r\n";
	const char *last = memmem(text, len, end, strlen(end));
	bool inside = *in_key;
	struct span key;

	if (inside && (last || count_letters(text, len, 0, letters) == len)) {
		*in_key = !last;
		return len > 0;
	}
	const char *at = memmem(text, len, begin, strlen(begin));
	*in_key = at && !last && is_pem(text, len, (size_t)(at - text), &key);
	return false;
}

bool is_card_number(const char *digits, size_t len)
{
	unsigned sum = 0;

	if (len < 13 || len > 19)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned d = (unsigned)(digits[len - 1 - i] - '0') << (i & 1);
		sum += d > 9 ? d - 9 : d;
	}
	unsigned first = 0;
	for (int i = 0; i < 4; i++)
		first = first * 10 + (unsigned)(digits[i] - '0');
	bool is_issuer = first / 1000 == 4 || (first >= 5100 && first <= 5599) ||
			 (first >= 2221 && first <= 2720) || first / 100 == 34 ||
			 first / 100 == 37 || first == 6011 || first / 100 == 65 ||
			 first / 100 == 35 || first / 100 == 62 || first / 100 == 36;
	return is_issuer && sum % 10 == 0;
}

/* Groups of digits, as printed on the card. */
static bool is_card(const char *text, size_t len, size_t at, struct span *ret)
{
	char digits[20];
	size_t n = 0, end = at;

	if (at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '.'))
		return false;
	for (size_t i = at; i < len && n < sizeof(digits); i++) {
		if (isdigit((unsigned char)text[i])) {
			digits[n++] = text[i];
			end = i + 1;
		} else if ((text[i] != ' ' && text[i] != '-') || end != i || n < 4) {
			break;
		}
	}
	if (end < len && isalnum((unsigned char)text[end]))
		return false;
	*ret = (struct span){ at, end, "card_number" };
	return is_card_number(digits, n);
}

/* RFC 3986, 3.2.1: between :// and @. Database drivers write
 * "user:password@tcp(host)". */
static bool is_userinfo(const char *text, size_t len, size_t at, struct span *ret)
{
	size_t begin = at + strlen("://"), end = begin;

	if (!follows(text, len, at, "://"))
		return false;
	while (end < len && !isspace((unsigned char)text[end]) &&
	       !strchr("/?#\"'<>", text[end]))
		end++;
	while (end > begin && text[end - 1] != '@')
		end--;
	*ret = (struct span){ begin, end - 1, "url_password" };
	return end > begin + 1;
}

/* "@tcp(", "@unix(", "@cloudsql-mysql("; "@/" if both are left out. */
static bool is_driver_address(const char *text, size_t len, size_t at)
{
	enum { NET_MAX = 24 };
	size_t n;

	if (text[at] != '@')
		return false;
	n = count_letters(text, len, at + 1, LETTERS_TOKEN "+");
	at += 1 + n;
	return at < len && n <= NET_MAX && text[at] == (n ? '(' : '/');
}

/* The password may contain an @, so the last one counts. */
static bool is_driver_password(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { PASSWORD_MAX = 256 };
	size_t end = 0;

	if (text[at] != ':' || follows(text, len, at, "://"))
		return false;
	if (len - at > PASSWORD_MAX)
		len = at + PASSWORD_MAX;
	for (size_t i = at + 1; i < len && !isspace((unsigned char)text[i]); i++)
		if (is_driver_address(text, len, i))
			end = i;
	*ret = (struct span){ at + 1, end, "url_password" };
	return end > at + 1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Where the name before `end` begins; blanks and a quote may be in between. */
static size_t name_before(const char *text, size_t end, size_t *ret_end)
{
	enum { NAME_MAX = 64, BLANKS_MAX = 8 };

	for (int i = 0; i < BLANKS_MAX && end > 0 && is_blank(text[end - 1]); i++)
		end--;
	while (end > 0 && strchr("\"'\\`]", text[end - 1]) && text[end - 1])
		end--;
	size_t begin = end;
	while (begin > 0 && end - begin < NAME_MAX && is_name_letter(text[begin - 1]))
		begin--;
	*ret_end = end;
	return begin;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* The same with depth backslashes before each quote; other quotes are part of the
 * text. */
static size_t end_of_escaped(const char *text, size_t len, size_t at, size_t depth,
			     char quote)
{
	for (size_t n = 0; at < len; at++) {
		if (text[at] == quote && n == depth)
			return at - n;
		n = text[at] == '\\' ? n + 1 : 0;
	}
	return len;
}

/* "invalid token: unexpected end" does not give a token. */
static bool is_plain_word(const char *text, size_t begin, size_t end)
{
	enum { LONGEST = 15 };

	for (size_t i = begin; i < end; i++)
		if (!islower((unsigned char)text[i]))
			return false;
	return end - begin <= LONGEST;
}

static bool is_always_secret(const char *name, size_t len)
{
	static const char *const words[] = { "pass", "pwd", "secret", "credential",
					     "authorization" };
	char small[64];

	if (len >= sizeof(small))
		return true;
	for (size_t i = 0; i < len; i++)
		small[i] = (char)tolower((unsigned char)name[i]);
	small[len] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(small, words[i]))
			return true;
	return false;
}

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
	enum { BLANKS_MAX = 8 };
	size_t to = at;

	while (to < len && to < at + BLANKS_MAX && is_blank(text[to]))
		to++;
	return to;
}

/* Length of the quote at text[at], with the backslashes before it: "\"" in JSON inside
 * JSON. */
static size_t quote_at(const char *text, size_t len, size_t at)
{
	enum { DEPTH_MAX = 16 };
	size_t to = at;

	while (to < len && to < at + DEPTH_MAX && text[to] == '\\')
		to++;
	return to < len && is_quote(text[to]) ? to + 1 - at : 0;
}

/* "Bearer abc", "AWS4-HMAC-SHA256 ...": the secret follows the scheme. */
static bool is_scheme(const char *text, size_t begin, size_t end)
{
	static const char *const words[] = { "apikey", "basic",	    "bearer", "digest",
					     "jwt",    "negotiate", "ntlm",   "token",
					     "hoba",   "mutual",    "vapid" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == end - begin &&
		    strncasecmp(text + begin, words[i], end - begin) == 0)
			return true;
	return end - begin > 4 && memcmp(text + begin, "AWS4", 4) == 0;
}

/* YAML, 8.1: after "password: |" the lines that are indented more are the value. */
static bool find_block(const char *text, size_t len, size_t at, struct span *ret)
{
	if (at == len || (text[at] != '|' && text[at] != '>'))
		return false;
	size_t line = at + 1 + count_letters(text, len, at + 1, "+-123456789");
	line += count_letters(text, len, line, " \t\r");
	if (line == len || text[line] != '\n')
		return false;
	ret->begin = line + 1 + count_letters(text, len, line + 1, " \t");
	ret->end = end_of_block(text, len, line);
	return ret->end > ret->begin;
}

/* Three quotes begin what extends over several lines in TOML. */
static bool find_lines(const char *text, size_t len, size_t at, struct span *ret)
{
	enum { QUOTES = 3 };

	if (len - at <= QUOTES || !is_quote(text[at]) || text[at + 1] != text[at] ||
	    text[at + 2] != text[at])
		return false;
	ret->begin = at + QUOTES;
	const char *end = memmem(text + ret->begin, len - ret->begin, text + at, QUOTES);
	ret->end = end ? (size_t)(end - text) : len;
	return ret->end > ret->begin;
}

/* In brackets, as maps and lists are printed, everything inside is the value. */
static size_t end_of_list(const char *text, size_t len, size_t at)
{
	enum { LIST_MAX = 4096 };
	size_t to = at, depth = 0;

	for (; to < len && to < at + LIST_MAX; to++) {
		depth += text[to] == '[';
		if (text[to] == ']' && --depth == 0)
			return to;
	}
	return to;
}

/* "-H 'Cookie: a=b; c=d'": up to the quote that precedes the name. */
static size_t end_of_outer(const char *text, size_t len, size_t at, size_t name)
{
	const char *end = name > 0 && is_quote(text[name - 1])
				  ? memchr(text + at, text[name - 1], len - at)
				  : NULL;

	return end ? (size_t)(end - text) : 0;
}

/* The value of an assignment, after the sign. name: where the name begins. */
static bool find_given(const char *text, size_t len, size_t at, size_t name,
		       struct span *ret)
{
	size_t begin = skip_blanks(text, len, at), end = begin;
	bool header = begin > at && text[at - 1] == ':';
	size_t quote = quote_at(text, len, begin);

	ret->rule = "key_value";
	if (find_lines(text, len, begin, ret) ||
	    (text[at - 1] == ':' && find_block(text, len, begin, ret)))
		return true;
	if (quote) {
		begin += quote;
		char mark = text[begin - 1];
		end = quote > 1 ? end_of_escaped(text, len, begin, quote - 1, mark)
				: end_of_quoted(text, len, begin, mark);
	} else if (follows(text, len, begin, REDACTION_MASK)) {
		return false;
	} else if (begin < len && text[begin] == '[') {
		end = end_of_list(text, len, begin);
		begin++;
	} else if (header && begins_line(text, name)) {
		end = end_of_line(text, len, begin);
	} else {
		if (header)
			end = end_of_outer(text, len, begin, name);
		if (end <= begin)
			end = end_of_word(text, len, begin);
		size_t next = skip_blanks(text, len, end);
		if (next > end && is_scheme(text, begin, end))
			end = end_of_word(text, len, next);
	}
	*ret = (struct span){ begin, end, "key_value" };
	return end > begin;
}

static bool names_secret(const char *text, size_t begin, size_t end,
			 secret_name_fn *is_secret, void *arg)
{
	return is_secret(arg, text + begin, end - begin) ||
	       is_value_of_secret(text, begin, end, is_secret, arg);
}

/* "?sig=", "&Signature=", as Azure, CloudFront and others sign URLs, and ", Signature=",
 * as AWS signs requests. "sig=11" in a log is a signal. */
static bool is_query_signature(const char *text, size_t begin, size_t end)
{
	size_t to = begin > 0 && is_blank(text[begin - 1]) ? begin - 1 : begin;

	if (!is_signature(text + begin, end - begin))
		return false;
	return begin == 0 || memchr("?&;", text[begin - 1], 3) ||
	       (to > 0 && text[to - 1] == ',');
}

/* "?code=", "Authentication: ", "--key=", "LICENSE=": only before some values. */
static bool is_doubtful(const char *text, size_t at, size_t begin, size_t end,
			enum doubtful_place *ret)
{
	const bool query = text[at] == '=' &&
			   (begin == 0 || strchr("?&;#", text[begin - 1])),
		   header = text[at] == ':' && begins_line(text, begin);

	*ret = query || header ? DOUBTFUL_PARAMETER : DOUBTFUL_ANYWHERE;
	if (is_doubtful_name(text + begin, end - begin, *ret))
		return true;
	*ret = DOUBTFUL_ANYWHERE;
	return is_doubtful_name(text + begin, end - begin, *ret);
}

static bool is_assignment(const char *text, size_t len, size_t at,
			  secret_name_fn *is_secret, void *arg, struct span *ret)
{
	enum { SIGNATURE_MIN = 16, DOUBTFUL_MAX = 1536 };
	size_t end, begin = name_before(text, at, &end), given = at + 1;

	if (given < len && ((text[at] == ':' && text[given] == '=') ||
			    (text[at] == '=' && text[given] == '>')))
		given++;
	if (end == begin || follows(text, len, at, "://"))
		return false;
	bool signature = text[at] != ':' && is_query_signature(text, begin, end);
	bool named = !signature && names_secret(text, begin, end, is_secret, arg);
	enum doubtful_place place;
	/* The value may turn out to be none, and so may each of many in it. */
	if (!signature && !named && len - at > DOUBTFUL_MAX)
		len = at + DOUBTFUL_MAX;
	if ((!signature && !named && !is_doubtful(text, at, begin, end, &place)) ||
	    !find_given(text, len, given, begin, ret))
		return false;
	if (!signature && !named)
		return is_doubtful_value(text + begin, end - begin, place,
					 text + ret->begin, ret->end - ret->begin);
	if (signature)
		return ret->end - ret->begin >= SIGNATURE_MIN;
	return text[at] != ':' || begins_line(text, begin) ||
	       is_quote(text[ret->begin - 1]) ||
	       is_always_secret(text + begin, end - begin) ||
	       !is_plain_word(text, ret->begin, ret->end);
}

/* "--password abc" and "-password abc" in commands, "token \"abc\"" in messages. */
static bool is_told(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
		    void *arg, struct span *ret)
{
	enum { BLANKS_MAX = 8 };
	size_t end, begin, to = at;

	if (at == 0 || !is_name_letter(text[at - 1]))
		return false;
	begin = name_before(text, at, &end);
	while (to < len && to < at + BLANKS_MAX && text[to] == ' ')
		to++;
	bool quoted = to < len && is_quote(text[to]);
	bool option = begin < end && text[begin] == '-';
	if (end == begin || end != at || (!quoted && !option) || to == len)
		return false;
	bool named = is_secret(arg, text + begin, end - begin);
	if (!named &&
	    !(option && is_doubtful_name(text + begin, end - begin, DOUBTFUL_ANYWHERE)))
		return false;
	size_t stop = to + 1;
	if (quoted)
		stop = end_of_quoted(text, len, stop, text[to]);
	else
		while (stop < len && !isspace((unsigned char)text[stop]))
			stop++;
	*ret = (struct span){ to + quoted, stop, "key_value" };
	return stop > to + quoted &&
	       (named || is_doubtful_value(text + begin, end - begin, DOUBTFUL_ANYWHERE,
					   text + ret->begin, stop - ret->begin));
}

/* What begins with one of few letters. */
static bool shape_of_word(const char *text, size_t len, size_t at, struct span *ret)
{
	switch (text[at]) {
	case 'p':
		return is_password_message(text, len, at, ret);
	case 'd':
	case 's':
		return is_data_of_secret(text, len, at, ret);
	case 'P':
	case 'S':
	case 'T':
		if (is_ticket(text, len, at, ret))
			return true;
		break;
	}
	return is_bank_account(text, len, at, ret);
}

bool shape_at(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
	      void *arg, struct span *ret)
{
	char c = text[at];

	switch (c) {
	case ':':
		if (is_userinfo(text, len, at, ret) ||
		    is_driver_password(text, len, at, ret) ||
		    is_password_line(text, len, at, ret) ||
		    is_web_key(text, len, at, ret))
			return true;
		return is_assignment(text, len, at, is_secret, arg, ret);
	case '=':
		return is_assignment(text, len, at, is_secret, arg, ret);
	case ' ':
		return is_told(text, len, at, is_secret, arg, ret) ||
		       is_said_password(text, len, at, ret) ||
		       is_argument(text, len, at, ret);
	case '/':
		return is_link(text, len, at, ret);
	case '{':
		return is_directory_hash(text, len, at, ret);
	case '\t':
	case '"':
	case '\'':
		return is_argument(text, len, at, ret);
	case '>':
		return is_element(text, len, at, is_secret, arg, ret);
	case '-':
		return is_pem(text, len, at, ret);
	case '\n':
		return is_part_of_form(text, len, at, is_secret, arg, ret);
	case '$':
		return is_password_hash(text, len, at, ret);
	}
	if (begins_binary_key(c) && is_binary_key(text, len, at, ret))
		return true;
	if (!isalnum((unsigned char)c) || !begins_word(text, at))
		return false;
	if (isdigit((unsigned char)c))
		return is_card(text, len, at, ret) || is_bot_token(text, len, at, ret) ||
		       is_mail_login(text, len, at, ret) || is_token(text, len, at, ret);
	return is_token(text, len, at, ret) || is_identified(text, len, at, ret) ||
	       is_command(text, len, at, ret) || shape_of_word(text, len, at, ret);
}
