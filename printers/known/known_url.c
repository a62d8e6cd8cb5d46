/* SPDX-License-Identifier: Apache-2.0 */
/* URLs as net/url/url.go String() writes them, but without the user info, which may have
 * a password. */
#include <string.h>

#include "printers/known/known.h"

enum part { PATH, HOST, FRAGMENT };

static bool is_letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_one_of(char c, const char *marks)
{
	return c && strchr(marks, c);
}

/* shouldEscape(), unchanged in all releases. */
static bool stays(char c, enum part part)
{
	static const char *const marks[] = {
		[PATH] = "-_.~$&+,/:;=@",
		[HOST] = "-_.~!$&'()*+,;=:[]<>\"",
		[FRAGMENT] = "-_.~$&+,/:;=?@!()*",
	};
	return is_letter_or_digit(c) || is_one_of(c, marks[part]);
}

static void add_escaped(struct known_words *ret, const struct known_words *s,
			enum part part)
{
	for (size_t i = 0; i < s->len; i++) {
		if (stays(s->bytes[i], part))
			known_add_bytes(ret, s->bytes + i, 1);
		else
			known_add(ret, "%%%02X", (uint8_t)s->bytes[i]);
	}
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Is raw, encoded by someone else, a valid encoding of s? */
static bool encodes(const struct known_words *raw, const struct known_words *s,
		    enum part part)
{
	size_t n = 0;

	if (raw->len == 0 || raw->len == sizeof(raw->bytes))
		return false;
	for (size_t i = 0; i < raw->len; i++, n++) {
		char c = raw->bytes[i];
		if (c == '%') {
			if (raw->len - i < 3)
				return false;
			int high = digit_of(raw->bytes[i + 1]),
			    low = digit_of(raw->bytes[i + 2]);
			if (high < 0 || low < 0)
				return false;
			c = (char)(high << 4 | low);
			i += 2;
		} else if (!stays(c, part) && !is_one_of(c, "!$&'()*+,;=:@[]")) {
			return false;
		}
		if (n >= s->len || s->bytes[n] != c)
			return false;
	}
	return n == s->len;
}

static bool add_part(struct printing *p, const struct value *v, const char *name,
		     const char *raw_name, enum part part, struct known_words *ret)
{
	struct known_words s = { .len = 0 }, raw = { .len = 0 };

	if (!known_string(p, v, name, &s) || !known_string(p, v, raw_name, &raw))
		return false;
	const size_t begin = ret->len;
	if (encodes(&raw, &s, part))
		known_add_bytes(ret, raw.bytes, raw.len);
	else if (part == PATH && s.len == 1 && *s.bytes == '*')
		known_add(ret, "*");
	else
		add_escaped(ret, &s, part);
	known_reworded(p, &s, ret->bytes + begin, ret->len - begin);
	return true;
}

struct authority {
	struct known_words scheme, host;
	uint64_t user, omitted; /* omitted: OmitHost, 1.19 and later */
};

static bool read_authority(struct printing *p, const struct value *v,
			   struct authority *ret)
{
	ret->scheme.len = ret->host.len = 0;
	ret->omitted = 0;
	if (!known_string(p, v, "Scheme", &ret->scheme) ||
	    !known_string(p, v, "Host", &ret->host) ||
	    !known_number(p, v, "User", &ret->user))
		return false;
	if (!ret->host.len && !ret->user)
		(void)known_number(p, v, "OmitHost", &ret->omitted);
	return true;
}

/* With a colon, the first segment would be read as a scheme. */
static bool looks_like_scheme(const struct known_words *path)
{
	const char *slash = memchr(path->bytes, '/', path->len);
	size_t len = slash ? (size_t)(slash - path->bytes) : path->len;

	return memchr(path->bytes, ':', len) != NULL;
}

static bool add_hierarchy(struct printing *p, const struct value *v,
			  const struct authority *a, struct known_words *ret)
{
	struct known_words path = { .len = 0 };

	if (!add_part(p, v, "Path", "RawPath", PATH, &path))
		return false;
	/* Some patch releases turn this into "%2F/...", others do not. */
	if (a->omitted && path.len > 1 && memcmp(path.bytes, "//", 2) == 0)
		return false;
	bool begun = a->scheme.len || a->host.len || a->user;
	if (begun && !a->omitted && (a->host.len || path.len || a->user))
		known_add(ret, "//");
	const size_t host = ret->len;
	add_escaped(ret, &a->host, HOST);
	known_reworded(p, &a->host, ret->bytes + host, ret->len - host);
	if (path.len && *path.bytes != '/' && a->host.len)
		known_add(ret, "/");
	if (!begun && looks_like_scheme(&path))
		known_add(ret, "./");
	known_add_bytes(ret, path.bytes, path.len);
	return true;
}

bool text_of_url(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words query = { .len = 0 }, opaque = { .len = 0 },
			   fragment = { .len = 0 };
	struct authority a;
	uint64_t force_query;

	if (!read_authority(p, v, &a) || !known_string(p, v, "RawQuery", &query) ||
	    !known_string(p, v, "Opaque", &opaque) ||
	    !known_number(p, v, "ForceQuery", &force_query) ||
	    !add_part(p, v, "Fragment", "RawFragment", FRAGMENT, &fragment))
		return false;
	known_add_bytes(ret, a.scheme.bytes, a.scheme.len);
	if (a.scheme.len)
		known_add(ret, ":");
	if (opaque.len)
		known_add_bytes(ret, opaque.bytes, opaque.len);
	else if (!add_hierarchy(p, v, &a, ret))
		return false;
	if (force_query || query.len)
		known_add(ret, "?");
	known_add_bytes(ret, query.bytes, query.len);
	if (fragment.len)
		known_add(ret, "#");
	known_add_bytes(ret, fragment.bytes, fragment.len);
	return true;
}
